use std::ops::ControlFlow;

use adit_core::{CompletionRequest, LanguageModelError, OutputFormat, StopReason, TokenUsage, ToolChoice};
use adit_provider::{OutputLimitField, ProviderKind};
use adit_testkit::{ScriptedResponse, ScriptedServer, StreamEnd};
use serde_json::{Value, json};

use crate::support::{everything, open, settings};

const PATH: &str = "/v1/chat/completions";

fn answered(answer: &Value) -> (ScriptedServer, adit_provider::ProviderSettings) {
    let server = ScriptedServer::start();
    server.answer(PATH, ScriptedResponse::json(answer));
    let settings = settings(ProviderKind::OpenAi, &server);
    (server, settings)
}

fn simple_answer() -> Value {
    json!({
        "id": "chatcmpl-1", "object": "chat.completion", "model": "test-model-2026",
        "choices": [{"index": 0, "message": {"role": "assistant", "content": "Yes.", "refusal": null},
            "logprobs": {"content": [{"token": "Yes", "logprob": -0.25, "bytes": [89],
                "top_logprobs": [{"token": "Yes", "logprob": -0.25}, {"token": "No", "logprob": -1.5}]}]},
            "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 2, "total_tokens": 102,
            "prompt_tokens_details": {"cached_tokens": 64}},
    })
}

#[test]
fn a_whole_answer_is_read_and_booked() {
    let (_server, settings) = answered(&simple_answer());
    let (model, recorder) = open(&settings);
    let completion = model.complete(&CompletionRequest::question("s", "u", 10)).unwrap();
    assert_eq!(completion.text, "Yes.");
    assert_eq!(completion.stop, StopReason::Done);
    assert_eq!(completion.model, "test-model-2026");
    let expected =
        TokenUsage { input_tokens: 36, cached_input_tokens: 64, cache_write_tokens: 0, output_tokens: 2 };
    assert_eq!(completion.usage, expected);
    assert_eq!(completion.token_probabilities[0].alternatives[1], ("No".to_owned(), -1.5));
    let booked = recorder.usage.lock().unwrap();
    assert_eq!(booked.len(), 1);
    assert!(booked[0].complete && booked[0].counted_by_provider);
    assert_eq!(booked[0].usage.cached_input_tokens, 64);
    assert_eq!(booked[0].model, "test-model");
}

#[test]
fn the_request_has_the_published_shape() {
    let (server, settings) = answered(&simple_answer());
    let (model, _) = open(&settings);
    model.complete(&everything()).unwrap();
    let expected = json!({
        "model": "test-model",
        "messages": [
            {"role": "system", "content": "Answer from the passages."},
            {"role": "user", "content": "<passage id=\"p1\">Pull the lever.</passage>\nHow does it start?"},
            {"role": "assistant", "content": "Let me see.", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{\"query\":\"start\"}"}},
                {"id": "c2", "type": "function", "function": {"name": "search", "arguments": "{\"query\":\"lever\"}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "of c1"},
            {"role": "tool", "tool_call_id": "c2", "content": "Error: of c2"},
            {"role": "user", "content": "Go on."},
        ],
        "max_tokens": 50,
        "tools": [{"type": "function", "function": {"name": "search", "description": "Finds passages.",
            "parameters": {"type": "object", "properties": {"query": {"type": "string"}}}, "strict": true}}],
        "tool_choice": "auto",
    });
    assert_eq!(server.received()[0].json(), expected);
    assert_eq!(server.received()[0].header("authorization"), None);
}

#[test]
fn shapes_probabilities_and_choices_are_asked_for() {
    let (server, mut settings) = answered(&simple_answer());
    settings.output_limit_field = Some(OutputLimitField::MaxCompletionTokens);
    settings.sends_temperature = false;
    let (model, _) = open(&settings);
    let schema = json!({"type": "object", "additionalProperties": false});
    model
        .complete(&CompletionRequest {
            output: OutputFormat::Schema { name: "answer".to_owned(), schema: schema.clone() },
            token_probabilities: true,
            tool_choice: ToolChoice::Named("search".to_owned()),
            tools: everything().tools,
            ..CompletionRequest::question("", "u", 10)
        })
        .unwrap();
    let body = server.received()[0].json();
    let shape =
        json!({"type": "json_schema", "json_schema": {"name": "answer", "schema": schema, "strict": true}});
    assert_eq!(body["response_format"], shape);
    assert_eq!((&body["logprobs"], &body["top_logprobs"]), (&json!(true), &json!(20)));
    assert_eq!(body["tool_choice"], json!({"type": "function", "function": {"name": "search"}}));
    assert_eq!(body["max_completion_tokens"], json!(10));
    assert_eq!(body.get("temperature").or(body.get("max_tokens")), None);
}

#[test]
fn parallel_calls_come_back_with_what_could_not_be_read_as_text() {
    let (_server, settings) = answered(&json!({
        "choices": [{"message": {"role": "assistant", "content": null, "tool_calls": [
            {"id": "a", "type": "function", "function": {"name": "search", "arguments": "{\"query\":\"x\"}"}},
            {"id": "b", "type": "function", "function": {"name": "search", "arguments": "{\"query\":"}}]},
            "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 1, "completion_tokens": 1}}));
    let completion = open(&settings).0.complete(&everything()).unwrap();
    assert_eq!(completion.stop, StopReason::ToolCalls);
    assert_eq!(completion.tool_calls[0].arguments, json!({"query": "x"}));
    assert_eq!(completion.tool_calls[1].arguments, json!("{\"query\":"));
}

fn chunk(delta: &Value, finish: Option<&str>) -> String {
    let choice = json!({"index": 0, "delta": delta, "finish_reason": finish});
    format!("data: {}", json!({"object": "chat.completion.chunk", "model": "m", "choices": [choice]}))
}

#[test]
fn a_stream_gives_its_text_as_it_comes_and_its_calls_at_the_end() {
    let server = ScriptedServer::start();
    let call = |piece: Value| json!({"tool_calls": [piece]});
    let events = [
        chunk(&json!({"role": "assistant", "content": ""}), None),
        chunk(&json!({"content": "Hel"}), None),
        chunk(&json!({"content": "lo \u{20ac}"}), None),
        chunk(&call(json!({"index": 0, "id": "a", "function": {"name": "search", "arguments": ""}})), None),
        chunk(&call(json!({"index": 1, "id": "b", "function": {"name": "read", "arguments": "{}"}})), None),
        chunk(&call(json!({"index": 0, "function": {"arguments": "{\"query\":"}})), None),
        chunk(&call(json!({"index": 0, "function": {"arguments": "\"x\"}"}})), None),
        chunk(&json!({}), Some("tool_calls")),
        "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3}}".to_owned(),
        "data: [DONE]".to_owned(),
    ];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    server.answer(PATH, ScriptedResponse::events(&events, StreamEnd::Whole));
    let (model, recorder) = open(&settings(ProviderKind::OpenAi, &server));
    let mut pieces = Vec::new();
    let completion = model
        .stream(&everything(), &mut |text| {
            pieces.push(text.to_owned());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(pieces, ["Hel", "lo \u{20ac}"]);
    assert_eq!(completion.text, "Hello \u{20ac}");
    assert_eq!(completion.stop, StopReason::ToolCalls);
    let calls: Vec<_> = completion.tool_calls.iter().map(|call| (&call.name[..], &call.arguments)).collect();
    assert_eq!(calls, [("search", &json!({"query": "x"})), ("read", &json!({}))]);
    assert_eq!((completion.usage.input_tokens, completion.usage.output_tokens), (7, 3));
    assert!(recorder.usage.lock().unwrap()[0].complete);
    let body = server.received()[0].json();
    assert_eq!(body["stream_options"], json!({"include_usage": true}));
}

#[test]
fn a_stream_that_is_stopped_is_booked_with_an_estimate() {
    let server = ScriptedServer::start();
    let event = chunk(&json!({"content": "eight by"}), None);
    server.answer(PATH, ScriptedResponse::events(&[&event, &event], StreamEnd::Hang));
    let (model, recorder) = open(&settings(ProviderKind::OpenAi, &server));
    let completion =
        model.stream(&CompletionRequest::question("s", "u", 10), &mut |_| ControlFlow::Break(())).unwrap();
    assert_eq!((completion.text.as_str(), completion.stop), ("eight by", StopReason::Stopped));
    let booked = recorder.usage.lock().unwrap();
    assert!(!booked[0].complete && !booked[0].counted_by_provider);
    assert_eq!(booked[0].usage.output_tokens, 2);
    assert!(booked[0].usage.input_tokens > 0);
}

#[test]
fn half_a_stream_is_an_error_and_is_booked() {
    for end in [StreamEnd::Cut, StreamEnd::Whole] {
        let server = ScriptedServer::start();
        server.answer(PATH, ScriptedResponse::events(&[&chunk(&json!({"content": "Hel"}), None)], end));
        let (model, recorder) = open(&settings(ProviderKind::OpenAi, &server));
        let request = CompletionRequest::question("s", "u", 10);
        let error = model.stream(&request, &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert!(matches!(error, LanguageModelError::Unreachable { .. }), "{error}");
        assert_eq!(recorder.usage.lock().unwrap().len(), 1);
        assert_eq!(server.received().len(), 1, "text that was handed over is not asked for again");
    }
}
