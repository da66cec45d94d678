//! Retrieval over a real index in a temporary folder, with an embedder that needs no model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod answers;
mod explanations;
mod reading;
mod rendering;
mod scope;
mod setting;
mod signal_figures;
mod signals;
