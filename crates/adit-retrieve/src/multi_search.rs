use std::collections::{HashMap, HashSet};

use adit_core::{ChunkId, Embedder};
use adit_index::Snapshot;

use crate::candidates::{self, Candidates, stage, timed};
use crate::fusion::reciprocal_rank_fusion;
use crate::{LateInteractionDefault, Mode, QueryPlan, RetrieveError, SearchKind, SearchRequest};

/// The constant of reciprocal rank fusion (Cormack et al. 2009).
const RANK_CONSTANT: f32 = 60.0;

type ScoredList = Vec<(ChunkId, f32)>;

/// Adds the rankings of a plan's other searches to the question's own. Without any, nothing changes.
pub(crate) fn widen(
    mut found: Candidates,
    snapshot: &Snapshot,
    embedder: Option<&dyn Embedder>,
    late_interaction: LateInteractionDefault,
    request: &SearchRequest<'_>,
    plan: &QueryPlan,
) -> Result<Candidates, RetrieveError> {
    let others = plan.searches.get(1..).unwrap_or_default();
    if others.is_empty() {
        return Ok(found);
    }
    let own = std::mem::take(&mut found.fused);
    let (joined, elapsed_us) = timed(|| -> Result<_, RetrieveError> {
        let (mut wordings, mut parts) = (vec![own], Vec::new());
        for search in others {
            let mode = match search.kind {
                // A made-up answer's words are made up too.
                SearchKind::HypotheticalAnswer if request.mode == Mode::Hybrid => Mode::Dense,
                _ => request.mode,
            };
            let one = SearchRequest { query: &search.text, mode, ..*request };
            let ranking = candidates::gather(snapshot, embedder, late_interaction, &one)?.fused;
            match search.kind {
                SearchKind::Part => parts.push(ranking),
                _ => wordings.push(ranking),
            }
        }
        let entered = wordings.iter().chain(&parts).map(Vec::len).sum();
        let whole = by_rank(wordings);
        Ok((entered, interleaved(std::iter::once(whole).chain(parts).collect())))
    });
    let (entered, fused) = joined?;
    found.fused = fused;
    let detail = format!("{} searches for parts or other wordings", others.len());
    found.stages.push(stage("multi_query", entered, found.fused.len(), elapsed_us, detail));
    Ok(found)
}

/// Several wordings of one question vote (RAG-Fusion: Rackauckas 2024). Scores are scaled to at most 1.
fn by_rank(wordings: Vec<ScoredList>) -> ScoredList {
    if wordings.len() < 2 {
        return wordings.into_iter().next().unwrap_or_default();
    }
    let ids: Vec<Vec<ChunkId>> =
        wordings.iter().map(|list| list.iter().map(|(chunk, _)| *chunk).collect()).collect();
    let views: Vec<&[ChunkId]> = ids.iter().map(Vec::as_slice).collect();
    let weights = vec![1.0; views.len()];
    let largest = weights.iter().sum::<f32>() / (RANK_CONSTANT + 1.0);
    let fused = reciprocal_rank_fusion(&views, &weights, RANK_CONSTANT);
    fused.into_iter().map(|(chunk, score)| (chunk, (score / largest).min(1.0))).collect()
}

/// The parts of a question do not vote: each has an answer of its own, so their rankings take turns, the
/// whole question's first. A chunk keeps its best score, no higher than the one before it.
fn interleaved(rankings: Vec<ScoredList>) -> ScoredList {
    let mut best: HashMap<ChunkId, f32> = HashMap::new();
    for (chunk, score) in rankings.iter().flatten() {
        let known = best.entry(*chunk).or_insert(*score);
        *known = known.max(*score);
    }
    let longest = rankings.iter().map(Vec::len).max().unwrap_or(0);
    let (mut seen, mut joined) = (HashSet::new(), Vec::with_capacity(best.len()));
    let mut lowest = 1.0_f32;
    for place in 0..longest {
        for (chunk, _) in rankings.iter().filter_map(|ranking| ranking.get(place)) {
            if seen.insert(*chunk) {
                lowest = lowest.min(best.get(chunk).copied().unwrap_or(0.0));
                joined.push((*chunk, lowest));
            }
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranking(ids: &[u32]) -> ScoredList {
        (0..).zip(ids).map(|(place, id)| (ChunkId(*id), 1.0 / (1.0 + place as f32))).collect()
    }

    fn order(joined: &ScoredList) -> Vec<u32> {
        joined.iter().map(|(chunk, _)| chunk.0).collect()
    }

    #[test]
    fn wordings_vote_and_parts_take_turns() {
        assert_eq!(order(&by_rank(vec![ranking(&[1, 2]), ranking(&[2, 3])])), [2, 1, 3]);
        assert_eq!(
            order(&interleaved(vec![ranking(&[1, 2, 3]), ranking(&[4, 1]), ranking(&[5])])),
            [1, 4, 5, 2, 3]
        );
        assert_eq!(interleaved(vec![ranking(&[1, 2])]), ranking(&[1, 2]), "one ranking stays as it is");
    }

    proptest! {
        #[test]
        fn nothing_is_lost_and_scores_never_rise(lists in proptest::collection::vec(proptest::collection::hash_set(0_u32..40, 0..12), 1..5)) {
            let rankings: Vec<ScoredList> =
                lists.iter().map(|ids| ranking(&ids.iter().copied().collect::<Vec<_>>())).collect();
            let joined = interleaved(rankings);
            let all: HashSet<u32> = lists.into_iter().flatten().collect();
            prop_assert_eq!(order(&joined).into_iter().collect::<HashSet<_>>(), all.clone());
            prop_assert_eq!(joined.len(), all.len());
            prop_assert!(joined.windows(2).all(|pair| pair[0].1 >= pair[1].1));
        }
    }
}
