//! The lexical index against definitions, published formulas and crashes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, missing_docs)]

mod languages;
mod naive;
mod published;
mod random;
mod recovery;

use adit_core::{ChunkId, SequenceNumber};
use adit_lexical::{Bm25Parameters, LexicalIndex, LexicalSearcher};
use roaring::RoaringBitmap;

/// An index in a folder of its own with `texts` as chunks 1, 2 ... committed at 1.
pub(crate) fn index_of(texts: &[(&str, &str)]) -> (tempfile::TempDir, LexicalSearcher) {
    let folder = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open_or_create(folder.path()).unwrap();
    for (id, (language, text)) in (1..).zip(texts) {
        index.add(ChunkId(id), language, text).unwrap();
    }
    index.commit(SequenceNumber(1)).unwrap();
    let searcher = index.searcher().unwrap();
    (folder, searcher)
}

/// Chunk ids found with everything allowed.
pub(crate) fn found(searcher: &LexicalSearcher, query: &str, languages: &[&str]) -> Vec<u32> {
    let languages: Vec<String> = languages.iter().map(|code| (*code).to_owned()).collect();
    searcher
        .search(query, &languages, &RoaringBitmap::from_iter(0..100_000), Bm25Parameters::default(), 100)
        .unwrap()
        .iter()
        .map(|hit| hit.chunk.0)
        .collect()
}
