use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use super::features::EvidenceFeatures;

/// Made by `adit eval answers SET ... --fit FILE`; see docs/measurements/answers.md.
const FILE: &str = include_str!("calibration.json");

static CALIBRATIONS: LazyLock<Vec<EvidenceCalibration>> =
    LazyLock::new(|| serde_json::from_str(FILE).unwrap_or_default());

/// Whether the passages hold the answer (Yan et al. 2024, "Corrective Retrieval Augmented Generation").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Sufficiency {
    /// Hardly.
    Incorrect,
    /// It cannot be told.
    Ambiguous,
    /// Probably.
    Correct,
}

/// A logistic regression over [`EvidenceFeatures`], and the two thresholds on what it gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EvidenceCalibration {
    /// The embedder whose cosines it knows; none for a search by words alone.
    pub embedder: Option<String>,
    /// The sets it was fitted on.
    pub fitted_on: Vec<String>,
    /// Logit of the probability when every feature has its mean.
    pub intercept: f64,
    /// What each feature counts.
    pub coefficients: Vec<Coefficient>,
    /// Below this probability the evidence is [`Sufficiency::Incorrect`].
    pub incorrect_below: f64,
    /// From this probability on it is [`Sufficiency::Correct`].
    pub correct_from: f64,
}

/// What one feature counts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Coefficient {
    /// As [`EvidenceFeatures::named`] calls it.
    pub feature: String,
    /// Its mean over the sets.
    pub mean: f64,
    /// Its deviation.
    pub deviation: f64,
    /// What one deviation more adds to the logit.
    pub weight: f64,
}

impl EvidenceCalibration {
    /// The calibration for the cosines of `embedder`; that for words alone where there is none.
    pub(super) fn of(embedder: Option<&str>) -> Option<&'static Self> {
        let find = |wanted: Option<&str>| CALIBRATIONS.iter().find(|one| one.embedder.as_deref() == wanted);
        find(embedder).or_else(|| find(None))
    }

    /// The probability that the passages hold the answer.
    #[must_use]
    pub fn probability(&self, features: &EvidenceFeatures) -> f64 {
        let named = features.named();
        let mut logit = self.intercept;
        for coefficient in &self.coefficients {
            let value = named.iter().find(|(name, _)| *name == coefficient.feature);
            let value = value.map_or(coefficient.mean, |(_, value)| f64::from(*value));
            // A feature that never varied says nothing.
            let deviation = if coefficient.deviation > 0.0 { coefficient.deviation } else { 1.0 };
            logit += coefficient.weight * (value - coefficient.mean) / deviation;
        }
        1.0 / (1.0 + (-logit).exp())
    }

    /// Which side of the thresholds `probability` lies on.
    #[must_use]
    pub fn sufficiency(&self, probability: f64) -> Sufficiency {
        if probability < self.incorrect_below {
            Sufficiency::Incorrect
        } else if probability < self.correct_from {
            Sufficiency::Ambiguous
        } else {
            Sufficiency::Correct
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_a_calibration_with_and_without_cosines() {
        assert!(!CALIBRATIONS.is_empty(), "the calibration file does not parse");
        let words = EvidenceCalibration::of(None).unwrap();
        assert!(words.coefficients.iter().all(|one| !one.feature.contains("cosine")));
        assert_eq!(EvidenceCalibration::of(Some("unknown")), Some(words));
        assert!(EvidenceCalibration::of(Some("all-MiniLM-L6-v2")).unwrap().embedder.is_some());
        let names = EvidenceFeatures::default().named();
        for one in CALIBRATIONS.iter() {
            assert!(one.incorrect_below < one.correct_from);
            assert!(one.coefficients.iter().all(|c| names.iter().any(|(name, _)| *name == c.feature)));
        }
    }

    #[test]
    fn more_of_the_words_is_never_less_probable() {
        for one in CALIBRATIONS.iter() {
            let none = EvidenceFeatures { identifiers_covered: 1.0, ..EvidenceFeatures::default() };
            let all = EvidenceFeatures {
                best_passage_coverage: 1.0,
                best_sentences_coverage: 1.0,
                all_passages_coverage: 1.0,
                rarest_covered: 1.0,
                names_covered: 1.0,
                top_cosine: 0.8,
                ..none
            };
            assert!(one.probability(&all) > one.probability(&none));
        }
    }
}
