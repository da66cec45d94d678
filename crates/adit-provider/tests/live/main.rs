//! The provider against a real server with a small model, started by `cargo xtask live-test`. Ignored
//! otherwise: it needs `ADIT_LIVE_SERVER`, the address of an OpenAI-compatible server up to `/v1`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::ops::ControlFlow;
use std::sync::Arc;

use adit_core::{CompletionRequest, LanguageModel, OutputFormat, Reranker, StopReason};
use adit_provider::{
    CallContext, EndpointSettings, PointwiseReranker, ProviderKind, ProviderSettings, open_language_model,
};
use serde_json::{Value, json};

fn model() -> Arc<dyn LanguageModel> {
    let address = std::env::var("ADIT_LIVE_SERVER").unwrap();
    let endpoint = EndpointSettings { base_url: Some(address), ..EndpointSettings::default() };
    let settings =
        ProviderSettings { provider: ProviderKind::Local, endpoint, ..ProviderSettings::default() };
    open_language_model(&settings, CallContext::default()).unwrap()
}

fn question() -> CompletionRequest {
    CompletionRequest::question("You answer briefly.", "Name the capital of France.", 24)
}

#[test]
#[ignore = "needs a server: cargo xtask live-test"]
fn a_whole_answer_and_its_tokens() {
    let completion = model().complete(&question()).unwrap();
    assert!(!completion.text.trim().is_empty());
    assert!(completion.usage.read_tokens() > 10 && completion.usage.output_tokens > 0, "{completion:?}");
    assert!(completion.usage.output_tokens <= 24);
}

#[test]
#[ignore = "needs a server: cargo xtask live-test"]
fn a_stream_says_the_same_at_temperature_zero() {
    let model = model();
    let mut pieces = Vec::new();
    let streamed = model
        .stream(&question(), &mut |text| {
            pieces.push(text.to_owned());
            ControlFlow::Continue(())
        })
        .unwrap();
    assert!(pieces.len() > 1);
    assert_eq!(pieces.concat(), streamed.text);
    let whole = model.complete(&question()).unwrap();
    assert_eq!(streamed.text, whole.text);
    assert_eq!(streamed.usage.read_tokens(), whole.usage.read_tokens());
    let stopped = model.stream(&question(), &mut |_| ControlFlow::Break(())).unwrap();
    assert_eq!(stopped.stop, StopReason::Stopped);
}

#[test]
#[ignore = "needs a server: cargo xtask live-test"]
fn probabilities_belong_to_the_tokens_written() {
    let completion =
        model().complete(&CompletionRequest { token_probabilities: true, ..question() }).unwrap();
    assert!(!completion.token_probabilities.is_empty());
    let text: String = completion.token_probabilities.iter().map(|token| token.token.as_str()).collect();
    assert!(text.contains(completion.text.trim()), "{text:?} {:?}", completion.text);
    for token in &completion.token_probabilities {
        assert!(token.log_probability <= 0.0 && token.alternatives.len() > 1);
    }
}

#[test]
#[ignore = "needs a server: cargo xtask live-test"]
fn an_answer_is_held_to_its_shape() {
    let schema = json!({"type": "object", "required": ["capital"], "additionalProperties": false,
        "properties": {"capital": {"type": "string", "maxLength": 20}}});
    let output = OutputFormat::Schema { name: "answer".to_owned(), schema };
    let completion =
        model().complete(&CompletionRequest { output, max_output_tokens: 64, ..question() }).unwrap();
    let answer: Value = serde_json::from_str(&completion.text).unwrap();
    assert!(answer["capital"].is_string(), "{answer}");
}

#[test]
#[ignore = "needs a server: cargo xtask live-test"]
fn passages_are_judged_by_the_probability_of_yes() {
    let passages = ["Paris is the capital of France.", "Bread is baked from flour."];
    match PointwiseReranker::new(model()).score("What is the capital of France?", &passages) {
        Ok(scores) => assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)), "{scores:?}"),
        // A model this small may say neither; that must be told, not guessed.
        Err(error) => assert!(error.to_string().contains("neither yes nor no"), "{error}"),
    }
}
