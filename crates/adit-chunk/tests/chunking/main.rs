//! What every chunker promises, on random documents and on the awkward ones.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod documents;
mod promises;
mod structure;
mod tokenizers;
