use adit_answer::AnswerError;
use adit_core::{Classified, ErrorClass};
use adit_retrieve::RetrieveError;
use thiserror::Error;

/// Why a question was not even begun, or could not be ended. A language model that fails is no error: what was
/// found until then is answered from without it.
#[derive(Debug, Error)]
pub enum AgentError {
    /// Searching or checking failed.
    #[error(transparent)]
    Answer(#[from] AnswerError),
    /// The user's: a setting that cannot be meant.
    #[error("the agent setting `{setting}` is {given}; {expected}")]
    Setting {
        /// Its name.
        setting: &'static str,
        /// What was given.
        given: usize,
        /// What would do.
        expected: &'static str,
    },
    /// The caller's: two tools of one name, of which the model could mean either.
    #[error("there are two tools named `{name}`")]
    ToolName {
        /// The name.
        name: String,
    },
}

impl From<RetrieveError> for AgentError {
    fn from(error: RetrieveError) -> Self {
        Self::Answer(AnswerError::Retrieve(error))
    }
}

impl Classified for AgentError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Answer(error) => error.class(),
            Self::Setting { .. } | Self::ToolName { .. } => ErrorClass::User,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Answer(error) => error.is_retryable(),
            Self::Setting { .. } | Self::ToolName { .. } => false,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Answer(error) => error.hint(),
            Self::Setting { setting, expected, .. } => Some(format!("set `{setting}`: {expected}")),
            Self::ToolName { .. } => Some("give the tool another name".to_owned()),
        }
    }
}
