//! What a language model is asked and answers, wherever it runs.
//!
//! The shapes are the common ground of the Anthropic Messages interface and of OpenAI-compatible chat
//! completions: what one of them lacks, its provider leaves out, and `LanguageModelDescription` says so.

mod completion;
mod error;
mod message;
mod request;

use std::ops::ControlFlow;

pub use completion::{Completion, NativeCitation, StopReason, TokenProbability, TokenUsage};
pub use error::LanguageModelError;
pub use message::{ContentPart, Message, Role, SearchResultPart, ToolCall, ToolResult};
pub use request::{CompletionRequest, OutputFormat, ToolChoice, ToolDefinition};

/// What a model is and can do.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LanguageModelDescription {
    /// Where it runs, as the settings name it, such as `anthropic` or `local`.
    pub provider: String,
    /// Its name there; the key of the price table.
    pub model: String,
    /// Tokens it reads and writes in one call; none where that is not known.
    pub context_window_tokens: Option<usize>,
    /// The most it writes in one call; none where that is not known.
    pub max_output_tokens: Option<usize>,
    /// Whether it is known to call tools.
    pub calls_tools: bool,
    /// Whether its interface gives the probabilities of tokens.
    pub gives_token_probabilities: bool,
    /// Whether it cites search results by itself.
    pub cites_natively: bool,
}

/// A language model. Object safe, so that callers hold a `&dyn LanguageModel`.
pub trait LanguageModel: Send + Sync {
    /// What it is.
    fn description(&self) -> &LanguageModelDescription;

    /// Answers one request. Whether failed calls are tried again is the implementation's affair; what it
    /// returns was billed once.
    ///
    /// # Errors
    /// [`LanguageModelError`]; [`crate::Classified::is_retryable`] says whether the same call may succeed
    /// later.
    fn complete(&self, request: &CompletionRequest) -> Result<Completion, LanguageModelError>;

    /// As [`LanguageModel::complete`], handing over the text as it is written. `on_text` may stop it; the
    /// completion then holds what came so far, with [`StopReason::Stopped`]. A model that cannot stream
    /// hands over everything at the end.
    ///
    /// # Errors
    /// As [`LanguageModel::complete`].
    fn stream(
        &self,
        request: &CompletionRequest,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, LanguageModelError> {
        let mut completion = self.complete(request)?;
        if !completion.text.is_empty() && on_text(&completion.text).is_break() {
            completion.stop = StopReason::Stopped;
        }
        Ok(completion)
    }
}
