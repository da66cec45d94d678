//! Anthropic's Messages interface.
//!
//! Shapes: Anthropic's API reference, "Messages", "Streaming messages", "Search results", "Prompt caching" and
//! "Structured outputs".

mod answer;
mod request;
mod stream;

use std::ops::ControlFlow;

use adit_core::{Completion, CompletionRequest, LanguageModel, LanguageModelDescription, LanguageModelError};

use crate::answer as shared;
use crate::http::{HttpClient, most_usage};

/// The provider's own address.
pub(crate) const ADDRESS: &str = "https://api.anthropic.com/v1";
/// The variable its own tools read the key from.
pub(crate) const KEY_VARIABLE: &str = "ANTHROPIC_API_KEY";
/// The interface's version, sent with every request.
pub(crate) const VERSION: &str = "2023-06-01";

const PATH: &str = "/messages";

/// A model behind the Messages interface.
pub(crate) struct AnthropicModel {
    pub(crate) client: HttpClient,
    pub(crate) description: LanguageModelDescription,
    pub(crate) sends_temperature: bool,
}

impl LanguageModel for AnthropicModel {
    fn description(&self) -> &LanguageModelDescription {
        &self.description
    }

    fn complete(&self, request: &CompletionRequest) -> Result<Completion, LanguageModelError> {
        let body = request::body(&self.description.model, request, self.sends_temperature, false);
        let most = most_usage(&body, request.max_output_tokens);
        shared::complete(&self.client, PATH, &body, most, answer::read)
    }

    fn stream(
        &self,
        request: &CompletionRequest,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, LanguageModelError> {
        let body = request::body(&self.description.model, request, self.sends_temperature, true);
        let most = most_usage(&body, request.max_output_tokens);
        shared::stream(&self.client, PATH, &body, most, stream::MessageStream::default(), on_text)
    }
}
