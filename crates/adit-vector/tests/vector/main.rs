//! Sets, segments and files against brute force.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

mod concurrency;
mod damage;
mod recall;
mod sets;
mod support;
