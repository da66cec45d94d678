//! Retrieval over a real index in a temporary folder, with an embedder that needs no model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a test fails by panicking"
)]

mod answers;
mod duplicates;
mod explanations;
mod late_interaction;
mod reading;
mod rendering;
mod reranking;
mod scope;
mod setting;
mod signal_figures;
mod signals;
