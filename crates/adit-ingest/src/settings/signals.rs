use serde::{Deserialize, Serialize};

/// What multiplies fused scores, and how strongly.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SignalsSection {
    /// `none`, `all`, or names separated by commas: authority, recency, version, links, popularity, learned.
    pub r#use: String,
    /// Metadata keys that are looked at for a document's date, in this order.
    pub date_keys: Vec<String>,
    /// Whether a document without such a key has the date of its file.
    pub use_modified: bool,
    /// Days after which the part of the recency factor above its floor has halved.
    pub half_life_days: f64,
    /// The recency factor of an endlessly old document.
    pub recency_floor: f64,
    /// Factor of the version that the question asks for.
    pub version_chosen: f64,
    /// Factor of its other versions.
    pub version_other: f64,
    /// What a document that everybody links to gains at most.
    pub link_weight: f64,
    /// How far feedback moves a document at most.
    pub popularity_weight: f64,
    /// Verdicts at which half of that is reached.
    pub popularity_prior: f64,
}

impl Default for SignalsSection {
    fn default() -> Self {
        Self {
            r#use: "none".to_owned(),
            date_keys: ["effective", "date", "updated"].map(str::to_owned).to_vec(),
            use_modified: true,
            half_life_days: 365.0,
            recency_floor: 0.7,
            version_chosen: 1.25,
            version_other: 0.5,
            link_weight: 0.2,
            popularity_weight: 0.2,
            popularity_prior: 4.0,
        }
    }
}
