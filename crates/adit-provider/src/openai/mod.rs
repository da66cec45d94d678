//! OpenAI's chat completions, and every server that speaks like them.
//!
//! Shapes: OpenAI's API reference, "Chat Completions"; the README of llama.cpp's server; Ollama's "OpenAI
//! compatibility". Search results are given as text, since the interface has no type for them.

mod answer;
mod request;
mod stream;

use std::ops::ControlFlow;

use adit_core::{Completion, CompletionRequest, LanguageModel, LanguageModelDescription, LanguageModelError};

use crate::answer as shared;
use crate::http::{HttpClient, most_usage};
use crate::settings::OutputLimitField;

const PATH: &str = "/chat/completions";

/// A model behind chat completions.
pub(crate) struct OpenAiModel {
    pub(crate) client: HttpClient,
    pub(crate) description: LanguageModelDescription,
    pub(crate) limit_field: OutputLimitField,
    pub(crate) sends_temperature: bool,
}

impl OpenAiModel {
    fn body(&self, request: &CompletionRequest, stream: bool) -> serde_json::Value {
        let mut body = request::body(&self.description.model, request, self.limit_field, stream);
        if let (false, Some(fields)) = (self.sends_temperature, body.as_object_mut()) {
            fields.remove("temperature");
        }
        body
    }
}

impl LanguageModel for OpenAiModel {
    fn description(&self) -> &LanguageModelDescription {
        &self.description
    }

    fn complete(&self, request: &CompletionRequest) -> Result<Completion, LanguageModelError> {
        let body = self.body(request, false);
        let most = most_usage(&body, request.max_output_tokens);
        shared::complete(&self.client, PATH, &body, most, answer::read)
    }

    fn stream(
        &self,
        request: &CompletionRequest,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, LanguageModelError> {
        let body = self.body(request, true);
        let most = most_usage(&body, request.max_output_tokens);
        shared::stream(&self.client, PATH, &body, most, stream::ChatStream::default(), on_text)
    }
}
