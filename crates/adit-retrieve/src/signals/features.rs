//! What a trained ranker sees of a candidate: numbers of the trace, and how the question's words stand in it.

use adit_catalog::{CatalogView, StoredChunk};
use adit_core::{ChunkId, DocumentId, LexicalSearch, ScoredChunk};
use adit_index::Snapshot;
use adit_lexical::content_words;

use super::selection::SignalKind;
use crate::candidates::Candidates;
use crate::{Mode, RetrieveError, SearchRequest};

/// Candidates that a trained ranker orders; those below keep their places.
pub(super) const LEARNED_DEPTH: usize = 50;

/// Words of a question that are looked at, at most.
const MOST_QUESTION_WORDS: usize = 24;

/// What each number of [`CandidateFeatures::values`] means. Ranks are natural logarithms, one past the
/// depth for a candidate that the list does not hold; standardised scores have mean 0 and deviation 1 over
/// the ordered candidates of the question; coverages are shares of the question's content words; signals are
/// logarithms of their factors, 0 for one that is not used.
pub const FEATURE_NAMES: [&str; 18] = [
    "fused_log_rank",
    "fused_log_odds",
    "lexical_log_rank",
    "lexical_standardised",
    "dense_log_rank",
    "dense_cosine",
    "dense_standardised",
    "text_coverage",
    "heading_coverage",
    "source_coverage",
    "chunk_log_tokens",
    "chunk_log_position",
    "question_words",
    "authority_log_factor",
    "recency_log_factor",
    "version_log_factor",
    "links_log_factor",
    "popularity_log_factor",
];

const SIGNALS: [SignalKind; 5] = [
    SignalKind::Authority,
    SignalKind::Recency,
    SignalKind::Version,
    SignalKind::Links,
    SignalKind::Popularity,
];

/// One candidate as numbers.
#[derive(Debug, Clone, PartialEq)]
pub struct CandidateFeatures {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its document.
    pub document: DocumentId,
    /// As [`FEATURE_NAMES`] says; every one finite.
    pub values: Vec<f32>,
}

/// The features of the best candidates, in their order.
pub(super) fn of_candidates(
    snapshot: &Snapshot,
    view: &CatalogView,
    request: &SearchRequest<'_>,
    found: &Candidates,
) -> Result<Vec<CandidateFeatures>, RetrieveError> {
    let best: Vec<(ChunkId, f32)> = found.fused.iter().take(LEARNED_DEPTH).copied().collect();
    let chunks: Vec<ChunkId> = best.iter().map(|(chunk, _)| *chunk).collect();
    let scores = Scores::of(snapshot, request, found, &chunks)?;
    let words: Vec<String> = content_words(request.query, snapshot.languages(), MOST_QUESTION_WORDS)
        .iter()
        .map(|word| word.to_lowercase())
        .collect();
    let mut features = Vec::with_capacity(best.len());
    for (place, (chunk, fused)) in best.into_iter().enumerate() {
        let stored = view.chunk(chunk)?.ok_or(RetrieveError::TextGone { chunk })?;
        let mut values = vec![log(place + 1), log_odds(fused)];
        values.extend(scores.values(request, found, chunk, place));
        values.extend(words_values(&words, &stored));
        values.extend(SIGNALS.map(|kind| signal_value(found, chunk, kind)));
        for value in &mut values {
            *value = if value.is_finite() { *value } else { 0.0 };
        }
        features.push(CandidateFeatures { chunk, document: stored.document, values });
    }
    Ok(features)
}

/// Both retrievers' scores of every ordered candidate, wherever it was found.
struct Scores {
    lexical_standardised: Vec<f32>,
    dense: Vec<f32>,
    dense_standardised: Vec<f32>,
}

impl Scores {
    fn of(
        snapshot: &Snapshot,
        request: &SearchRequest<'_>,
        found: &Candidates,
        chunks: &[ChunkId],
    ) -> Result<Self, RetrieveError> {
        let SearchRequest { scope, filter, query, bm25, mode, .. } = *request;
        let lexical = if mode == Mode::Dense {
            Vec::new()
        } else {
            let search = LexicalSearch { scope, filter, query, limit: chunks.len() };
            snapshot.lexical_scores(search, chunks, bm25)?
        };
        let dense = match found.vector.as_deref() {
            Some(vector) => snapshot.dense_scores(vector, chunks)?,
            None => Vec::new(),
        };
        let of = |scores: &[ScoredChunk]| -> Vec<f32> {
            let score = |chunk: &ChunkId| scores.iter().find(|hit| hit.chunk == *chunk).map(|hit| hit.score);
            chunks.iter().map(|chunk| score(chunk).unwrap_or(0.0)).collect()
        };
        let (lexical, dense) = (of(&lexical), of(&dense));
        Ok(Self {
            lexical_standardised: standardised(&lexical),
            dense_standardised: standardised(&dense),
            dense,
        })
    }

    fn values(
        &self,
        request: &SearchRequest<'_>,
        found: &Candidates,
        chunk: ChunkId,
        place: usize,
    ) -> [f32; 5] {
        let at = |values: &[f32]| values.get(place).copied().unwrap_or(0.0);
        let absent = request.depth.saturating_add(1);
        [
            log(found.lexical_rank(chunk).map_or(absent, |one| one.rank)),
            at(&self.lexical_standardised),
            log(found.dense_rank(chunk).map_or(absent, |one| one.rank)),
            at(&self.dense),
            at(&self.dense_standardised),
        ]
    }
}

fn standardised(scores: &[f32]) -> Vec<f32> {
    let count = scores.len().max(1) as f32;
    let mean = scores.iter().sum::<f32>() / count;
    let variance = scores.iter().map(|score| (score - mean).powi(2)).sum::<f32>() / count;
    let deviation = variance.sqrt();
    // Below this, scores differ by rounding only.
    let standard = |score: &f32| if deviation < 1e-6 { 0.0 } else { (score - mean) / deviation };
    scores.iter().map(standard).collect()
}

/// Coverages and lengths. A word is covered where it stands as it is or begins another word, so that
/// `refund` is covered by `refunds`.
fn words_values(words: &[String], stored: &StoredChunk) -> [f32; 6] {
    let coverage = |text: &str| {
        let text = text.to_lowercase();
        let covered = words.iter().filter(|word| text.contains(word.as_str())).count();
        covered as f32 / words.len().max(1) as f32
    };
    let heading = format!("{} {}", stored.title, stored.chunk.heading_path.join(" "));
    [
        coverage(&stored.chunk.indexed),
        coverage(&heading),
        coverage(&stored.source),
        log(stored.chunk.token_count as usize + 1),
        log(stored.chunk.index as usize + 1),
        words.len() as f32,
    ]
}

fn signal_value(found: &Candidates, chunk: ChunkId, kind: SignalKind) -> f32 {
    let factors = found.signals.get(&chunk).map(Vec::as_slice).unwrap_or_default();
    factors.iter().filter(|one| one.signal == kind.name()).map(|one| one.factor.ln()).sum()
}

#[expect(clippy::cast_possible_truncation, reason = "a feature")]
fn log(value: usize) -> f32 {
    (value as f64).ln() as f32
}

fn log_odds(score: f32) -> f32 {
    let share = score.clamp(1e-6, 1.0 - 1e-6);
    (share / (1.0 - share)).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_are_standardised_over_the_candidates() {
        assert_eq!(standardised(&[1.0, 3.0]), [-1.0, 1.0]);
        assert_eq!(standardised(&[2.0, 2.0]), [0.0, 0.0]);
        assert!(standardised(&[]).is_empty());
        assert!((log_odds(0.75) - 3.0_f32.ln()).abs() < 1e-6 && log_odds(1.0).is_finite());
    }
}
