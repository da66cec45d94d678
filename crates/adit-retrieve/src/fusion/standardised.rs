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
    /// MaxSim; `None` for a chunk without token codes, which counts as the average.
    pub late_interaction: Option<f32>,
}

/// What the other scores count beside the words' own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FusionWeights {
    /// Of the cosine.
    pub dense: f32,
    /// Of MaxSim.
    pub late_interaction: f32,
}

/// Joins scores that are not comparable as they are: each retriever's are brought to mean 0 and deviation 1
/// over this question's candidates, then summed, each times its weight. Every candidate has all scores, so standing in one list only costs nothing by itself.
/// A retriever that scores all candidates alike says nothing about their order and adds 0.
///
/// Returned best first, equal scores by rising chunk id, with the sum mapped to 0..1 by the logistic
/// function: 0.5 is the average candidate of this question, whatever the question.
#[must_use]
pub fn standardised_fusion(candidates: &[Candidate], weights: FusionWeights) -> Vec<(ChunkId, f32)> {
    let words = Standard::of(candidates.iter().map(|candidate| candidate.lexical));
    let meaning = Standard::of(candidates.iter().filter_map(|candidate| candidate.dense));
    let tokens = Standard::of(candidates.iter().filter_map(|candidate| candidate.late_interaction));
    let dense_weight = f64::from(weights.dense.max(0.0));
    // Scores that no candidate has widen no scale.
    let has_tokens = candidates.iter().any(|candidate| candidate.late_interaction.is_some());
    let token_weight = if has_tokens { f64::from(weights.late_interaction.max(0.0)) } else { 0.0 };
    let mut fused: Vec<(ChunkId, f64)> = candidates
        .iter()
        .map(|candidate| {
            let dense = candidate.dense.map_or(0.0, |score| meaning.standardise(score));
            let late = candidate.late_interaction.map_or(0.0, |score| tokens.standardise(score));
            let sum = words.standardise(candidate.lexical) + dense_weight * dense + token_weight * late;
            (candidate.chunk, sum)
        })
        .collect();
    fused.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    let scale = 1.0 + dense_weight + token_weight;
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
        Candidate { chunk: ChunkId(chunk), lexical, dense: Some(dense), late_interaction: None }
    }

    fn fused_with(candidates: &[Candidate], dense: f32) -> Vec<(ChunkId, f32)> {
        standardised_fusion(candidates, FusionWeights { dense, late_interaction: 1.0 })
    }

    fn order(fused: &[(ChunkId, f32)]) -> Vec<u32> {
        fused.iter().map(|(chunk, _)| chunk.0).collect()
    }

    #[test]
    fn scores_are_brought_to_one_scale() {
        // Lexical 12, 2, 1 has mean 5, deviation sqrt(74/3); dense .1, .9, .2 has mean .4, deviation sqrt(.38/3).
        let fused =
            fused_with(&[candidate(1, 12.0, 0.1), candidate(2, 2.0, 0.9), candidate(3, 1.0, 0.2)], 1.0);
        assert_eq!(order(&fused), [2, 1, 3]);
        let (words, meaning) = ((74.0_f64 / 3.0).sqrt(), (0.38_f64 / 3.0).sqrt());
        let sum = (2.0 - 5.0) / words + (0.9 - 0.4) / meaning;
        let expected = 1.0 / (1.0 + (-sum / 2.0).exp());
        assert!((f64::from(fused[0].1) - expected).abs() < 1e-6, "{fused:?} {expected}");
    }

    #[test]
    fn degenerate_cases_have_an_order() {
        assert!(fused_with(&[], 1.0).is_empty());
        assert_eq!(fused_with(&[candidate(4, 3.0, 0.2)], 1.0), [(ChunkId(4), 0.5)]);
        // Words say nothing: meaning decides. Neither says anything: the ids decide.
        let words_alike = [candidate(1, 2.0, 0.1), candidate(2, 2.0, 0.3)];
        assert_eq!(order(&fused_with(&words_alike, 1.0)), [2, 1]);
        assert_eq!(order(&fused_with(&[candidate(2, 1.0, 0.1), candidate(1, 1.0, 0.1)], 1.0)), [1, 2]);
        // No vector counts as the average.
        let without = Candidate { dense: None, ..candidate(3, 2.0, 0.0) };
        assert_eq!(
            order(&fused_with(&[candidate(1, 2.0, 0.1), candidate(2, 2.0, 0.3), without], 1.0)),
            [2, 3, 1]
        );
        // Weight 0 leaves the words' order.
        assert_eq!(order(&fused_with(&[candidate(1, 1.0, 0.9), candidate(2, 2.0, 0.1)], 0.0)), [2, 1]);
    }

    #[test]
    fn token_scores_are_a_third_voice() {
        let with =
            |chunk, lexical, score| Candidate { late_interaction: score, ..candidate(chunk, lexical, 0.5) };
        let candidates = [with(1, 3.0, Some(1.0)), with(2, 2.0, Some(9.0)), with(3, 1.0, Some(2.0))];
        assert_eq!(order(&fused_with(&candidates, 1.0)), [2, 1, 3]);
        // Lexical 3, 2, 1 has mean 2, deviation sqrt(2/3); MaxSim 1, 9, 2 has mean 4, deviation sqrt(38/3).
        let sum = (9.0 - 4.0) / (38.0_f64 / 3.0).sqrt();
        let expected = 1.0 / (1.0 + (-sum / 3.0).exp());
        assert!((f64::from(fused_with(&candidates, 1.0)[0].1) - expected).abs() < 1e-6);
        let silent = standardised_fusion(&candidates, FusionWeights { dense: 1.0, late_interaction: 0.0 });
        assert_eq!(order(&silent), [1, 2, 3]);
        // No codes counts as the average.
        let without = [with(1, 2.0, Some(1.0)), with(2, 2.0, Some(9.0)), with(3, 2.0, None)];
        assert_eq!(order(&fused_with(&without, 1.0)), [2, 3, 1]);
        // Where no candidate has codes, the score is that of two voices.
        let plain = [candidate(1, 3.0, 0.1), candidate(2, 1.0, 0.9)];
        let two = standardised_fusion(&plain, FusionWeights { dense: 1.0, late_interaction: 0.0 });
        assert_eq!(fused_with(&plain, 1.0), two);
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
            let (plain, scaled) = (fused_with(&candidates, 1.0), fused_with(&scaled, 1.0));
            let score = |fused: &[(ChunkId, f32)], chunk: ChunkId| {
                fused.iter().find(|(id, _)| *id == chunk).unwrap().1
            };
            for one in &candidates {
                prop_assert!((score(&plain, one.chunk) - score(&scaled, one.chunk)).abs() < 1e-3);
            }
        }

        #[test]
        fn scores_fall_and_stay_between_0_and_1(candidates in candidates(), weight in 0.0_f32..4.0) {
            let fused = fused_with(&candidates, weight);
            prop_assert_eq!(fused.len(), candidates.len());
            prop_assert!(fused.is_sorted_by(|left, right| left.1 >= right.1));
            prop_assert!(fused.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
        }

        #[test]
        fn a_candidate_that_is_better_in_both_is_never_below(candidates in candidates()) {
            let fused = fused_with(&candidates, 1.0);
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
