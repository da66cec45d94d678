use std::fmt;

use serde::{Deserialize, Serialize};

use crate::RerankerDescription;

/// Where the scores come from that a calibration maps. A calibration holds for this source and no other.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum ScoreSource {
    /// A reranker's own scores.
    Reranker(RerankerDescription),
    /// The fused score of the retrievers.
    Fused {
        /// How it was made: retrievers and fusion, such as `hybrid, standardised scores`.
        joined: String,
        /// Hash of the index's fingerprint: embedder, chunker, analyser.
        fingerprint: String,
    },
    /// The score by token vectors.
    LateInteraction {
        /// Hash of the index's fingerprint.
        fingerprint: String,
    },
}

impl fmt::Display for ScoreSource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Reranker(reranker) => {
                write!(
                    formatter,
                    "the reranker {}@{} {}",
                    reranker.model, reranker.revision, reranker.precision
                )
            }
            Self::Fused { joined, fingerprint } => {
                write!(formatter, "the fused score ({joined}) of index {fingerprint}")
            }
            Self::LateInteraction { fingerprint } => {
                write!(formatter, "late interaction of index {fingerprint}")
            }
        }
    }
}

/// From a score to a probability of relevance; never falls with the score.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "method")]
pub enum CalibrationCurve {
    /// Isotonic regression: linear between the points, flat outside.
    Isotonic {
        /// Rising.
        scores: Vec<f64>,
        /// One for each score, not falling, 0 to 1.
        probabilities: Vec<f64>,
    },
    /// Platt scaling: `1 / (1 + exp(-(slope * score + intercept)))`.
    Platt {
        /// Not negative.
        slope: f64,
        /// Log-odds at score 0.
        intercept: f64,
    },
}

impl CalibrationCurve {
    /// The probability that a passage with this score is relevant, 0 to 1.
    #[must_use]
    pub fn probability(&self, score: f64) -> f64 {
        match self {
            Self::Platt { slope, intercept } => 1.0 / (1.0 + (-(slope * score + intercept)).exp()),
            Self::Isotonic { scores, probabilities } => interpolate(scores, probabilities, score),
        }
    }

    /// What is wrong with a curve that was read from a file.
    ///
    /// # Errors
    /// A sentence.
    pub fn check(&self) -> Result<(), String> {
        match self {
            Self::Platt { slope, intercept } => {
                let is_usable = slope.is_finite() && intercept.is_finite() && *slope >= 0.0;
                if is_usable { Ok(()) } else { Err("slope or intercept is not a usable number".to_owned()) }
            }
            Self::Isotonic { scores, probabilities } => {
                let rises = scores.is_sorted_by(|left, right| left < right);
                let holds = probabilities.is_sorted()
                    && probabilities.iter().all(|share| (0.0..=1.0).contains(share));
                if scores.is_empty() || scores.len() != probabilities.len() {
                    Err("scores and probabilities are not as many as each other".to_owned())
                } else if !rises || !holds || scores.iter().any(|score| !score.is_finite()) {
                    Err("scores must rise, and probabilities must not fall and lie between 0 and 1"
                        .to_owned())
                } else {
                    Ok(())
                }
            }
        }
    }
}

fn interpolate(scores: &[f64], probabilities: &[f64], score: f64) -> f64 {
    let above = scores.partition_point(|known| *known < score);
    let point = |index: usize| scores.get(index).copied().zip(probabilities.get(index).copied());
    match (above.checked_sub(1).and_then(point), point(above)) {
        (Some((low, share_low)), Some((high, share_high))) => {
            let share = if high > low { (score - low) / (high - low) } else { 1.0 };
            share_low + share * (share_high - share_low)
        }
        (Some((_, share)), None) | (None, Some((_, share))) => share,
        (None, None) => 0.0,
    }
}

/// A fitted map from scores to probabilities, with what it was fitted on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The scores it holds for.
    pub source: ScoreSource,
    /// The map.
    pub curve: CalibrationCurve,
    /// Name of the labelled data.
    pub fitted_on: String,
    /// Scored passages in it.
    pub pairs: usize,
    /// Of those, the relevant ones.
    pub relevant: usize,
    /// When, RFC 3339 in UTC.
    pub created: String,
}

impl Calibration {
    /// The first 16 hexadecimal digits of the hash over everything that decides a probability; part of a
    /// ranking's fingerprint.
    #[must_use]
    pub fn hash(&self) -> String {
        // Formatted, not serialised: the hash must not depend on a serialiser's spacing.
        let fields = format!("{:?}|{:?}|{}", self.source, self.curve, self.fitted_on);
        blake3::hash(fields.as_bytes()).to_hex().as_str().chars().take(16).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_isotonic_curve_is_linear_between_its_points_and_flat_outside() {
        let curve =
            CalibrationCurve::Isotonic { scores: vec![0.0, 1.0, 3.0], probabilities: vec![0.1, 0.5, 0.9] };
        curve.check().unwrap();
        for (score, expected) in [(-9.0, 0.1), (0.0, 0.1), (0.5, 0.3), (1.0, 0.5), (2.0, 0.7), (99.0, 0.9)] {
            assert!((curve.probability(score) - expected).abs() < 1e-12, "{score}");
        }
    }

    #[test]
    fn a_curve_that_falls_is_refused() {
        let falls = CalibrationCurve::Isotonic { scores: vec![0.0, 1.0], probabilities: vec![0.5, 0.4] };
        assert!(falls.check().is_err());
        assert!(CalibrationCurve::Isotonic { scores: vec![], probabilities: vec![] }.check().is_err());
        assert!(CalibrationCurve::Platt { slope: -1.0, intercept: 0.0 }.check().is_err());
        assert!(
            (CalibrationCurve::Platt { slope: 2.0, intercept: -2.0 }.probability(1.0) - 0.5).abs() < 1e-12
        );
    }

    #[test]
    fn the_hash_changes_with_the_source_and_the_curve() {
        let curve = CalibrationCurve::Platt { slope: 1.0, intercept: 0.0 };
        let source = ScoreSource::LateInteraction { fingerprint: "a".to_owned() };
        let first = Calibration {
            source,
            curve,
            fitted_on: "set".to_owned(),
            pairs: 10,
            relevant: 2,
            created: String::new(),
        };
        let other = Calibration {
            source: ScoreSource::LateInteraction { fingerprint: "b".to_owned() },
            ..first.clone()
        };
        assert_ne!(first.hash(), other.hash());
        assert_eq!(first.hash(), Calibration { created: "later".to_owned(), ..first.clone() }.hash());
    }
}
