use serde::{Deserialize, Serialize};

use super::random_numbers::RandomNumbers;
use super::{are_finite, mean};

/// A mean and how far chance may have moved it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Mean of the values.
    pub mean: f64,
    /// Lower end of the confidence interval.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// The percentile bootstrap of a mean (Efron 1979): draws as many values as there are, with replacement,
/// `resamples` times, and cuts the same share off both ends of the drawn means. `confidence` is the share
/// that stays, such as 0.95. The same seed gives the same interval.
///
/// `None` without values or resamples, with a value that is not finite, or with a confidence that does not
/// lie between 0 and 1.
#[must_use]
pub fn bootstrap_mean(values: &[f64], resamples: usize, confidence: f64, seed: u64) -> Option<Interval> {
    let is_share = confidence > 0.0 && confidence < 1.0;
    if values.is_empty() || resamples == 0 || !is_share || !are_finite(values) {
        return None;
    }
    let mut random = RandomNumbers::new(seed);
    let mut means: Vec<f64> = (0..resamples).map(|_| drawn_mean(values, &mut random)).collect();
    means.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Some(Interval { mean: mean(values), low: quantile(&means, tail)?, high: quantile(&means, 1.0 - tail)? })
}

fn drawn_mean(values: &[f64], random: &mut RandomNumbers) -> f64 {
    let draw = |_| values.get(random.below(values.len())).copied().unwrap_or_default();
    (0..values.len()).map(draw).sum::<f64>() / values.len() as f64
}

/// Between two order statistics the line that joins them, as numpy's `percentile` has it.
fn quantile(sorted: &[f64], share: f64) -> Option<f64> {
    let position = share * sorted.len().checked_sub(1)? as f64;
    let lower = *sorted.get(position.floor() as usize)?;
    let upper = *sorted.get(position.ceil() as usize)?;
    Some(lower + (upper - lower) * position.fract())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_to_draw_from_gives_no_interval() {
        assert_eq!(bootstrap_mean(&[], 100, 0.95, 1), None);
        assert_eq!(bootstrap_mean(&[1.0], 0, 0.95, 1), None);
        assert_eq!(bootstrap_mean(&[1.0, f64::NAN], 100, 0.95, 1), None);
        for confidence in [0.0, 1.0, -0.5, f64::NAN] {
            assert_eq!(bootstrap_mean(&[1.0], 100, confidence, 1), None);
        }
    }

    #[test]
    fn equal_values_leave_no_room_for_chance() {
        let interval = bootstrap_mean(&[0.3; 7], 100, 0.95, 1).unwrap();
        assert_eq!((interval.low, interval.high), (interval.mean, interval.mean));
    }

    #[test]
    fn the_seed_decides_the_draws() {
        let values: Vec<f64> = (0..30).map(|i| f64::from(i) / 7.0).collect();
        let of_seed = |seed| bootstrap_mean(&values, 200, 0.9, seed);
        assert_eq!(of_seed(3), of_seed(3));
        assert_ne!(of_seed(3), of_seed(4));
    }

    #[test]
    fn quantiles_lie_on_the_line_between_neighbours() {
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 0.75), Some(3.0));
        assert_eq!(quantile(&[1.0, 2.0, 4.0], 1.0), Some(4.0));
        assert_eq!(quantile(&[], 0.5), None);
    }
}
