use std::collections::BTreeMap;

use serde::Deserialize;

use crate::ModelError;

/// How a cross-encoder's logits become one score.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Labels {
    /// Logits of one input.
    pub(super) count: usize,
    /// Index of the label that means "relevant".
    positive: usize,
    /// Each label has a probability of its own (sigmoid) instead of a share of one (softmax).
    are_independent: bool,
}

#[derive(Deserialize, Default)]
struct LabelConfig {
    #[serde(default)]
    id2label: Option<BTreeMap<String, String>>,
    #[serde(default)]
    num_labels: Option<usize>,
    #[serde(default)]
    problem_type: Option<String>,
}

/// What models call the label that is wanted.
const POSITIVE_NAMES: [&str; 7] =
    ["relevant", "yes", "true", "positive", "entailment", "duplicate", "is_relevant"];

impl Labels {
    /// What `config.json` says.
    ///
    /// # Errors
    /// [`ModelError::Unsupported`] for three labels or more of which none has a name that means "relevant".
    pub(super) fn parse(config: &[u8]) -> Result<Self, ModelError> {
        let config: LabelConfig = serde_json::from_slice(config)
            .map_err(|error| ModelError::unsupported(format!("config.json: {error}")))?;
        let names = config.id2label.unwrap_or_default();
        // `transformers` writes no id2label where there are two labels without names.
        let count = if names.is_empty() { config.num_labels.unwrap_or(2) } else { names.len() };
        let named = names.iter().find_map(|(index, name)| {
            let is_positive = POSITIVE_NAMES.contains(&name.to_ascii_lowercase().as_str());
            is_positive.then(|| index.parse::<usize>().ok())?
        });
        let positive = match (count, named) {
            (0, _) => return Err(ModelError::unsupported("the model has no label")),
            (_, Some(index)) if index < count => index,
            (1, _) => 0,
            // Of two unnamed labels the second is the positive one, as binary classifiers are trained.
            (2, _) => 1,
            _ => {
                return Err(ModelError::unsupported(format!(
                    "none of the {count} labels is called {}",
                    POSITIVE_NAMES.join(", ")
                )));
            }
        };
        let are_independent = config.problem_type.as_deref() == Some("multi_label_classification");
        Ok(Self { count, positive, are_independent })
    }

    /// The log-odds of "relevant": the logit where there is one label or labels are independent (its sigmoid is
    /// the model's probability), else the logit over those of all other labels together (its sigmoid is the
    /// share that softmax gives). Log-odds, because a probability near 1 has no digits left to rank by.
    pub(super) fn score(self, logits: &[f32]) -> Option<f32> {
        if logits.len() != self.count {
            return None;
        }
        let own = *logits.get(self.positive)?;
        if self.count == 1 || self.are_independent {
            return Some(own);
        }
        let others = || logits.iter().enumerate().filter(|(index, _)| *index != self.positive);
        let largest = others().map(|(_, logit)| *logit).fold(f32::NEG_INFINITY, f32::max);
        let sum: f32 = others().map(|(_, logit)| (logit - largest).exp()).sum();
        Some(own - (largest + sum.ln()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sigmoid(value: f32) -> f32 {
        1.0 / (1.0 + (-value).exp())
    }

    #[test]
    fn one_label_is_its_own_score() {
        let labels = Labels::parse(br#"{"id2label":{"0":"LABEL_0"}}"#).unwrap();
        assert_eq!(labels.score(&[-3.5]), Some(-3.5));
        assert_eq!(labels.score(&[1.0, 2.0]), None);
    }

    #[test]
    fn two_labels_score_as_softmax_or_sigmoid() {
        let labels = Labels::parse(b"{}").unwrap();
        let softmax = 1.5_f32.exp() / (1.5_f32.exp() + (-0.5_f32).exp());
        assert!((sigmoid(labels.score(&[-0.5, 1.5]).unwrap()) - softmax).abs() < 1e-6);
        let independent = br#"{"num_labels":2,"problem_type":"multi_label_classification"}"#;
        assert_eq!(Labels::parse(independent).unwrap().score(&[-0.5, 1.5]), Some(1.5));
    }

    #[test]
    fn a_named_label_is_taken_and_none_is_guessed() {
        let named = br#"{"id2label":{"0":"contradiction","1":"Entailment","2":"neutral"}}"#;
        let labels = Labels::parse(named).unwrap();
        let total: f32 = [0.2_f32, 1.0, -0.3].iter().map(|logit| logit.exp()).sum();
        assert!((sigmoid(labels.score(&[0.2, 1.0, -0.3]).unwrap()) - 1.0_f32.exp() / total).abs() < 1e-6);
        assert!(Labels::parse(br#"{"id2label":{"0":"a","1":"b","2":"c"}}"#).is_err());
    }
}
