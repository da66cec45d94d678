//! Evaluation, diagnosis and audit over a real index in a temporary folder, with an embedder that needs no
//! model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod audits;
mod evaluations;
mod faults;
mod rankers;
mod setting;
