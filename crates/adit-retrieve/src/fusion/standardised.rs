use adit_core::ChunkId;

/// A candidate with the score that each retriever gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// The chunk.
    pub chunk: ChunkId,
    /// BM25; 0 where none of the words matches.
    pub lexical: f32,
    /// Cosine; `None` for a chunk without a vector, which counts as the average.
    pub dense: Option<f32>,
}

/// Joins two retrievers by their scores, which are not comparable as they are: each retriever's scores are
/// brought to mean 0 and deviation 1 over this question's candidates, then summed, the dense one times
/// `dense_weight`. Every candidate has both scores, so standing in one list only costs nothing by itself.
/// A retriever that scores all candidates alike says nothing about their order and adds 0.
///
/// Returned best first, equal scores by rising chunk id, with the sum mapped to 0..1 by the logistic
/// function: 0.5 is the average candidate of this question, whatever the question.
#[must_use]
pub fn standardised_fusion(candidates: &[Candidate], dense_weight: f32) -> Vec<(ChunkId, f32)> {
    let words = Standard::of(candidates.iter().map(|candidate| candidate.lexical));
    let meaning = Standard::of(candidates.iter().filter_map(|candidate| candidate.dense));
    let dense_weight = f64::from(dense_weight.max(0.0));
    let mut fused: Vec<(ChunkId, f64)> = candidates
        .iter()
        .map(|candidate| {
            let dense = candidate.dense.map_or(0.0, |score| meaning.standardise(score));
            (candidate.chunk, words.standardise(candidate.lexical) + dense_weight * dense)
        })
        .collect();
    fused.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    let scale = 1.0 + dense_weight;
    #[expect(clippy::cast_possible_truncation, reason = "a score for display")]
    let score = |sum: f64| (1.0 / (1.0 + (-sum / scale).exp())) as f32;
    fused.into_iter().map(|(chunk, sum)| (chunk, score(sum))).collect()
}

/// Mean and deviation of one retriever's scores.
struct Standard {
    mean: f64,
    deviation: f64,
}

impl Standard {
    fn of(scores: impl Iterator<Item = f32> + Clone) -> Self {
        let count = scores.clone().count().max(1) as f64;
        let mean = scores.clone().map(f64::from).sum::<f64>() / count;
        let variance = scores.map(|score| (f64::from(score) - mean).powi(2)).sum::<f64>() / count;
        Self { mean, deviation: variance.sqrt() }
    }

    fn standardise(&self, score: f32) -> f64 {
        // Below this, scores differ by rounding only.
        if self.deviation < 1e-9 { 0.0 } else { (f64::from(score) - self.mean) / self.deviation }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn candidate(chunk: u32, lexical: f32, dense: f32) -> Candidate {
        Candidate { chunk: ChunkId(chunk), lexical, dense: Some(dense) }
    }

    fn order(fused: &[(ChunkId, f32)]) -> Vec<u32> {
        fused.iter().map(|(chunk, _)| chunk.0).collect()
    }

    #[test]
    fn scores_are_brought_to_one_scale() {
        // Lexical 12, 2, 1 has mean 5, deviation sqrt(74/3); dense .1, .9, .2 has mean .4, deviation sqrt(.38/3).
        let fused = standardised_fusion(
            &[candidate(1, 12.0, 0.1), candidate(2, 2.0, 0.9), candidate(3, 1.0, 0.2)],
            1.0,
        );
        assert_eq!(order(&fused), [2, 1, 3]);
        let (words, meaning) = ((74.0_f64 / 3.0).sqrt(), (0.38_f64 / 3.0).sqrt());
        let sum = (2.0 - 5.0) / words + (0.9 - 0.4) / meaning;
        let expected = 1.0 / (1.0 + (-sum / 2.0).exp());
        assert!((f64::from(fused[0].1) - expected).abs() < 1e-6, "{fused:?} {expected}");
    }

    #[test]
    fn degenerate_cases_have_an_order() {
        assert!(standardised_fusion(&[], 1.0).is_empty());
        assert_eq!(standardised_fusion(&[candidate(4, 3.0, 0.2)], 1.0), [(ChunkId(4), 0.5)]);
        // Words say nothing: meaning decides. Neither says anything: the ids decide.
        let words_alike = [candidate(1, 2.0, 0.1), candidate(2, 2.0, 0.3)];
        assert_eq!(order(&standardised_fusion(&words_alike, 1.0)), [2, 1]);
        assert_eq!(
            order(&standardised_fusion(&[candidate(2, 1.0, 0.1), candidate(1, 1.0, 0.1)], 1.0)),
            [1, 2]
        );
        // No vector counts as the average.
        let without = Candidate { chunk: ChunkId(3), lexical: 2.0, dense: None };
        assert_eq!(
            order(&standardised_fusion(&[candidate(1, 2.0, 0.1), candidate(2, 2.0, 0.3), without], 1.0)),
            [2, 3, 1]
        );
        // Weight 0 leaves the words' order.
        assert_eq!(
            order(&standardised_fusion(&[candidate(1, 1.0, 0.9), candidate(2, 2.0, 0.1)], 0.0)),
            [2, 1]
        );
    }

    fn candidates() -> impl Strategy<Value = Vec<Candidate>> {
        prop::collection::vec((0.0_f32..30.0, -1.0_f32..1.0), 1..40).prop_map(|scores| {
            scores
                .into_iter()
                .enumerate()
                .map(|(id, (lexical, dense))| candidate(id as u32, lexical, dense))
                .collect()
        })
    }

    proptest! {
        #[test]
        fn the_scale_of_a_retriever_does_not_matter(candidates in candidates(), factor in 0.5_f32..20.0) {
            let scaled: Vec<Candidate> = candidates
                .iter()
                .map(|one| Candidate { lexical: one.lexical * factor + 3.0, ..*one })
                .collect();
            let (plain, scaled) = (standardised_fusion(&candidates, 1.0), standardised_fusion(&scaled, 1.0));
            let score = |fused: &[(ChunkId, f32)], chunk: ChunkId| {
                fused.iter().find(|(id, _)| *id == chunk).unwrap().1
            };
            for one in &candidates {
                prop_assert!((score(&plain, one.chunk) - score(&scaled, one.chunk)).abs() < 1e-3);
            }
        }

        #[test]
        fn scores_fall_and_stay_between_0_and_1(candidates in candidates(), weight in 0.0_f32..4.0) {
            let fused = standardised_fusion(&candidates, weight);
            prop_assert_eq!(fused.len(), candidates.len());
            prop_assert!(fused.is_sorted_by(|left, right| left.1 >= right.1));
            prop_assert!(fused.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
        }

        #[test]
        fn a_candidate_that_is_better_in_both_is_never_below(candidates in candidates()) {
            let fused = standardised_fusion(&candidates, 1.0);
            let place = |chunk: ChunkId| fused.iter().position(|(id, _)| *id == chunk).unwrap();
            for left in &candidates {
                for right in &candidates {
                    if left.lexical > right.lexical && left.dense > right.dense {
                        prop_assert!(place(left.chunk) < place(right.chunk));
                    }
                }
            }
        }
    }
}
