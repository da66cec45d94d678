use serde::{Deserialize, Serialize};

/// What an evaluation must reach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateSection {
    /// Such as `ndcg@10` or `recall@100`.
    pub metric: String,
    /// `all`, or a segment as `adit eval` prints it, such as `category=meaning`.
    #[serde(default = "all_questions")]
    pub segment: String,
    /// The mean must be at least this, 0 to 1.
    pub at_least: Option<f64>,
    /// The mean must not be lower than the accepted run's by more than this, 0 to 1.
    pub most_loss: Option<f64>,
}

fn all_questions() -> String {
    "all".to_owned()
}
