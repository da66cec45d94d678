use std::collections::BTreeMap;

use adit_core::{Completion, NativeCitation, ToolCall};
use serde_json::Value;

use super::answer::{citation, stop, token_usage};
use crate::answer::{Read, StreamReader, arguments, text};
use crate::http::{FailureKind, HttpFailure, message};
use crate::sse::Event;

/// Puts a streamed message together.
#[derive(Default)]
pub(super) struct MessageStream {
    completion: Completion,
    calls: BTreeMap<u64, PartialCall>,
    /// Where the block of text that is being written begins, and what it cites so far.
    block_start: usize,
    citations: Vec<NativeCitation>,
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

impl StreamReader for MessageStream {
    fn event(&mut self, event: &Event) -> Result<String, HttpFailure> {
        let data: Value = serde_json::from_str(&event.data).map_err(|error| {
            HttpFailure::unreadable(format!("an event of the stream is no JSON: {error}")).billed()
        })?;
        let index = data.get("index").and_then(Value::as_u64).unwrap_or(0);
        match text(&data, "/type") {
            "message_start" => {
                self.completion.model = text(&data, "/message/model").to_owned();
                self.usage(data.pointer("/message/usage"));
            }
            "content_block_start" => return Ok(self.begin_block(index, &data)),
            "content_block_delta" => return Ok(self.delta(index, &data)),
            "content_block_stop" => self.end_block(),
            "message_delta" => {
                self.usage(data.get("usage"));
                self.counted |= data.get("usage").is_some();
                if let Some(reason) = data.pointer("/delta/stop_reason").and_then(Value::as_str) {
                    self.completion.stop = stop(reason);
                    self.finished = true;
                }
            }
            "message_stop" => self.closed = true,
            "error" => return Err(broken(&data, &event.data)),
            // The interface says that there will be more types, to be skipped.
            _ => {}
        }
        Ok(String::new())
    }

    fn is_done(&self) -> bool {
        self.finished
    }

    fn is_closed(&self) -> bool {
        self.closed
    }

    fn finish(mut self) -> Read {
        self.end_block();
        let calls = self.calls.into_values();
        self.completion.tool_calls = calls
            .map(|call| ToolCall { arguments: arguments(&call.arguments), id: call.id, name: call.name })
            .collect();
        Read { completion: self.completion, counted: self.counted }
    }
}

impl MessageStream {
    fn usage(&mut self, usage: Option<&Value>) {
        if let Some(usage) = usage {
            self.completion.usage = token_usage(usage, self.completion.usage);
        }
    }

    fn begin_block(&mut self, index: u64, data: &Value) -> String {
        self.end_block();
        match text(data, "/content_block/type") {
            "text" => self.write(text(data, "/content_block/text")),
            "tool_use" => {
                let call = PartialCall {
                    id: text(data, "/content_block/id").to_owned(),
                    name: text(data, "/content_block/name").to_owned(),
                    arguments: String::new(),
                };
                self.calls.insert(index, call);
                String::new()
            }
            _ => String::new(),
        }
    }

    fn delta(&mut self, index: u64, data: &Value) -> String {
        match text(data, "/delta/type") {
            "text_delta" => return self.write(text(data, "/delta/text")),
            "input_json_delta" => {
                if let Some(call) = self.calls.get_mut(&index) {
                    call.arguments.push_str(text(data, "/delta/partial_json"));
                }
            }
            "citations_delta" => {
                if let Some(cited) = data.pointer("/delta/citation") {
                    self.citations.push(citation(cited, self.block_start, self.block_start));
                }
            }
            _ => {}
        }
        String::new()
    }

    fn write(&mut self, added: &str) -> String {
        self.completion.text.push_str(added);
        added.to_owned()
    }

    /// Citations come while their block is written; how far it reaches is known at its end.
    fn end_block(&mut self) {
        let end = self.completion.text.len();
        let ended = self.citations.drain(..).map(|cited| NativeCitation { end, ..cited });
        self.completion.citations.extend(ended);
        self.block_start = end;
    }
}

fn broken(data: &Value, event: &str) -> HttpFailure {
    let kind = match text(data, "/error/type") {
        "rate_limit_error" => FailureKind::RateLimited,
        "authentication_error" | "permission_error" | "billing_error" => FailureKind::NotPermitted,
        "invalid_request_error" | "not_found_error" => FailureKind::Rejected,
        "request_too_large" => FailureKind::TooLong,
        _ => FailureKind::Unreachable,
    };
    HttpFailure::new(kind, format!("the stream broke: {}", message(event))).billed()
}
