use std::collections::HashMap;

use adit_core::{ChunkId, Embedder};
use adit_index::Snapshot;

use crate::candidates::{self, Candidates, stage, timed};
use crate::{Mode, QueryPlan, RetrieveError, SearchKind, SearchRequest};

/// Adds the rankings of a plan's other searches to the question's own. Without any, nothing changes.
pub(crate) fn widen(
    mut found: Candidates,
    snapshot: &Snapshot,
    embedder: Option<&dyn Embedder>,
    request: &SearchRequest<'_>,
    plan: &QueryPlan,
) -> Result<Candidates, RetrieveError> {
    let others = plan.searches.get(1..).unwrap_or_default();
    if others.is_empty() {
        return Ok(found);
    }
    let (joined, elapsed_us) = timed(|| -> Result<_, RetrieveError> {
        let mut rankings = vec![(1.0, std::mem::take(&mut found.fused))];
        for search in others {
            let mode = match search.kind {
                // A made-up answer's words are made up too.
                SearchKind::HypotheticalAnswer if request.mode == Mode::Hybrid => Mode::Dense,
                _ => request.mode,
            };
            let part = SearchRequest { query: &search.text, mode, ..*request };
            rankings.push((search.weight, candidates::gather(snapshot, embedder, &part)?.fused));
        }
        Ok(rankings)
    });
    let rankings = joined?;
    let entered = rankings.iter().map(|(_, ranking)| ranking.len()).sum();
    found.fused = joined_by_score(&rankings);
    let detail = format!("{} searches for parts or other wordings", others.len());
    found.stages.push(stage("multi_query", entered, found.fused.len(), elapsed_us, detail));
    Ok(found)
}

/// Rankings with scores from 0 to 1 become one: the weighted mean of a chunk's scores, a ranking that lacks it
/// giving nothing. Ties are broken by the chunk's number, so that equal input gives equal output.
fn joined_by_score(rankings: &[(f32, Vec<(ChunkId, f32)>)]) -> Vec<(ChunkId, f32)> {
    let weights: f32 = rankings.iter().map(|(weight, _)| weight).sum();
    let mut sums: HashMap<ChunkId, f32> = HashMap::new();
    for (weight, ranking) in rankings {
        for (chunk, score) in ranking {
            *sums.entry(*chunk).or_default() += weight * score;
        }
    }
    let mut joined: Vec<(ChunkId, f32)> =
        sums.into_iter().map(|(chunk, sum)| (chunk, sum / weights.max(f32::MIN_POSITIVE))).collect();
    joined.sort_by(|left, right| right.1.total_cmp(&left.1).then_with(|| left.0.cmp(&right.0)));
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chunk_that_several_searches_find_rises() {
        let ranking = |ids: &[(u32, f32)]| ids.iter().map(|(id, score)| (ChunkId(*id), *score)).collect();
        let joined =
            joined_by_score(&[(1.0, ranking(&[(1, 0.9), (2, 0.8)])), (0.5, ranking(&[(2, 1.0), (3, 0.7)]))]);
        let order: Vec<u32> = joined.iter().map(|(chunk, _)| chunk.0).collect();
        assert_eq!(order, [2, 1, 3]);
        assert!(joined.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
    }
}
