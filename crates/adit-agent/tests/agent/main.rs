//! The agent loop over a real index in a temporary folder, by a scripted model.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod budgets;
mod conversation;
mod costs;
mod looping;
mod policies;
mod setting;
mod sql;
mod trust;
