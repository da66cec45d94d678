use adit_catalog::CatalogView;
use adit_core::SignalFactor;
use adit_index::Snapshot;

use super::features::of_candidates;
use super::{CandidateFeatures, SignalKind, Signals};
use crate::candidates::{Candidates, stage, timed};
use crate::{RetrieveError, SearchRequest};

/// Scores at the very ends have no finite odds.
const EDGE: f32 = 1e-6;

impl Signals {
    /// The features of the best candidates, as training and the trained ranker see them.
    pub(crate) fn features(
        &self,
        snapshot: &Snapshot,
        view: &CatalogView,
        request: &SearchRequest<'_>,
        found: &Candidates,
    ) -> Result<Vec<CandidateFeatures>, RetrieveError> {
        of_candidates(snapshot, view, request, found)
    }

    /// Orders the best candidates by the trained ranker. Its scores are on no scale, so the candidates
    /// share out the fused scores that they have together: the best takes the highest. What that does to a
    /// candidate's odds is its factor.
    pub(super) fn apply_learned(
        &self,
        snapshot: &Snapshot,
        view: &CatalogView,
        request: &SearchRequest<'_>,
        found: &mut Candidates,
    ) -> Result<(), RetrieveError> {
        let Some(ranker) = self.ranker.as_ref() else {
            found.notices.push("no ranker was trained for this index: `adit train-ranker`".to_owned());
            return Ok(());
        };
        let (features, elapsed_us) = timed(|| self.features(snapshot, view, request, found));
        let scores: Vec<f64> = features?.iter().map(|one| ranker.score(&one.values)).collect();
        reorder(found, &scores);
        let detail = format!("{} trees, {}", ranker.tree_count(), ranker.trained_on());
        found.stages.push(stage("learned", scores.len(), scores.len(), elapsed_us, detail));
        Ok(())
    }
}

fn reorder(found: &mut Candidates, scores: &[f64]) {
    let mut order: Vec<(usize, f64)> = scores.iter().copied().enumerate().collect();
    order.sort_by(|left, right| right.1.total_cmp(&left.1));
    let before: Vec<_> = found.fused.iter().take(scores.len()).copied().collect();
    for (place, (old_place, ranker_score)) in order.into_iter().enumerate() {
        let (Some((chunk, old)), Some((_, new))) = (before.get(old_place), before.get(place)) else {
            continue;
        };
        if let Some(slot) = found.fused.get_mut(place) {
            *slot = (*chunk, *new);
        }
        let reason = format!("ranker score {ranker_score:.3}: place {} becomes {}", old_place + 1, place + 1);
        let signal = SignalKind::Learned.name().to_owned();
        let factor = odds(*new) / odds(*old);
        found.signals.entry(*chunk).or_default().push(SignalFactor { signal, factor, reason });
    }
}

fn odds(score: f32) -> f32 {
    let share = score.clamp(EDGE, 1.0 - EDGE);
    share / (1.0 - share)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use adit_core::ChunkId;

    use crate::late_interaction::LateInteraction;
    use crate::rerank::Reranked;

    use super::*;

    #[test]
    fn candidates_share_out_their_scores() {
        let fused = vec![(ChunkId(1), 0.75), (ChunkId(2), 0.5), (ChunkId(3), 0.2)];
        let mut found = Candidates {
            lexical: None,
            dense: None,
            late_interaction: None,
            fused,
            signals: HashMap::new(),
            reranked: Reranked::default(),
            vector: None,
            token_vectors: Vec::new(),
            late: LateInteraction::OFF,
            stages: Vec::new(),
            notices: Vec::new(),
        };
        reorder(&mut found, &[0.1, 0.9]);
        assert_eq!(found.fused, [(ChunkId(2), 0.75), (ChunkId(1), 0.5), (ChunkId(3), 0.2)]);
        // Odds 1 became odds 3.
        assert!((found.signals[&ChunkId(2)][0].factor - 3.0).abs() < 1e-5);
        assert!(!found.signals.contains_key(&ChunkId(3)));
    }
}
