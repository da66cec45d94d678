use serde::{Deserialize, Serialize};

/// Bins of a reliability curve.
const BINS: usize = 10;
/// A probability of 0 or 1 that turns out wrong would cost infinitely much.
const LEAST_PROBABILITY: f64 = 1e-6;

/// What was predicted for a passage, and whether it was relevant.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prediction {
    /// 0 to 1.
    pub probability: f64,
    /// As labelled.
    pub is_relevant: bool,
}

/// How often passages of about one predicted probability were relevant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReliabilityBin {
    /// Least probability in it.
    pub from: f64,
    /// Greatest.
    pub to: f64,
    /// Passages.
    pub count: usize,
    /// Mean of what was predicted; 0 for an empty bin.
    pub predicted: f64,
    /// Share that was relevant; 0 for an empty bin.
    pub observed: f64,
}

/// How well probabilities hold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Reliability {
    /// Mean of `-ln` of the probability given to what was the case.
    pub log_loss: f64,
    /// Mean squared error (Brier 1950).
    pub brier: f64,
    /// Expected calibration error: mean distance of prediction and observation over ten bins of equal width,
    /// weighted by their passages (Naeini, Cooper and Hauskrecht 2015).
    pub expected_calibration_error: f64,
    /// The reliability curve over the same bins.
    pub bins: Vec<ReliabilityBin>,
}

/// Measures `predictions`; `None` where there are none.
#[must_use]
pub fn reliability(predictions: &[Prediction]) -> Option<Reliability> {
    if predictions.is_empty() {
        return None;
    }
    let count = predictions.len() as f64;
    let mean = |value: &dyn Fn(&Prediction) -> f64| predictions.iter().map(value).sum::<f64>() / count;
    let bins: Vec<ReliabilityBin> = (0..BINS).map(|bin| bin_of(predictions, bin)).collect();
    let distance = |bin: &ReliabilityBin| (bin.predicted - bin.observed).abs() * bin.count as f64 / count;
    Some(Reliability {
        log_loss: mean(&|one| log_loss(*one)),
        brier: mean(&|one| (one.probability - f64::from(u8::from(one.is_relevant))).powi(2)),
        expected_calibration_error: bins.iter().map(distance).sum(),
        bins,
    })
}

/// `-ln` of the probability given to what was the case.
pub(super) fn log_loss(prediction: Prediction) -> f64 {
    let probability = prediction.probability.clamp(LEAST_PROBABILITY, 1.0 - LEAST_PROBABILITY);
    -if prediction.is_relevant { probability.ln() } else { (1.0 - probability).ln() }
}

fn bin_of(predictions: &[Prediction], bin: usize) -> ReliabilityBin {
    let (from, to) = (bin as f64 / BINS as f64, (bin + 1) as f64 / BINS as f64);
    let is_last = bin + 1 == BINS;
    let inside: Vec<&Prediction> = predictions
        .iter()
        .filter(|one| one.probability >= from && (one.probability < to || is_last))
        .collect();
    let share = |sum: f64| if inside.is_empty() { 0.0 } else { sum / inside.len() as f64 };
    ReliabilityBin {
        from,
        to,
        count: inside.len(),
        predicted: share(inside.iter().map(|one| one.probability).sum()),
        observed: share(inside.iter().filter(|one| one.is_relevant).count() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_compare_what_was_said_with_what_was_seen() {
        let one = |probability, is_relevant| Prediction { probability, is_relevant };
        let told =
            reliability(&[one(0.05, false), one(0.95, true), one(0.95, false), one(1.0, true)]).unwrap();
        assert_eq!(told.bins.iter().map(|bin| bin.count).sum::<usize>(), 4);
        let last = &told.bins[9];
        assert_eq!(last.count, 3);
        assert!((last.observed - 2.0 / 3.0).abs() < 1e-12 && (last.predicted - 2.9 / 3.0).abs() < 1e-12);
        // (0.05 * 1 + 0.3 * 3) / 4
        assert!((told.expected_calibration_error - (0.05 + 0.9) / 4.0).abs() < 1e-12);
        let brier = (0.05_f64.powi(2) + 0.05_f64.powi(2) + 0.95_f64.powi(2)) / 4.0;
        assert!((told.brier - brier).abs() < 1e-12);
        assert!(reliability(&[]).is_none());
    }
}
