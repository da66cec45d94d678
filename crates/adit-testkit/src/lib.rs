//! For tests only: corpora builders, a naive index to compare with, an embedder without a model, and a
//! crash harness. It never ships, so its helpers panic where a test would.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of tests fails the test"
)]

mod fake_embedder;

pub use fake_embedder::{FakeEmbedder, WordTokenizer};
