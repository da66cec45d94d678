//! Answers over a real index in a temporary folder, by a scripted model and without one.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod citations;
mod correction;
mod extraction;
mod faults;
mod prompts;
mod setting;
