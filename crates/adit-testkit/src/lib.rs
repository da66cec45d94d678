//! For tests only: corpora builders, a naive index to compare with, an embedder without a model, and a
//! crash harness. It never ships, so its helpers panic where a test would.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a helper of tests fails the test, and prints what is needed to repeat it"
)]

mod corpus;
mod crash;
mod fake_embedder;
#[cfg(feature = "engine")]
mod indexed_collection;
mod naive_bm25;
mod naive_index;
#[cfg(feature = "engine")]
mod parsed_version;
mod random_vectors;
mod scripted_model;
mod scripted_server;
mod zipf;

pub use corpus::{CorpusSettings, TestDocument, corpus, random_access, random_scope};
pub use crash::{KillWhen, KilledProcess, crash_rounds, run_and_kill};
pub use fake_embedder::{FakeEmbedder, WordTokenizer};
#[cfg(feature = "engine")]
pub use indexed_collection::{IndexedCollection, document_of_paragraphs};
pub use naive_bm25::{LengthNorm, lucene_quantised_length, split_words};
pub use naive_index::{NaiveDocument, NaiveIndex};
pub use random_vectors::{clustered_unit_vectors, random_unit_vector, unit_vector_near};
pub use scripted_model::ScriptedModel;
pub use scripted_server::{ReceivedRequest, ScriptedResponse, ScriptedServer, StreamEnd};
pub use zipf::ZipfWords;
