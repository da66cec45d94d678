//! The catalog from outside: commits, versions, scopes, damage, crashes, and a model to compare with.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "tests"
)]

mod chunk_warnings;
mod commit;
mod crash;
mod full_disk;
mod grep;
mod links;
mod model;
mod opening;
mod pending;
mod scope;
mod support;
mod token_codes;
mod views;
