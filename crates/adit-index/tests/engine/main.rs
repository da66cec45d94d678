//! The engine against a naive model, under damage, under concurrent readers, and when it must refuse.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    missing_docs,
    reason = "a helper of a test fails the test"
)]

mod concurrent_readers;
mod damage;
mod random_operations;
mod refusals;
mod scopes_and_filters;
#[path = "../support/mod.rs"]
mod support;
