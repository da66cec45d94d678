use adit_core::{Completion, NativeCitation, StopReason, TokenUsage, ToolCall};
use serde_json::Value;

use crate::answer::{Read, count, text};
use crate::http::HttpFailure;

/// Reads the answer to `POST /messages`.
pub(super) fn read(answer: &Value) -> Result<Read, HttpFailure> {
    let Some(blocks) = answer.get("content").and_then(Value::as_array) else {
        return Err(HttpFailure::unreadable("the answer has no content"));
    };
    let usage = answer.get("usage").filter(|usage| usage.is_object());
    let mut completion = Completion {
        stop: stop(text(answer, "/stop_reason")),
        usage: usage.map(|usage| token_usage(usage, TokenUsage::default())).unwrap_or_default(),
        model: text(answer, "/model").to_owned(),
        ..Completion::default()
    };
    for block in blocks {
        match text(block, "/type") {
            "text" => {
                let start = completion.text.len();
                completion.text.push_str(text(block, "/text"));
                let end = completion.text.len();
                let citations = block.get("citations").and_then(Value::as_array);
                completion
                    .citations
                    .extend(citations.into_iter().flatten().map(|cited| citation(cited, start, end)));
            }
            "tool_use" => completion.tool_calls.push(ToolCall {
                id: text(block, "/id").to_owned(),
                name: text(block, "/name").to_owned(),
                arguments: block.get("input").cloned().unwrap_or_default(),
            }),
            // Thinking is billed with the output and is no part of the answer.
            _ => {}
        }
    }
    Ok(Read { completion, counted: usage.is_some() })
}

pub(super) fn stop(reason: &str) -> StopReason {
    match reason {
        "max_tokens" | "model_context_window_exceeded" => StopReason::OutputLimit,
        "tool_use" => StopReason::ToolCalls,
        "refusal" => StopReason::Declined,
        _ => StopReason::Done,
    }
}

/// The counts of `usage`, those it leaves out as they were before. Each token is in one field here already.
pub(super) fn token_usage(usage: &Value, before: TokenUsage) -> TokenUsage {
    let counted = |name: &str, before: u64| {
        if usage.get(name).is_some_and(Value::is_u64) { count(usage, &format!("/{name}")) } else { before }
    };
    TokenUsage {
        input_tokens: counted("input_tokens", before.input_tokens),
        cached_input_tokens: counted("cache_read_input_tokens", before.cached_input_tokens),
        cache_write_tokens: counted("cache_creation_input_tokens", before.cache_write_tokens),
        output_tokens: counted("output_tokens", before.output_tokens),
    }
}

/// A citation of the block of text that lies at `start..end` of the answer.
pub(super) fn citation(cited: &Value, start: usize, end: usize) -> NativeCitation {
    let source = match text(cited, "/source") {
        "" => text(cited, "/document_title"),
        source => source,
    };
    NativeCitation { start, end, source: source.to_owned(), quote: text(cited, "/cited_text").to_owned() }
}
