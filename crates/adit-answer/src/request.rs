use adit_core::Message;
use adit_retrieve::SearchRequest;
use serde::{Deserialize, Serialize};

use crate::{AnswerError, ExtractiveSettings};

/// What becomes of a claim that its citations do not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Unsupported {
    /// It stays, with `[unsupported]` behind it.
    #[default]
    Mark,
    /// It is taken out; a notice says how many were.
    Remove,
    /// It stays as it is; only `claims` tells.
    Keep,
}

/// How answers are made.
#[derive(Debug, Clone, PartialEq)]
pub struct AnswerSettings {
    /// The most tokens a model may write.
    pub max_output_tokens: usize,
    /// What becomes of unsupported claims.
    pub unsupported: Unsupported,
    /// Weight of a claim's words that must stand together in a cited passage, 0 to 1, for the claim to count as
    /// supported.
    pub least_support: f32,
    /// Whether weak evidence refuses before anything is generated.
    pub refuse_on_weak_evidence: bool,
    /// Rewrites of a question whose evidence is weak, 0 to 2.
    pub max_rewrites: usize,
    /// Turns of the conversation that are handed over, newest first; older ones are left out.
    pub max_history_turns: usize,
    /// How sentences are selected without a model.
    pub extractive: ExtractiveSettings,
}

impl Default for AnswerSettings {
    fn default() -> Self {
        Self {
            max_output_tokens: 1_024,
            unsupported: Unsupported::default(),
            least_support: 0.5,
            refuse_on_weak_evidence: true,
            max_rewrites: 2,
            max_history_turns: 8,
            extractive: ExtractiveSettings::default(),
        }
    }
}

/// The most rewrites of one question, whatever the settings say (CRAG's corrective path ends there).
const MOST_REWRITES: usize = 2;

impl AnswerSettings {
    /// # Errors
    /// [`AnswerError::Setting`] for a value that cannot be meant.
    pub(crate) fn check(&self) -> Result<(), AnswerError> {
        let problem = |setting, given: String, expected| AnswerError::Setting { setting, given, expected };
        if self.max_output_tokens == 0 {
            return Err(problem("max_output_tokens", "0".to_owned(), "at least 1"));
        }
        if !(0.0..=1.0).contains(&self.least_support) {
            return Err(problem("least_support", self.least_support.to_string(), "a share between 0 and 1"));
        }
        if self.max_rewrites > MOST_REWRITES {
            return Err(problem("max_rewrites", self.max_rewrites.to_string(), "at most 2"));
        }
        if self.extractive.max_sentences == 0 {
            return Err(problem("extractive.max_sentences", "0".to_owned(), "at least 1"));
        }
        Ok(())
    }
}

/// One question and everything that decides its answer.
#[derive(Debug, Clone, Copy)]
pub struct AskRequest<'a> {
    /// The question, who asks, and how passages are searched. The passages' token budget is the search's.
    pub search: SearchRequest<'a>,
    /// The conversation before the question, oldest first, ending with a model's turn.
    pub history: &'a [Message],
    /// How the answer is made.
    pub settings: &'a AnswerSettings,
}

impl<'a> AskRequest<'a> {
    /// A first question.
    #[must_use]
    pub fn new(search: SearchRequest<'a>, settings: &'a AnswerSettings) -> Self {
        Self { search, history: &[], settings }
    }
}
