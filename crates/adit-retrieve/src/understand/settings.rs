use serde::{Deserialize, Serialize};

/// The most wordings of one question that are searched for together; more were never better in any
/// published comparison, and each costs a search.
pub(super) const MOST_VARIANTS: usize = 5;

/// Which steps may reshape a question. What is on by default won on labelled sets; the figures are in
/// `docs/measurements`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Understanding {
    /// A question that only makes sense after the conversation so far is completed from it.
    pub follow_up: bool,
    /// A question longer than the embedder reads is embedded in parts.
    pub long_question: bool,
    /// Comparisons and several questions in one are also searched for part by part.
    pub decompose: bool,
    /// Other wordings by a model that are searched for beside the question; 0 is off, at most 5.
    pub variants: usize,
    /// A more general question by a model is searched for as well (Zheng et al. 2023, "Take a Step Back").
    pub step_back: bool,
    /// An answer made up by a model is searched for by meaning as well (Gao et al. 2022, "HyDE").
    pub hypothetical_answer: bool,
    /// What becomes of dates and kinds of document that a question names.
    pub filters: FilterUse,
}

impl Default for Understanding {
    fn default() -> Self {
        Self {
            follow_up: true,
            long_question: true,
            decompose: false,
            variants: 0,
            step_back: false,
            hypothetical_answer: false,
            filters: FilterUse::Suggest,
        }
    }
}

impl Understanding {
    /// The question as it is, searched for once.
    pub const OFF: Self = Self {
        follow_up: false,
        long_question: false,
        decompose: false,
        variants: 0,
        step_back: false,
        hypothetical_answer: false,
        filters: FilterUse::Ignore,
    };

    /// Whether a step is on that only a model can take.
    #[must_use]
    pub fn needs_model(&self) -> bool {
        self.variants > 0 || self.step_back || self.hypothetical_answer
    }
}

/// What becomes of dates and kinds of document that a question names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilterUse {
    /// Nothing.
    Ignore,
    /// They are named beside the result, for the caller to apply.
    #[default]
    Suggest,
    /// They are applied, and said. A document without the key is then not found.
    Apply,
}
