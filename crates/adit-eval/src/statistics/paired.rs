use serde::{Deserialize, Serialize};

use super::random_numbers::RandomNumbers;
use super::{differences, mean};

/// Up to so many pairs that differ, every assignment of signs is tried: 2^16 sums.
const MOST_PAIRS_TO_ENUMERATE: usize = 16;
/// Sums this close, measured by the sum of the sizes, are the same sum added in another order.
const ROUNDING: f64 = 1e-12;

/// What changed from one run to another, before asking whether it is chance.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Effect {
    /// Mean of right less left.
    pub mean_difference: f64,
    /// Questions at which `right` is higher.
    pub wins: usize,
    /// Questions at which `right` is lower.
    pub losses: usize,
    /// Questions at which both are equal.
    pub ties: usize,
}

/// Mean difference, wins, losses and ties of `right` against `left`. `None` unless both have the same
/// number of values, at least one, all finite.
#[must_use]
pub fn effect(left: &[f64], right: &[f64]) -> Option<Effect> {
    let differences = differences(left, right)?;
    let wins = differences.iter().filter(|difference| **difference > 0.0).count();
    let losses = differences.iter().filter(|difference| **difference < 0.0).count();
    let ties = differences.len() - wins - losses;
    Some(Effect { mean_difference: mean(&differences), wins, losses, ties })
}

/// Two-sided p-value of Fisher's paired randomisation test (1935; Smucker, Allan and Carterette 2007 for
/// retrieval): how often a mean difference at least as large appears when each question's two values change
/// places by the toss of a coin.
///
/// Exact when at most 16 pairs differ; pairs that do not differ change no sum, so leaving them out keeps the
/// value. Otherwise `permutations` random assignments of which `b` are as extreme give
/// (b + 1) / (permutations + 1) (Phipson and Smyth 2010), which is never 0. The same seed gives the same value.
///
/// `None` unless both have the same number of values, at least one, all finite; and for 0 permutations where
/// some are needed.
#[must_use]
pub fn paired_randomisation_test(left: &[f64], right: &[f64], permutations: usize, seed: u64) -> Option<f64> {
    let mut differing = differences(left, right)?;
    differing.retain(|difference| *difference != 0.0);
    let size: f64 = differing.iter().map(|difference| difference.abs()).sum();
    let observed = differing.iter().sum::<f64>().abs() - size * ROUNDING;
    if differing.len() <= MOST_PAIRS_TO_ENUMERATE {
        let assignments = 1_u64 << differing.len();
        let extreme = (0..assignments).filter(|signs| signed_sum(&differing, *signs).abs() >= observed);
        return Some(extreme.count() as f64 / assignments as f64);
    }
    if permutations == 0 {
        return None;
    }
    let mut random = RandomNumbers::new(seed);
    let extreme =
        (0..permutations).filter(|_| randomly_signed_sum(&differing, &mut random).abs() >= observed);
    Some((extreme.count() + 1) as f64 / (permutations + 1) as f64)
}

/// Bit `i` of `signs` turns difference `i` round; at most 64 differences.
fn signed_sum(differences: &[f64], signs: u64) -> f64 {
    let signed = |(index, difference): (usize, &f64)| {
        if signs >> index & 1 == 1 { -difference } else { *difference }
    };
    differences.iter().enumerate().map(signed).sum()
}

fn randomly_signed_sum(differences: &[f64], random: &mut RandomNumbers) -> f64 {
    differences.chunks(64).map(|chunk| signed_sum(chunk, random.bits())).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_wins_losses_and_ties_of_the_right() {
        let effect = effect(&[0.0, 0.5, 1.0, 0.25], &[1.0, 0.5, 0.5, 0.5]).unwrap();
        assert_eq!((effect.wins, effect.losses, effect.ties), (2, 1, 1));
        assert!((effect.mean_difference - 0.1875).abs() < 1e-12);
    }

    #[test]
    fn values_that_are_not_pairs_are_refused() {
        for (left, right) in [(vec![], vec![]), (vec![1.0], vec![]), (vec![1.0], vec![f64::NAN])] {
            assert_eq!(effect(&left, &right), None);
            assert_eq!(paired_randomisation_test(&left, &right, 100, 1), None);
        }
    }

    #[test]
    fn equal_runs_differ_by_chance_alone() {
        assert_eq!(paired_randomisation_test(&[0.5; 40], &[0.5; 40], 100, 1), Some(1.0));
    }

    #[test]
    fn pairs_that_do_not_differ_leave_the_test_exact() {
        // Three wins among forty pairs: all signs equal is 2 of 8 assignments, whatever the seed.
        let mut right = vec![0.5; 40];
        right[3..6].fill(0.75);
        for seed in 0..5 {
            assert_eq!(paired_randomisation_test(&[0.5; 40], &right, 100, seed), Some(0.25));
        }
    }

    #[test]
    fn a_sampled_value_is_never_zero_and_needs_permutations() {
        let (left, right) = ([0.0; 100], [1.0; 100]);
        assert_eq!(paired_randomisation_test(&left, &right, 999, 1), Some(1.0 / 1000.0));
        assert_eq!(paired_randomisation_test(&left, &right, 0, 1), None);
    }

    #[test]
    fn sums_of_equal_size_in_another_order_count_as_extreme() {
        // 0.1 + 0.2 + 0.3 and 0.3 + 0.2 + 0.1 differ in the last bit.
        let left = [0.0; 6];
        let right = [0.1, 0.2, 0.3, -0.1, -0.2, 0.3];
        let turned: Vec<f64> = right.iter().rev().copied().collect();
        let value = |right: &[f64]| paired_randomisation_test(&left, right, 1, 1);
        assert_eq!(value(&right), value(&turned));
    }
}
