use std::time::Duration;

use adit_core::{EmbedError, LanguageModelError, RerankError};

/// Why a call over HTTP has no answer. Its text never holds the key.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HttpFailure {
    pub(crate) kind: FailureKind,
    pub(crate) detail: String,
    /// How long the provider wants to be left alone, if it said so.
    pub(crate) retry_after: Option<Duration>,
    /// Whether the provider may bill what it did.
    pub(crate) may_be_billed: bool,
}

/// What kind of failure; decides whether to try again and what the caller is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FailureKind {
    /// 429.
    RateLimited,
    /// No connection, a broken one, or a 5xx.
    Unreachable,
    /// The breaker is open: nothing was sent.
    BreakerOpen,
    /// 401, 402, 403.
    NotPermitted,
    /// Any other 4xx, and a redirect.
    Rejected,
    /// 413, and a 400 that says the same.
    TooLong,
    /// The deadline, or a silence that is too long.
    TimedOut,
    /// The caller's wish.
    Cancelled,
    /// A budget of the settings.
    OverBudget,
    /// 2xx with a body that is not what the interface promises.
    Unreadable,
}

impl HttpFailure {
    pub(crate) fn new(kind: FailureKind, detail: impl Into<String>) -> Self {
        Self { kind, detail: detail.into(), retry_after: None, may_be_billed: false }
    }

    pub(crate) fn billed(self) -> Self {
        Self { may_be_billed: true, ..self }
    }

    pub(crate) fn unreadable(detail: impl Into<String>) -> Self {
        Self::new(FailureKind::Unreadable, detail)
    }

    pub(crate) fn is_retryable(&self) -> bool {
        matches!(self.kind, FailureKind::RateLimited | FailureKind::Unreachable)
    }

    /// Whether it says that the server is ill rather than busy or right.
    pub(crate) fn counts_for_breaker(&self) -> bool {
        matches!(self.kind, FailureKind::Unreachable | FailureKind::TimedOut)
    }
}

impl From<HttpFailure> for LanguageModelError {
    fn from(failure: HttpFailure) -> Self {
        let HttpFailure { kind, detail, retry_after, may_be_billed } = failure;
        match kind {
            FailureKind::RateLimited => Self::RateLimited { detail, retry_after },
            FailureKind::Unreachable | FailureKind::BreakerOpen => Self::Unreachable { detail },
            FailureKind::NotPermitted => Self::NotPermitted { detail },
            FailureKind::Rejected => Self::Rejected { detail },
            FailureKind::TooLong => Self::TooLong { detail },
            FailureKind::TimedOut | FailureKind::Cancelled => Self::Interrupted { detail, may_be_billed },
            FailureKind::OverBudget => Self::OverBudget { detail },
            FailureKind::Unreadable => Self::UnreadableAnswer { detail },
        }
    }
}

impl From<HttpFailure> for RerankError {
    fn from(failure: HttpFailure) -> Self {
        match failure.kind {
            FailureKind::Unreadable => Self::UnreadableAnswer { detail: failure.detail },
            _ => Self::Unreachable { retryable: failure.is_retryable(), detail: failure.detail },
        }
    }
}

impl From<HttpFailure> for EmbedError {
    fn from(failure: HttpFailure) -> Self {
        match failure.kind {
            FailureKind::Unreadable => Self::UnreadableAnswer { detail: failure.detail },
            _ => Self::Unreachable { retryable: failure.is_retryable(), detail: failure.detail },
        }
    }
}
