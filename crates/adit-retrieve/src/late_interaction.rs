//! The candidates' scores by token vectors (MaxSim), a third voice beside words and meaning.

use std::collections::BTreeSet;

use adit_core::{ChunkId, Embedder, ScoredChunk};
use adit_index::Snapshot;
use adit_lexical::{content_words, identifiers_of};
use adit_token_vector::TokenQuery;

use crate::dense_weight::DenseWeight;
use crate::{Mode, RetrieveError, SearchRequest};

/// Words of a question that are looked at, at most.
const MOST_WORDS: usize = 24;

/// What token vectors count in requests that name no weight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LateInteractionDefault {
    /// Beside the words' 1; 0 leaves them out.
    pub weight: f32,
}

impl Default for LateInteractionDefault {
    fn default() -> Self {
        Self { weight: 0.5 }
    }
}

/// Whether and how token vectors take part in one search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LateInteraction {
    weight: f32,
}

/// The candidates by token vectors.
pub(crate) struct TokenScored {
    /// Best first; candidates without codes are left out.
    pub(crate) hits: Vec<ScoredChunk>,
    /// Candidates of all lists.
    pub(crate) candidates: usize,
    pub(crate) detail: String,
}

impl LateInteraction {
    /// Token vectors take no part.
    pub(crate) const OFF: Self = Self { weight: 0.0 };

    /// On in hybrid mode where the snapshot has codes of this embedder's own token vectors. The language rule is
    /// the dense list's: token states of a model that was not trained for a language say as little as their mean.
    pub(crate) fn of(
        snapshot: &Snapshot,
        embedder: Option<&dyn Embedder>,
        default: LateInteractionDefault,
        request: &SearchRequest<'_>,
    ) -> Self {
        let gives_tokens = embedder.is_some_and(|embedder| embedder.token_embedder().is_some());
        if request.mode != Mode::Hybrid || !gives_tokens || snapshot.token_code_make().is_none() {
            return Self::OFF;
        }
        let by_language = || DenseWeight::by_language(snapshot.languages(), embedder, request).value;
        let usual =
            || if is_bare_code(snapshot, request.query) { 0.0 } else { default.weight * by_language() };
        let weight = request.late_interaction_weight.unwrap_or_else(usual);
        Self { weight: if weight.is_finite() { weight.max(0.0) } else { 0.0 } }
    }

    pub(crate) fn is_on(self) -> bool {
        self.weight > 0.0
    }

    pub(crate) fn weight(self) -> f32 {
        self.weight
    }

    /// Scores every chunk of the two lists; `None` when token vectors take no part.
    pub(crate) fn score(
        self,
        snapshot: &Snapshot,
        token_vectors: &[f32],
        lexical: Option<&[ScoredChunk]>,
        dense: Option<&[ScoredChunk]>,
    ) -> Result<Option<TokenScored>, RetrieveError> {
        let Some(make) = snapshot.token_code_make().filter(|_| self.is_on() && !token_vectors.is_empty())
        else {
            return Ok(None);
        };
        let query = TokenQuery::new(make, token_vectors)?;
        let both = lexical.unwrap_or_default().iter().chain(dense.unwrap_or_default());
        let chunks: BTreeSet<ChunkId> = both.map(|hit| hit.chunk).collect();
        let chunks: Vec<ChunkId> = chunks.into_iter().collect();
        let mut hits = snapshot.late_interaction_scores(&query, &chunks);
        hits.sort_by(|left, right| right.score.total_cmp(&left.score).then(left.chunk.cmp(&right.chunk)));
        let without = chunks.len().saturating_sub(hits.len());
        let mut detail = format!("MaxSim of {} query tokens, weight {}", query.tokens(), self.weight);
        if without > 0 {
            detail += &format!("; {without} candidates have no token codes and count as the average");
        }
        Ok(Some(TokenScored { hits, candidates: chunks.len(), detail }))
    }
}

/// Whether a question is nothing but codes, such as `LK-WV-007`. A code is found by how it is spelled; the tokens
/// it falls into are those of every code like it, so their vectors would only lift its neighbours.
fn is_bare_code(snapshot: &Snapshot, question: &str) -> bool {
    let codes = identifiers_of(question);
    let words = content_words(question, snapshot.languages(), MOST_WORDS);
    !words.is_empty() && words.iter().all(|word| codes.iter().any(|code| code.contains(word.as_str())))
}
