use serde::{Deserialize, Serialize};

/// Defaults of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchSection {
    /// Most passages.
    pub limit: usize,
    /// Most tokens of all passages together.
    pub budget_tokens: usize,
    /// BM25's saturation of repeated terms.
    pub k1: f32,
    /// BM25's correction for length, 0 to 1.
    pub b: f32,
    /// Whether passages that say the same are shown once, with the sources of the others.
    pub fold_duplicates: bool,
    /// Most passages of one document while other documents have candidates; 0 for no such limit.
    pub most_per_document: usize,
}

impl Default for SearchSection {
    fn default() -> Self {
        Self { limit: 10, budget_tokens: 4000, k1: 0.9, b: 0.4, fold_duplicates: true, most_per_document: 0 }
    }
}
