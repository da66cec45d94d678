//! What it means to multiply a fused score.

use adit_core::SignalFactor;

use super::settings::FACTOR_BOUNDS;
use crate::Fusion;

/// Scores at the very ends have no finite odds.
const EDGE: f64 = 1e-6;

/// The product of `factors` inside [`FACTOR_BOUNDS`]; where that cuts something off, another factor that
/// says so is added, so that the factors of a trace always multiply to what was applied.
pub(super) fn bounded_product(factors: &mut Vec<SignalFactor>) -> f64 {
    let product: f64 = factors.iter().map(|one| f64::from(one.factor)).product();
    let (low, high) = FACTOR_BOUNDS;
    let bounded = product.clamp(low, high);
    if (bounded - product).abs() > 1e-6 {
        #[expect(clippy::cast_possible_truncation, reason = "for display")]
        let factor = (bounded / product) as f32;
        factors.push(SignalFactor {
            signal: "bound".to_owned(),
            factor,
            reason: format!("all signals together stay between {low} and {high}"),
        });
    }
    bounded
}

/// Applies each candidate's factor to its score and leaves the candidates best first; equal scores keep
/// their order.
///
/// The standardised score is a logistic map of a sum, crowded towards 1 at the top, where a plain product
/// would leave 0..1 and mean something else for every candidate. So its *odds* are multiplied: `p/(1-p)`
/// becomes `f p/(1-p)`, which adds `ln f` to the sum before the map. That is one shift wherever the
/// candidate stands, stays strictly between 0 and 1, keeps the order among candidates of one factor, and
/// does nothing at 1.
///
/// The reciprocal rank score is a share of the largest possible one. It is multiplied as it is, and all are
/// divided by the largest factor above 1, which keeps them at most 1 and changes no order.
pub(super) fn multiply<T>(candidates: &mut [(T, f32)], factors: &[f64], fusion: Fusion) {
    let largest = factors.iter().copied().fold(1.0, f64::max);
    for ((_, score), factor) in candidates.iter_mut().zip(factors) {
        *score = match fusion {
            Fusion::Standardised => times_odds(*score, *factor),
            Fusion::ReciprocalRank => narrowed(f64::from(*score) * factor / largest),
        };
    }
    candidates.sort_by(|left, right| right.1.total_cmp(&left.1));
}

fn times_odds(score: f32, factor: f64) -> f32 {
    if factor == 1.0 {
        return score;
    }
    let share = f64::from(score).clamp(EDGE, 1.0 - EDGE);
    let odds = share / (1.0 - share) * factor;
    narrowed(odds / (1.0 + odds))
}

#[expect(clippy::cast_possible_truncation, reason = "scores are 32-bit floats")]
fn narrowed(score: f64) -> f32 {
    score as f32
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn factor(value: f32) -> SignalFactor {
        SignalFactor { signal: "authority".to_owned(), factor: value, reason: String::new() }
    }

    #[test]
    fn odds_are_multiplied() {
        // Odds 3 and 1; times 0.5 and 2: 1.5 and 2.
        let mut scores = [("a", 0.75_f32), ("b", 0.5)];
        multiply(&mut scores, &[0.5, 2.0], Fusion::Standardised);
        assert_eq!(scores.map(|(name, _)| name), ["b", "a"]);
        assert!((scores[0].1 - 2.0 / 3.0).abs() < 1e-6 && (scores[1].1 - 0.6).abs() < 1e-6);
    }

    #[test]
    fn shares_of_reciprocal_ranks_are_multiplied_and_stay_shares() {
        let mut scores = [("a", 1.0_f32), ("b", 0.8)];
        multiply(&mut scores, &[1.0, 1.5], Fusion::ReciprocalRank);
        assert_eq!(scores.map(|(name, _)| name), ["b", "a"]);
        assert!((scores[0].1 - 0.8).abs() < 1e-6 && (scores[1].1 - 1.0 / 1.5).abs() < 1e-6);
    }

    #[test]
    fn factors_together_are_bounded_and_say_so() {
        let mut factors = vec![factor(3.0), factor(3.0)];
        assert!((bounded_product(&mut factors) - 4.0).abs() < 1e-6);
        let all: f32 = factors.iter().map(|one| one.factor).product();
        assert!((all - 4.0).abs() < 1e-4 && factors[2].signal == "bound");
        let mut factors = vec![factor(1.5), factor(0.7)];
        assert!((bounded_product(&mut factors) - 1.05).abs() < 1e-6);
        assert_eq!(factors.len(), 2);
    }

    proptest! {
        #[test]
        fn scores_stay_between_0_and_1_and_a_higher_factor_never_lowers(
            scores in prop::collection::vec((0.0_f32..=1.0, 0.25_f64..4.0), 1..30),
            standardised in any::<bool>(),
        ) {
            let fusion = if standardised { Fusion::Standardised } else { Fusion::ReciprocalRank };
            let mut candidates: Vec<(usize, f32)> = scores.iter().map(|(score, _)| *score).enumerate().collect();
            let factors: Vec<f64> = scores.iter().map(|(_, factor)| *factor).collect();
            multiply(&mut candidates, &factors, fusion);
            prop_assert!(candidates.is_sorted_by(|left, right| left.1 >= right.1));
            prop_assert!(candidates.iter().all(|(_, score)| (0.0..=1.0).contains(score)));
            let place = |one: usize| candidates.iter().position(|(id, _)| *id == one).unwrap();
            for (left, (left_score, left_factor)) in scores.iter().enumerate() {
                for (right, (right_score, right_factor)) in scores.iter().enumerate() {
                    if left_score > right_score && left_factor >= right_factor {
                        prop_assert!(place(left) < place(right) || (left_score - right_score) < 1e-5);
                    }
                }
            }
        }

        #[test]
        fn the_factor_1_changes_nothing(scores in prop::collection::vec(0.0_f32..=1.0, 1..30)) {
            let mut sorted = scores;
            sorted.sort_by(|left, right| right.total_cmp(left));
            let before: Vec<(usize, f32)> = sorted.iter().copied().enumerate().collect();
            for fusion in [Fusion::Standardised, Fusion::ReciprocalRank] {
                let mut after = before.clone();
                multiply(&mut after, &vec![1.0; before.len()], fusion);
                prop_assert_eq!(&before, &after);
            }
        }
    }
}
