use adit_core::{PassageScores, ScoredChunk};

use super::{Evidence, weigh};
use crate::assemble::Ranked;
use crate::candidates;
use crate::retriever::checked;
use crate::{RetrieveError, Retriever, SearchRequest, SearchResponse};

impl Retriever {
    /// Weighs the passages of `response`, which another wording found, against the question of `request`: a
    /// rewrite that asks for less is easily answered and proves nothing.
    ///
    /// # Errors
    /// As [`Retriever::search`].
    pub fn weigh_for(
        &self,
        request: &SearchRequest<'_>,
        response: &SearchResponse,
    ) -> Result<Evidence, RetrieveError> {
        let request = &checked(request)?;
        let snapshot = self.index().snapshot();
        let view = self.catalog().view()?;
        let found = candidates::gather(&snapshot, self.embedder(), self.late_interaction(), request)?;
        let mut ranked = Vec::new();
        for passage in &response.passages {
            // Purged since: the passage was read, so its words are known, but not its language.
            let Some(stored) = view.chunk(passage.chunk)? else { continue };
            let pair = |rank: adit_core::RetrieverRank| (rank.rank, rank.score);
            let scores = PassageScores {
                lexical: found.lexical_rank(passage.chunk).map(pair),
                dense: found.dense_rank(passage.chunk).map(pair),
                ..PassageScores::default()
            };
            ranked.push(Ranked { stored, scores, also_in: Vec::new() });
        }
        let dense = found.dense.as_deref().map(|hits| from_the_best_of(hits, &ranked));
        weigh(&snapshot, request, &ranked, dense.as_deref(), self.embedder())
    }
}

/// The question's nearest chunks without those that are nearer than every passage: what other passages hold is no
/// evidence for these.
fn from_the_best_of(hits: &[ScoredChunk], ranked: &[Ranked]) -> Vec<ScoredChunk> {
    let own = ranked.iter().filter_map(|one| one.scores.dense).map(|(_, score)| score);
    let farthest = hits.last().map_or(0.0, |hit| hit.score);
    let best = own.fold(farthest, f32::max);
    hits.iter().copied().filter(|hit| hit.score <= best).collect()
}
