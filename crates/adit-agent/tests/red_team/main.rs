//! Planted attacks in documents of every format that the tests can make, against a model that obeys whatever it reads.
//! Each asserts first that the attack reached the model: a suite whose attacks get lost proves nothing.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod attacks;
mod files;
mod hidden;
mod packages;
mod victim;
