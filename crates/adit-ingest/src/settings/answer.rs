use serde::{Deserialize, Serialize};

/// How `adit ask` answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnswerSection {
    /// `mark`, `remove` or `keep`: what becomes of claims that their citations do not support.
    pub unsupported: String,
    /// Weight of a claim's words that must stand together in a cited passage, 0 to 1.
    pub least_support: f32,
    /// Most tokens a language model may write.
    pub max_output_tokens: usize,
    /// Whether weak evidence refuses before anything is written.
    pub refuse_on_weak_evidence: bool,
    /// Other wordings tried when the evidence is weak, 0 to 2.
    pub max_rewrites: usize,
    /// Most sentences of an answer without a language model.
    pub max_sentences: usize,
    /// Whether the language model also judges each claim: one more call a claim.
    pub judge: bool,
}

impl Default for AnswerSection {
    fn default() -> Self {
        Self {
            unsupported: "mark".to_owned(),
            least_support: 0.5,
            max_output_tokens: 1_024,
            refuse_on_weak_evidence: true,
            max_rewrites: 2,
            max_sentences: 3,
            judge: false,
        }
    }
}

impl AnswerSection {
    /// What is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        if !matches!(self.unsupported.as_str(), "mark" | "remove" | "keep") {
            return Err(format!(
                "answer.unsupported is `{}`, expected mark, remove or keep",
                self.unsupported
            ));
        }
        if !(0.0..=1.0).contains(&self.least_support) {
            return Err("answer.least_support must be between 0 and 1".to_owned());
        }
        if self.max_output_tokens == 0 || self.max_sentences == 0 {
            return Err("answer.max_output_tokens and answer.max_sentences must be above 0".to_owned());
        }
        if self.max_rewrites > 2 {
            return Err("answer.max_rewrites must be at most 2".to_owned());
        }
        Ok(())
    }
}
