use std::time::Duration;

use thiserror::Error;

use crate::{Classified, ErrorClass};

/// One question to a language model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CompletionRequest {
    /// What the model is and how it answers.
    pub system: String,
    /// What it is asked now, with the material to work on.
    pub user: String,
    /// The most tokens the answer may have.
    pub max_output_tokens: usize,
    /// Whether the answer is to be one JSON value. A provider that can enforce it does; the caller
    /// checks the text all the same.
    pub wants_json: bool,
}

/// What the model answered, and what it is billed for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completion {
    /// The answer.
    pub text: String,
    /// Tokens the model read.
    pub input_tokens: usize,
    /// Tokens the model wrote.
    pub output_tokens: usize,
}

/// A language model, wherever it runs. Object safe, so that callers hold a `&dyn LanguageModel`.
pub trait LanguageModel: Send + Sync {
    /// Answers one request; a call is a bill, so nothing is retried in here.
    ///
    /// # Errors
    /// [`LanguageModelError`]; [`Classified::is_retryable`] says whether the same call may succeed later.
    fn complete(&self, request: &CompletionRequest) -> Result<Completion, LanguageModelError>;
}

/// Why a language model did not answer.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LanguageModelError {
    /// The provider asks to come back later.
    #[error("the language model's provider asks to wait: {detail}")]
    RateLimited {
        /// What it said.
        detail: String,
        /// How long it wants to be left alone, if it said so.
        retry_after: Option<Duration>,
    },
    /// The provider cannot be reached, or failed.
    #[error("the language model cannot be reached: {detail}")]
    Unreachable {
        /// What happened.
        detail: String,
    },
    /// The user's fault: the key or the account is not accepted.
    #[error("the language model's provider refuses the key: {detail}")]
    NotPermitted {
        /// What it said.
        detail: String,
    },
    /// The request cannot be answered as it is: too long, an unknown model, against the provider's rules.
    #[error("the language model rejects the request: {detail}")]
    Rejected {
        /// What it said.
        detail: String,
    },
    /// The provider's answer is not what its interface promises.
    #[error("the language model's provider answered something unreadable: {detail}")]
    UnreadableAnswer {
        /// What is wrong with it.
        detail: String,
    },
}

impl Classified for LanguageModelError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::RateLimited { .. } | Self::Unreachable { .. } | Self::UnreadableAnswer { .. } => {
                ErrorClass::World
            }
            Self::NotPermitted { .. } | Self::Rejected { .. } => ErrorClass::User,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::RateLimited { .. } | Self::Unreachable { .. })
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::RateLimited { retry_after: Some(pause), .. } => {
                return Some(format!("try again in {} s", pause.as_secs_f64().ceil()));
            }
            Self::RateLimited { .. } => "wait a minute and try again",
            Self::Unreachable { .. } => "check the network and the provider's address, then try again",
            Self::NotPermitted { .. } => "check the provider's key",
            Self::Rejected { .. } => "check the name of the model and the length of the text it is given",
            Self::UnreadableAnswer { .. } => {
                "check that the address belongs to the provider that is configured"
            }
        };
        Some(hint.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_passing_trouble_is_worth_another_call() {
        let detail = || "x".to_owned();
        let limited = LanguageModelError::RateLimited { detail: detail(), retry_after: None };
        assert!(limited.is_retryable());
        assert!(LanguageModelError::Unreachable { detail: detail() }.is_retryable());
        for lasting in [
            LanguageModelError::NotPermitted { detail: detail() },
            LanguageModelError::Rejected { detail: detail() },
            LanguageModelError::UnreadableAnswer { detail: detail() },
        ] {
            assert!(!lasting.is_retryable() && lasting.hint().is_some(), "{lasting}");
        }
    }
}
