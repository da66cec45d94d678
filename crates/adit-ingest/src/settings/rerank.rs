use serde::{Deserialize, Serialize};

/// What comes after fusion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RerankSection {
    /// A cross-encoder: a known name, `OWNER/NAME[@REVISION]` on the model hub, `pip:PACKAGE==VERSION/FOLDER`, or a
    /// folder; `none` leaves the fused order.
    pub model: String,
    /// Candidates that are read together with the question.
    pub top_n: usize,
    /// `int8` or `f32`.
    pub precision: String,
    /// Passages whose probability of relevance is lower are left out, 0 to 1; needs `adit calibrate`.
    pub cut_off: Option<f32>,
    /// A reranker that takes longer is left out of the answer.
    pub deadline_ms: u64,
}

impl Default for RerankSection {
    fn default() -> Self {
        Self {
            model: Self::NONE.to_owned(),
            top_n: 50,
            precision: "int8".to_owned(),
            cut_off: None,
            deadline_ms: 10_000,
        }
    }
}

impl RerankSection {
    /// The name that stands for no reranker.
    pub const NONE: &'static str = "none";

    /// The reranker's name, if one is asked for.
    #[must_use]
    pub fn named_model(&self) -> Option<&str> {
        (self.model != Self::NONE).then_some(self.model.as_str())
    }

    pub(super) fn check(&self) -> Result<(), String> {
        if !matches!(self.precision.as_str(), "int8" | "f32") {
            return Err(format!("rerank.precision is `{}`, expected int8 or f32", self.precision));
        }
        if self.top_n == 0 || self.deadline_ms == 0 || self.model.is_empty() {
            return Err(
                "rerank.top_n and rerank.deadline_ms must be above 0, rerank.model a name or none".to_owned()
            );
        }
        match self.cut_off {
            Some(cut_off) if !(0.0..=1.0).contains(&cut_off) => {
                Err(format!("rerank.cut_off is {cut_off}, expected a probability from 0 to 1"))
            }
            _ => Ok(()),
        }
    }
}
