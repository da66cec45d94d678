//! The scores that a candidate's other retriever would have given it.

use std::collections::BTreeMap;

use adit_core::{ChunkId, IndexError, LexicalSearch, ScoredChunk};
use adit_index::Snapshot;

use super::standardised::Candidate;
use crate::SearchRequest;

/// The exact scores of every candidate of the two lists: BM25 is 0 where no word matches. `tokens` are those
/// by token vectors.
pub(super) fn complete(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    lexical: &[ScoredChunk],
    dense: &[ScoredChunk],
    vector: &[f32],
    tokens: &BTreeMap<ChunkId, f32>,
) -> Result<Vec<Candidate>, IndexError> {
    let by_words: BTreeMap<ChunkId, f32> = lexical.iter().map(|hit| (hit.chunk, hit.score)).collect();
    let by_meaning: BTreeMap<ChunkId, f32> = dense.iter().map(|hit| (hit.chunk, hit.score)).collect();
    let only_by = |hits: &[ScoredChunk], others: &BTreeMap<ChunkId, f32>| -> Vec<ChunkId> {
        hits.iter().map(|hit| hit.chunk).filter(|chunk| !others.contains_key(chunk)).collect()
    };
    let (only_words, only_meaning) = (only_by(lexical, &by_meaning), only_by(dense, &by_words));
    let SearchRequest { scope, filter, query, bm25, .. } = *request;
    let search = LexicalSearch { scope, filter, query, limit: only_meaning.len() };
    let words_of_the_rest = snapshot.lexical_scores(search, &only_meaning, bm25)?;
    let meaning_of_the_rest = snapshot.dense_scores(vector, &only_words)?;
    let words: BTreeMap<ChunkId, f32> =
        words_of_the_rest.iter().map(|hit| (hit.chunk, hit.score)).chain(by_words).collect();
    let meaning: BTreeMap<ChunkId, f32> =
        meaning_of_the_rest.iter().map(|hit| (hit.chunk, hit.score)).chain(by_meaning).collect();
    let mut chunks: Vec<ChunkId> = words.keys().chain(meaning.keys()).copied().collect();
    chunks.sort_unstable();
    chunks.dedup();
    let candidate = |chunk: ChunkId| Candidate {
        chunk,
        lexical: words.get(&chunk).copied().unwrap_or(0.0),
        dense: meaning.get(&chunk).copied(),
        late_interaction: tokens.get(&chunk).copied(),
    };
    Ok(chunks.into_iter().map(candidate).collect())
}

/// The candidates where only one retriever was asked; the others say nothing.
pub(super) fn of_one_list(lexical: Option<&[ScoredChunk]>, dense: Option<&[ScoredChunk]>) -> Vec<Candidate> {
    let candidate = |chunk, lexical, dense| Candidate { chunk, lexical, dense, late_interaction: None };
    let by_words = lexical.unwrap_or_default().iter();
    let by_words = by_words.map(|hit| candidate(hit.chunk, hit.score, None));
    let by_meaning = dense.unwrap_or_default().iter();
    by_words.chain(by_meaning.map(|hit| candidate(hit.chunk, 0.0, Some(hit.score)))).collect()
}
