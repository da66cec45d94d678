use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Classified, ErrorClass};

/// What a reranker is; enters the fingerprint of a ranking.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RerankerDescription {
    /// Name, such as `ms-marco-MiniLM-L-6-v2`.
    pub model: String,
    /// First 16 hexadecimal digits of the weights' sha256, or a provider's version.
    pub revision: String,
    /// `f32`, `int8`, or `hosted`.
    pub precision: String,
    /// The most tokens of question and passage together; none where that is not known.
    pub max_input_tokens: Option<usize>,
}

/// Reads the question and a passage together and says how well the passage answers it.
pub trait Reranker: Send + Sync {
    /// What it is.
    fn description(&self) -> &RerankerDescription;

    /// One score for each passage, in the order of `passages`; higher is better, the scale is the model's
    /// own. A passage that is too long is scored by its best window, never cut in silence.
    ///
    /// # Errors
    /// [`RerankError`]. Nothing is scored in part.
    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError>;
}

/// Why passages have no scores.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RerankError {
    /// The question leaves no room for a passage.
    #[error("a question of {tokens} tokens leaves no room for a passage in a window of {limit_tokens}")]
    QueryTooLong {
        /// Its length.
        tokens: usize,
        /// The window.
        limit_tokens: usize,
    },
    /// A hosted reranker or language model did not answer.
    #[error("the reranker cannot be reached: {detail}")]
    Unreachable {
        /// What happened.
        detail: String,
        /// Whether trying again may help.
        retryable: bool,
    },
    /// It answered something that cannot be used.
    #[error("the reranker answered something unreadable: {detail}")]
    UnreadableAnswer {
        /// What is wrong with it.
        detail: String,
    },
    /// The runtime failed.
    #[error("the reranker's runtime failed: {detail}")]
    Runtime {
        /// What it said.
        detail: String,
    },
}

impl Classified for RerankError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::QueryTooLong { .. } => ErrorClass::User,
            Self::Unreachable { .. } | Self::UnreadableAnswer { .. } => ErrorClass::World,
            Self::Runtime { .. } => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Unreachable { retryable: true, .. })
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::QueryTooLong { .. } => Some("ask in fewer words, or turn the reranker off".to_owned()),
            Self::Unreachable { .. } | Self::UnreadableAnswer { .. } => {
                Some("check the reranker's address and key; the search goes on without it".to_owned())
            }
            Self::Runtime { .. } => None,
        }
    }
}
