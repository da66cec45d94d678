use std::time::Duration;

use thiserror::Error;

use crate::{Classified, ErrorClass};

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
    /// The texts together exceed what the model reads; nothing was answered or billed.
    #[error("the request is longer than the language model reads: {detail}")]
    TooLong {
        /// What it said.
        detail: String,
    },
    /// No answer within the time the caller gave, or the caller stopped it.
    #[error("the language model's answer was not awaited: {detail}")]
    Interrupted {
        /// A deadline, or a wish of the caller.
        detail: String,
        /// Whether the provider may bill what it had written.
        may_be_billed: bool,
    },
    /// A budget of the caller's, in tokens, money or calls, leaves no room for this call.
    #[error("the budget leaves no room for another call: {detail}")]
    OverBudget {
        /// Which budget, and how far it is used.
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
            Self::NotPermitted { .. }
            | Self::Rejected { .. }
            | Self::TooLong { .. }
            | Self::Interrupted { .. }
            | Self::OverBudget { .. } => ErrorClass::User,
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
            Self::TooLong { .. } => {
                "give fewer passages or a smaller budget, or use a model with a larger window"
            }
            Self::Interrupted { .. } => "allow more time, or ask for a shorter answer",
            Self::OverBudget { .. } => "raise the budget, or ask a narrower question",
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
