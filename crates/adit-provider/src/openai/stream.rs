use std::collections::BTreeMap;

use adit_core::{Completion, StopReason, ToolCall};
use serde_json::Value;

use super::answer::{elements, probability, stop, token_usage};
use crate::answer::{Read, StreamReader, arguments, text};
use crate::http::{FailureKind, HttpFailure, message};
use crate::sse::Event;

/// Puts a streamed chat completion together.
#[derive(Default)]
pub(super) struct ChatStream {
    completion: Completion,
    calls: BTreeMap<u64, PartialCall>,
    refused: bool,
    finished: bool,
    closed: bool,
    counted: bool,
}

#[derive(Default)]
struct PartialCall {
    id: String,
    name: String,
    arguments: String,
}

impl StreamReader for ChatStream {
    fn event(&mut self, event: &Event) -> Result<String, HttpFailure> {
        if event.data.trim() == "[DONE]" {
            self.closed = true;
            return Ok(String::new());
        }
        let chunk: Value = serde_json::from_str(&event.data).map_err(|error| {
            HttpFailure::unreadable(format!("an event of the stream is no JSON: {error}")).billed()
        })?;
        if event.name == "error" || chunk.get("error").is_some_and(|error| !error.is_null()) {
            let said = message(&event.data);
            return Err(
                HttpFailure::new(FailureKind::Unreachable, format!("the stream broke: {said}")).billed()
            );
        }
        if self.completion.model.is_empty() {
            self.completion.model = text(&chunk, "/model").to_owned();
        }
        if let Some(usage) = chunk.get("usage").filter(|usage| usage.is_object()) {
            self.completion.usage = token_usage(usage);
            self.counted = true;
        }
        Ok(chunk.pointer("/choices/0").map(|choice| self.choice(choice)).unwrap_or_default())
    }

    fn is_done(&self) -> bool {
        self.finished
    }

    fn is_closed(&self) -> bool {
        self.closed
    }

    fn finish(self) -> Read {
        let Self { mut completion, calls, refused, counted, .. } = self;
        completion.tool_calls = calls
            .into_values()
            .map(|call| ToolCall { arguments: arguments(&call.arguments), id: call.id, name: call.name })
            .collect();
        if refused {
            completion.stop = StopReason::Declined;
        } else if completion.stop == StopReason::Done && !completion.tool_calls.is_empty() {
            completion.stop = StopReason::ToolCalls;
        }
        Read { completion, counted }
    }
}

impl ChatStream {
    fn choice(&mut self, choice: &Value) -> String {
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str) {
            self.completion.stop = stop(reason);
            self.finished = true;
        }
        self.completion
            .token_probabilities
            .extend(elements(choice, "/logprobs/content").iter().map(probability));
        for piece in elements(choice, "/delta/tool_calls") {
            let index = piece.get("index").and_then(Value::as_u64).unwrap_or(0);
            let call = self.calls.entry(index).or_default();
            call.id.push_str(text(piece, "/id"));
            call.name.push_str(text(piece, "/function/name"));
            call.arguments.push_str(text(piece, "/function/arguments"));
        }
        let refusal = text(choice, "/delta/refusal");
        self.refused |= !refusal.is_empty();
        let added = format!("{}{refusal}", text(choice, "/delta/content"));
        self.completion.text.push_str(&added);
        added
    }
}
