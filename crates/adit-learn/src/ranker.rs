use serde::{Deserialize, Serialize};

use crate::tree::Tree;

/// A trained ranker: the sum of its trees' values is a score, higher for what should stand higher. Scores of
/// different questions cannot be compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Ranker {
    feature_names: Vec<String>,
    /// Fingerprint of the index whose candidates it was trained on; empty where it was not said.
    #[serde(default)]
    fingerprint: String,
    /// What it was trained on and what it reached, in words.
    #[serde(default)]
    trained_on: String,
    trees: Vec<Tree>,
}

impl Ranker {
    pub(crate) fn new(feature_names: &[&str], trees: Vec<Tree>) -> Self {
        let feature_names = feature_names.iter().map(|name| (*name).to_owned()).collect();
        Self { feature_names, fingerprint: String::new(), trained_on: String::new(), trees }
    }

    /// With the fingerprint of the index and a sentence about the training.
    #[must_use]
    pub fn described(self, fingerprint: &str, trained_on: &str) -> Self {
        Self { fingerprint: fingerprint.to_owned(), trained_on: trained_on.to_owned(), ..self }
    }

    /// The score of one candidate.
    #[must_use]
    pub fn score(&self, features: &[f32]) -> f64 {
        self.trees.iter().map(|tree| tree.value(features)).sum()
    }

    /// What each number of a row means, in order.
    #[must_use]
    pub fn feature_names(&self) -> &[String] {
        &self.feature_names
    }

    /// See [`Ranker::described`].
    #[must_use]
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// See [`Ranker::described`].
    #[must_use]
    pub fn trained_on(&self) -> &str {
        &self.trained_on
    }

    /// How many trees it has.
    #[must_use]
    pub fn tree_count(&self) -> usize {
        self.trees.len()
    }

    /// What is wrong with a ranker that was read from a file.
    pub(crate) fn problem(&self) -> Option<String> {
        if self.trees.is_empty() {
            return Some("it has no tree".to_owned());
        }
        self.trees.iter().find_map(|tree| tree.problem(self.feature_names.len()))
    }
}
