use adit_core::{Completion, StopReason, TokenProbability, TokenUsage, ToolCall};
use serde_json::Value;

use crate::answer::{Read, arguments, count, text};
use crate::http::{HttpFailure, message};

/// Reads the answer to `POST /chat/completions`.
pub(super) fn read(answer: &Value) -> Result<Read, HttpFailure> {
    if answer.get("error").is_some_and(|error| !error.is_null()) {
        return Err(HttpFailure::unreadable(message(&answer.to_string())));
    }
    let Some(choice) = answer.pointer("/choices/0") else {
        return Err(HttpFailure::unreadable("the answer has no choices"));
    };
    if choice.get("message").is_none() {
        return Err(HttpFailure::unreadable("the answer's choice has no message"));
    }
    let tool_calls: Vec<ToolCall> = elements(choice, "/message/tool_calls").iter().map(tool_call).collect();
    let refusal = text(choice, "/message/refusal");
    let content = text(choice, "/message/content");
    let usage = answer.get("usage").filter(|usage| usage.is_object());
    let completion = Completion {
        text: if content.is_empty() { refusal.to_owned() } else { content.to_owned() },
        stop: match stop(text(choice, "/finish_reason")) {
            _ if !refusal.is_empty() => StopReason::Declined,
            // Some servers say `stop` though the model asks for tools.
            StopReason::Done if !tool_calls.is_empty() => StopReason::ToolCalls,
            stop => stop,
        },
        tool_calls,
        usage: usage.map(token_usage).unwrap_or_default(),
        token_probabilities: elements(choice, "/logprobs/content").iter().map(probability).collect(),
        model: text(answer, "/model").to_owned(),
        ..Completion::default()
    };
    Ok(Read { completion, counted: usage.is_some() })
}

pub(super) fn stop(reason: &str) -> StopReason {
    match reason {
        "length" => StopReason::OutputLimit,
        "tool_calls" | "function_call" => StopReason::ToolCalls,
        "content_filter" => StopReason::Declined,
        _ => StopReason::Done,
    }
}

/// `prompt_tokens` counts the cached ones too; here each token is in one field.
pub(super) fn token_usage(usage: &Value) -> TokenUsage {
    let read = count(usage, "/prompt_tokens");
    let cached = count(usage, "/prompt_tokens_details/cached_tokens").min(read);
    TokenUsage {
        input_tokens: read - cached,
        cached_input_tokens: cached,
        cache_write_tokens: 0,
        output_tokens: count(usage, "/completion_tokens"),
    }
}

pub(super) fn probability(entry: &Value) -> TokenProbability {
    let log_probability = |entry: &Value| {
        entry.get("logprob").and_then(Value::as_f64).map_or(f32::NEG_INFINITY, |value| value as f32)
    };
    let alternatives = elements(entry, "/top_logprobs");
    TokenProbability {
        token: text(entry, "/token").to_owned(),
        log_probability: log_probability(entry),
        alternatives: alternatives
            .iter()
            .map(|other| (text(other, "/token").to_owned(), log_probability(other)))
            .collect(),
    }
}

fn tool_call(call: &Value) -> ToolCall {
    ToolCall {
        id: text(call, "/id").to_owned(),
        name: text(call, "/function/name").to_owned(),
        // Some servers give an object where the interface promises its text.
        arguments: match call.pointer("/function/arguments") {
            Some(Value::String(written)) => arguments(written),
            Some(value) => value.clone(),
            None => arguments(""),
        },
    }
}

pub(super) fn elements<'a>(json: &'a Value, pointer: &str) -> &'a [Value] {
    json.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
