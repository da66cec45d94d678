//! The published snapshot: filters, rights, replay, manifest, merges and rebuild over the lexical and
//! vector indexes, all derived from the catalog.
//!
//! [`SearchIndex`] is the engine of one collection. Its [`Snapshot`] is a lexical searcher, a set of
//! vector segments with a scanned tail, and the bitmaps of rights and metadata, all at one sequence
//! number and published by one pointer swap; a reader therefore sees the old version of a document or
//! the new one, whole, in both retrievers. Nothing here is the truth: whatever is lost or damaged is
//! made again from the catalog.

mod allowed;
mod build;
mod calendar;
mod catalog_ties;
mod document_table;
mod engine_errors;
mod facets;
mod files;
mod generation;
mod lexical_leftovers;
mod lock;
mod manifest;
mod merge;
mod merger;
mod metadata_columns;
mod options;
mod reader;
mod replay;
mod search_index;
mod segment;
mod snapshot;
mod statistics;
mod tail;
mod token_codes;
mod token_merge;
mod token_segment;
mod verify;
mod writer;

pub use document_table::DocumentEntry;
pub use facets::{Facet, FacetValue};
pub use manifest::FORMAT_VERSION;
pub use options::IndexOptions;
pub use search_index::SearchIndex;
pub use snapshot::{DenseAnswer, Snapshot};
pub use statistics::{Damage, IndexStatistics, RebuildProgress, RebuildStage};
