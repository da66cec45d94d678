use serde::{Deserialize, Serialize};

/// How a question may be reshaped before it is searched for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UnderstandSection {
    /// Whether a question that leans on the conversation is completed from it.
    pub follow_up: bool,
    /// Whether a question longer than the model reads is embedded in parts.
    pub long_question: bool,
    /// Whether comparisons and several questions in one are also searched for part by part.
    pub decompose: bool,
    /// Other wordings by a language model that are searched for as well, 0 to 5.
    pub variants: usize,
    /// Whether a more general question by a language model is searched for as well.
    pub step_back: bool,
    /// Whether an answer made up by a language model is searched for by meaning as well.
    pub hypothetical_answer: bool,
    /// What becomes of dates and kinds of document that a question names: `ignore`, `suggest` or `apply`.
    pub filters: String,
}

impl Default for UnderstandSection {
    fn default() -> Self {
        Self {
            follow_up: true,
            long_question: true,
            decompose: false,
            variants: 0,
            step_back: false,
            hypothetical_answer: false,
            filters: "suggest".to_owned(),
        }
    }
}

impl UnderstandSection {
    pub(super) fn check(&self) -> Result<(), String> {
        if self.variants > 5 {
            return Err(format!("understand.variants is {}, expected 0 to 5", self.variants));
        }
        if !matches!(self.filters.as_str(), "ignore" | "suggest" | "apply") {
            return Err(format!(
                "understand.filters is `{}`, expected ignore, suggest or apply",
                self.filters
            ));
        }
        Ok(())
    }
}
