use std::collections::{BTreeMap, BTreeSet};

use adit_core::ChunkId;

/// The constant of the paper, chosen there on TREC runs; larger values flatten the difference of ranks.
pub(super) const RANK_CONSTANT: f32 = 60.0;

/// Joins ranked lists by rank alone: each list gives `weight / (k + rank)` to the chunks in it, ranks
/// from 1, and nothing to the others (Cormack, Clarke and Buettcher, SIGIR 2009). A list without a weight
/// has weight 1; a chunk that stands twice in one list counts where it stands first. Best first, equal
/// scores by rising chunk id. The result does not depend on the order of the lists.
#[must_use]
pub fn reciprocal_rank_fusion(lists: &[&[ChunkId]], weights: &[f32], k: f32) -> Vec<(ChunkId, f32)> {
    let mut shares = BTreeMap::<ChunkId, Vec<f64>>::new();
    for (index, list) in lists.iter().enumerate() {
        let weight = f64::from(weights.get(index).copied().unwrap_or(1.0));
        let mut seen = BTreeSet::new();
        for (rank, chunk) in (1_u32..).zip(list.iter()) {
            if seen.insert(*chunk) {
                shares.entry(*chunk).or_default().push(weight / (f64::from(k) + f64::from(rank)));
            }
        }
    }
    let mut fused: Vec<(ChunkId, f64)> = shares
        .into_iter()
        .map(|(chunk, mut shares)| {
            // Floating-point sums depend on their order, and the lists have none.
            shares.sort_by(f64::total_cmp);
            (chunk, shares.iter().sum())
        })
        .collect();
    fused.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    #[expect(clippy::cast_possible_truncation, reason = "a score for display")]
    let scores = fused.into_iter().map(|(chunk, score)| (chunk, score as f32));
    scores.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ids(numbers: &[u32]) -> Vec<ChunkId> {
        numbers.iter().copied().map(ChunkId).collect()
    }

    #[test]
    fn agreement_beats_a_single_first_place() {
        let (words, meaning) = (ids(&[1, 2, 3]), ids(&[4, 2, 5]));
        let fused = reciprocal_rank_fusion(&[&words, &meaning], &[], 60.0);
        assert_eq!(fused[0].0, ChunkId(2));
        assert!((fused[0].1 - 2.0 / 62.0).abs() < 1e-7);
        assert_eq!((fused[1].0, fused[2].0), (ChunkId(1), ChunkId(4)), "ties by rising id");
    }

    fn list() -> impl Strategy<Value = Vec<ChunkId>> {
        proptest::collection::btree_set(0_u32..60, 0..40)
            .prop_flat_map(|set| Just(set.into_iter().map(ChunkId).collect::<Vec<_>>()).prop_shuffle())
    }

    proptest! {
        #[test]
        fn the_order_of_lists_does_not_matter(lists in proptest::collection::vec((list(), 0.1_f32..3.0), 1..5), turn in 0_usize..5) {
            let views: Vec<&[ChunkId]> = lists.iter().map(|(list, _)| list.as_slice()).collect();
            let weights: Vec<f32> = lists.iter().map(|(_, weight)| *weight).collect();
            let (mut turned, mut turned_weights) = (views.clone(), weights.clone());
            let by = turn % turned.len();
            turned.rotate_left(by);
            turned_weights.rotate_left(by);
            prop_assert_eq!(
                reciprocal_rank_fusion(&views, &weights, 60.0),
                reciprocal_rank_fusion(&turned, &turned_weights, 60.0)
            );
        }

        #[test]
        fn a_single_list_keeps_its_order(list in list()) {
            let fused = reciprocal_rank_fusion(&[&list], &[1.0], 60.0);
            prop_assert_eq!(fused.into_iter().map(|(chunk, _)| chunk).collect::<Vec<_>>(), list);
        }

        #[test]
        fn a_better_rank_never_lowers_a_chunk(first in list(), second in list(), at in 1_usize..40) {
            prop_assume!(at < second.len());
            let moved = second[at];
            let place = |second: &[ChunkId]| {
                let fused = reciprocal_rank_fusion(&[&first, second], &[], 60.0);
                fused.iter().position(|(chunk, _)| *chunk == moved).unwrap()
            };
            let mut raised = second.clone();
            raised.swap(at, at - 1);
            prop_assert!(place(&raised) <= place(&second));
        }
    }
}
