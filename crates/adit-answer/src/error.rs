use adit_core::{Classified, ErrorClass};
use adit_retrieve::RetrieveError;
use thiserror::Error;

/// Why a question has no answer, not even a refusal.
#[derive(Debug, Error)]
pub enum AnswerError {
    /// The search failed. A language model that fails is no error: the extractive answer takes its place.
    #[error(transparent)]
    Retrieve(#[from] RetrieveError),
    /// The user's: a setting that cannot be meant.
    #[error("the answer setting `{setting}` is {given}; {expected}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What was given.
        given: String,
        /// What would do.
        expected: &'static str,
    },
}

impl Classified for AnswerError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Retrieve(error) => error.class(),
            Self::Setting { .. } => ErrorClass::User,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Retrieve(error) => error.is_retryable(),
            Self::Setting { .. } => false,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Retrieve(error) => error.hint(),
            Self::Setting { setting, expected, .. } => Some(format!("set `{setting}`: {expected}")),
        }
    }
}
