use std::ops::ControlFlow;

use adit_core::{Completion, LanguageModelError, StopReason, TokenUsage};
use adit_cost::Usage;
use serde_json::Value;

use crate::http::{FailureKind, HttpClient, HttpFailure, estimated_tokens};
use crate::ledger_usage;
use crate::sse::{Event, EventReader};

/// An answer, whole or as far as it came.
pub(crate) struct Read {
    pub(crate) completion: Completion,
    /// Whether the provider told the usage.
    pub(crate) counted: bool,
}

/// Puts an answer together from a provider's events.
pub(crate) trait StreamReader {
    /// Takes one event and gives back the text it adds.
    fn event(&mut self, event: &Event) -> Result<String, HttpFailure>;
    /// Whether the answer is whole.
    fn is_done(&self) -> bool;
    /// Whether nothing more is worth waiting for.
    fn is_closed(&self) -> bool;
    /// The answer as far as it came.
    fn finish(self) -> Read;
}

/// Asks for a whole answer and reads it with `read`.
pub(crate) fn complete(
    client: &HttpClient,
    path: &str,
    body: &Value,
    most: Usage,
    read: impl Fn(&Value) -> Result<Read, HttpFailure>,
) -> Result<Completion, LanguageModelError> {
    let answer = client.post(path, body, most)?;
    match read(&answer) {
        Ok(answer) => Ok(booked(client, answer, most, true)),
        Err(failure) => {
            client.record(Usage { output_tokens: 0, ..most }, most, false, false);
            Err(HttpFailure { detail: client.redact(&failure.detail), ..failure }.into())
        }
    }
}

/// Asks for a stream, reads it with `reader` and hands over its text. Whatever ends it, what was used is
/// booked.
pub(crate) fn stream<R: StreamReader>(
    client: &HttpClient,
    path: &str,
    body: &Value,
    most: Usage,
    mut reader: R,
    on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
) -> Result<Completion, LanguageModelError> {
    let mut events = EventReader::default();
    let mut stopped = false;
    let outcome = client.stream(path, body, most, &mut |bytes| {
        for event in events.read(bytes)? {
            let text = reader.event(&event)?;
            stopped = !text.is_empty() && on_text(&text).is_break();
            if stopped || reader.is_closed() {
                return Ok(ControlFlow::Break(()));
            }
        }
        Ok(ControlFlow::Continue(()))
    });
    let whole = reader.is_done();
    let mut answer = reader.finish();
    let failure = match outcome {
        Ok(()) if stopped => {
            answer.completion.stop = StopReason::Stopped;
            return Ok(booked(client, answer, most, false));
        }
        // What breaks after the answer is whole takes nothing from it.
        Ok(()) if whole => return Ok(booked(client, answer, most, true)),
        Err(_) if whole => return Ok(booked(client, answer, most, true)),
        Ok(()) => HttpFailure::new(FailureKind::Unreachable, "the stream ended before the answer was whole")
            .billed(),
        Err(failure) => failure,
    };
    if failure.may_be_billed {
        booked(client, answer, most, false);
    }
    Err(HttpFailure { detail: client.redact(&failure.detail), ..failure }.into())
}

/// Books the usage; where the provider did not tell it, an estimate from the bytes sent and received.
fn booked(client: &HttpClient, answer: Read, most: Usage, complete: bool) -> Completion {
    let Read { mut completion, counted } = answer;
    if !counted {
        let calls: usize = completion.tool_calls.iter().map(|call| call.arguments.to_string().len()).sum();
        let output_tokens =
            completion.usage.output_tokens.max(estimated_tokens(completion.text.len() + calls));
        completion.usage = match completion.usage.read_tokens() {
            0 => TokenUsage { input_tokens: most.input_tokens, output_tokens, ..TokenUsage::default() },
            _ => TokenUsage { output_tokens, ..completion.usage },
        };
    }
    client.record(ledger_usage(&completion.usage), most, complete, counted);
    completion
}

/// A tool's arguments as the model wrote them. What is no JSON stays a string, which no tool's schema allows:
/// the caller's check tells the model.
pub(crate) fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(serde_json::Map::new());
    }
    serde_json::from_str(text).unwrap_or_else(|_| Value::String(text.to_owned()))
}

/// The number at `pointer`, nothing for none.
pub(crate) fn count(json: &Value, pointer: &str) -> u64 {
    json.pointer(pointer).and_then(Value::as_u64).unwrap_or(0)
}

/// The text at `pointer`, empty for none.
pub(crate) fn text<'a>(json: &'a Value, pointer: &str) -> &'a str {
    json.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}
