use std::ops::ControlFlow;

use adit_core::{
    CompletionRequest, LanguageModelError, NativeCitation, OutputFormat, StopReason, TokenUsage,
};
use adit_provider::ProviderKind;
use adit_testkit::{ScriptedResponse, ScriptedServer, StreamEnd};
use serde_json::{Value, json};

use crate::support::{everything, open, settings};

const PATH: &str = "/v1/messages";

fn cited() -> Value {
    json!({"type": "search_result_location", "source": "p1", "title": "Manual, page 3",
        "cited_text": "Pull the lever.", "search_result_index": 0, "start_block_index": 0, "end_block_index": 0})
}

fn answer() -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "test-model-2026",
        "content": [
            {"type": "text", "text": "So: "},
            {"type": "text", "text": "p\u{fc}ll the lever", "citations": [cited()]},
            {"type": "text", "text": "."},
            {"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "x"}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30,
            "output_tokens": 9},
    })
}

fn expected_citation() -> NativeCitation {
    NativeCitation { start: 4, end: 19, source: "p1".to_owned(), quote: "Pull the lever.".to_owned() }
}

fn expected_usage() -> TokenUsage {
    TokenUsage { input_tokens: 5, cached_input_tokens: 30, cache_write_tokens: 20, output_tokens: 9 }
}

#[test]
fn a_whole_answer_is_read_with_its_citations() {
    let server = ScriptedServer::start();
    server.answer(PATH, ScriptedResponse::json(&answer()));
    let (model, recorder) = open(&settings(ProviderKind::Anthropic, &server));
    let completion = model.complete(&everything()).unwrap();
    assert_eq!(completion.text, "So: p\u{fc}ll the lever.");
    assert_eq!(completion.citations, [expected_citation()]);
    assert_eq!(completion.stop, StopReason::ToolCalls);
    assert_eq!(completion.tool_calls[0].arguments, json!({"query": "x"}));
    assert_eq!(completion.usage, expected_usage());
    assert!(recorder.usage.lock().unwrap()[0].counted_by_provider);
}

#[test]
fn the_request_has_the_published_shape() {
    let server = ScriptedServer::start();
    server.answer(PATH, ScriptedResponse::json(&answer()));
    let (model, _) = open(&settings(ProviderKind::Anthropic, &server));
    model.complete(&everything()).unwrap();
    let marker = json!({"type": "ephemeral"});
    let expected = json!({
        "model": "test-model",
        "max_tokens": 50,
        "system": [{"type": "text", "text": "Answer from the passages.", "cache_control": marker}],
        "messages": [
            {"role": "user", "content": [
                {"type": "search_result", "source": "p1", "title": "Manual, page 3",
                    "content": [{"type": "text", "text": "Pull the lever."}], "citations": {"enabled": true}},
                {"type": "text", "text": "How does it start?", "cache_control": marker}]},
            {"role": "assistant", "content": [
                {"type": "text", "text": "Let me see."},
                {"type": "tool_use", "id": "c1", "name": "search", "input": {"query": "start"}},
                {"type": "tool_use", "id": "c2", "name": "search", "input": {"query": "lever"}}]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "of c1"},
                {"type": "tool_result", "tool_use_id": "c2", "content": "of c2", "is_error": true},
                {"type": "text", "text": "Go on."}]},
        ],
        "tools": [{"name": "search", "description": "Finds passages.", "strict": true,
            "input_schema": {"type": "object", "properties": {"query": {"type": "string"}}}}],
        "tool_choice": {"type": "auto"},
    });
    let received = server.received();
    assert_eq!(received[0].json(), expected);
    assert_eq!(received[0].header("anthropic-version"), Some("2023-06-01"));
}

#[test]
fn an_answer_held_to_a_shape_gets_its_passages_as_text() {
    let server = ScriptedServer::start();
    server.answer(PATH, ScriptedResponse::json(&answer()));
    let (model, _) = open(&settings(ProviderKind::Anthropic, &server));
    let schema = json!({"type": "object"});
    let output = OutputFormat::Schema { name: "answer".to_owned(), schema: schema.clone() };
    model.complete(&CompletionRequest { output, ..everything() }).unwrap();
    let body = server.received()[0].json();
    assert_eq!(body["output_config"], json!({"format": {"type": "json_schema", "schema": schema}}));
    let passage = json!({"type": "text", "text": "<passage id=\"p1\">Pull the lever.</passage>"});
    assert_eq!(body["messages"][0]["content"][0], passage);
}

#[test]
fn no_more_cache_markers_go_out_than_the_interface_takes() {
    let server = ScriptedServer::start();
    server.answer(PATH, ScriptedResponse::json(&answer()));
    let (model, _) = open(&settings(ProviderKind::Anthropic, &server));
    let mut request = everything();
    let turn = request.messages[0].clone();
    request.messages.extend(std::iter::repeat_n(turn, 5));
    model.complete(&request).unwrap();
    let body = server.received()[0].json();
    assert_eq!(body.to_string().matches("cache_control").count(), 4);
    assert_eq!(body["messages"][7]["content"][1]["cache_control"], json!({"type": "ephemeral"}));
}

fn events() -> Vec<String> {
    let delta =
        |index: u64, delta: Value| json!({"type": "content_block_delta", "index": index, "delta": delta});
    let text = |text: &str| json!({"type": "text_delta", "text": text});
    let start = |index: u64, block: Value| json!({"type": "content_block_start", "index": index, "content_block": block});
    let stop = |index: u64| json!({"type": "content_block_stop", "index": index});
    let usage = json!({"input_tokens": 5, "cache_creation_input_tokens": 20, "cache_read_input_tokens": 30, "output_tokens": 1});
    let events = [
        json!({"type": "message_start", "message": {"model": "test-model-2026", "content": [], "usage": usage}}),
        start(0, json!({"type": "text", "text": ""})),
        json!({"type": "ping"}),
        delta(0, text("So: ")),
        stop(0),
        start(1, json!({"type": "text", "text": "", "citations": []})),
        delta(1, json!({"type": "citations_delta", "citation": cited()})),
        delta(1, text("p\u{fc}ll ")),
        delta(1, text("the lever")),
        stop(1),
        start(2, json!({"type": "text", "text": ""})),
        delta(2, text(".")),
        stop(2),
        start(3, json!({"type": "tool_use", "id": "t1", "name": "search", "input": {}})),
        delta(3, json!({"type": "input_json_delta", "partial_json": "{\"query\":"})),
        delta(3, json!({"type": "input_json_delta", "partial_json": "\"x\"}"})),
        stop(3),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}}),
        json!({"type": "message_stop"}),
    ];
    events.iter().map(|event| format!("event: {}\ndata: {event}", event["type"].as_str().unwrap())).collect()
}

#[test]
fn a_stream_comes_to_the_same_as_a_whole_answer() {
    let server = ScriptedServer::start();
    let events = events();
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    server.answer(PATH, ScriptedResponse::json(&answer()));
    server.answer(PATH, ScriptedResponse::events(&events, StreamEnd::Whole));
    let (model, _) = open(&settings(ProviderKind::Anthropic, &server));
    let whole = model.complete(&everything()).unwrap();
    let mut text = String::new();
    let streamed = model
        .stream(&everything(), &mut |piece| {
            text += piece;
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(streamed, whole);
    assert_eq!(text, whole.text);
}

#[test]
fn a_stream_that_breaks_is_booked_with_the_usage_known_so_far() {
    let server = ScriptedServer::start();
    let events = events();
    let error = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}";
    let mut first: Vec<&str> = events.iter().take(8).map(String::as_str).collect();
    first.push(error);
    server.answer(PATH, ScriptedResponse::events(&first, StreamEnd::Whole));
    let (model, recorder) = open(&settings(ProviderKind::Anthropic, &server));
    let failure = model.stream(&everything(), &mut |_| ControlFlow::Continue(())).unwrap_err();
    assert!(matches!(&failure, LanguageModelError::Unreachable { detail } if detail.contains("Overloaded")));
    let booked = recorder.usage.lock().unwrap();
    assert!(!booked[0].complete && !booked[0].counted_by_provider);
    let usage = booked[0].usage;
    assert_eq!((usage.input_tokens, usage.cached_input_tokens, usage.cache_write_tokens), (5, 30, 20));
    assert_eq!(usage.output_tokens, 3, "ten bytes of text so far");
}
