use adit_core::CompletionRequest;
use adit_provider::{LocalServerKind, ProviderError, ProviderKind, open_language_model, probe};
use adit_testkit::{ScriptedResponse, ScriptedServer};
use serde_json::json;

use crate::support::settings;

#[test]
fn a_server_is_known_by_its_list_of_models() {
    let server = ScriptedServer::start();
    let list = json!({"object": "list", "data": [{"id": "smollm2:135m"}, {"id": "other"}]});
    server.answer("/v1/models", ScriptedResponse::json(&list));
    let found = probe(LocalServerKind::Ollama, &format!("{}/v1", server.address())).unwrap();
    assert_eq!(found.models, ["smollm2:135m", "other"]);
    for answer in
        [ScriptedResponse::status(404, ""), ScriptedResponse::status(200, "hello"), ScriptedResponse::Reset]
    {
        server.answer("/v1/models", answer);
        assert_eq!(probe(LocalServerKind::LlamaCpp, &format!("{}/v1", server.address())), None);
    }
}

#[test]
fn a_local_model_is_the_first_or_the_named_one() {
    let server = ScriptedServer::start();
    let list = json!({"data": [{"id": "first"}, {"id": "second"}]});
    let mut settings = settings(ProviderKind::Local, &server);
    settings.model = String::new();
    server.answer("/v1/models", ScriptedResponse::json(&list));
    let model = open_language_model(&settings, adit_provider::CallContext::default()).unwrap();
    assert_eq!((&model.description().provider[..], &model.description().model[..]), ("local", "first"));
    server.answer(
        "/v1/chat/completions",
        ScriptedResponse::json(&json!({
        "choices": [{"message": {"content": "hi"}, "finish_reason": "stop"}]})),
    );
    let completion = model.complete(&CompletionRequest::question("s", "u", 5)).unwrap();
    assert!(completion.usage.input_tokens > 0, "estimated where the server does not count");
    let silent = open_language_model(&settings, adit_provider::CallContext::default());
    assert!(matches!(silent.err(), Some(ProviderError::NoLocalServer { .. })));
}
