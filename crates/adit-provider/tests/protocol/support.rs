use std::sync::{Arc, Mutex};

use adit_core::{
    CompletionRequest, ContentPart, LanguageModel, Message, Role, SearchResultPart, ToolCall, ToolDefinition,
    ToolResult,
};
use adit_provider::{
    CallContext, EndpointSettings, ProviderKind, ProviderSettings, UsageRecord, UsageSink, Wait,
    open_language_model,
};
use adit_testkit::ScriptedServer;
use serde_json::json;

/// Remembers what was booked and what was waited for.
#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) usage: Mutex<Vec<UsageRecord>>,
    pub(crate) waits: Mutex<Vec<Wait>>,
}

impl UsageSink for Recorder {
    fn record(&self, record: &UsageRecord) {
        self.usage.lock().unwrap().push(record.clone());
    }
}

pub(crate) fn context(recorder: &Arc<Recorder>) -> CallContext {
    let for_waits = Arc::clone(recorder);
    CallContext {
        usage: Arc::clone(recorder) as Arc<dyn UsageSink>,
        on_wait: Arc::new(move |wait| for_waits.waits.lock().unwrap().push(wait.clone())),
        ..CallContext::default()
    }
}

/// Settings for the scripted server, with its key in a file and short pauses.
pub(crate) fn settings(provider: ProviderKind, server: &ScriptedServer) -> ProviderSettings {
    ProviderSettings {
        provider,
        model: "test-model".to_owned(),
        endpoint: EndpointSettings {
            base_url: Some(format!("{}/v1", server.address())),
            first_pause_ms: 1,
            ..EndpointSettings::default()
        },
        ..ProviderSettings::default()
    }
}

pub(crate) fn open(settings: &ProviderSettings) -> (Arc<dyn LanguageModel>, Arc<Recorder>) {
    let recorder = Arc::new(Recorder::default());
    (open_language_model(settings, context(&recorder)).unwrap(), recorder)
}

/// A conversation with everything in it: passages, two parallel calls, their results, a cache marker.
pub(crate) fn everything() -> CompletionRequest {
    let passage = SearchResultPart {
        source: "p1".to_owned(),
        title: "Manual, page 3".to_owned(),
        text: "<passage id=\"p1\">Pull the lever.</passage>".to_owned(),
        passage: "Pull the lever.".to_owned(),
    };
    let call = |id: &str, query: &str| {
        ContentPart::ToolCall(ToolCall {
            id: id.to_owned(),
            name: "search".to_owned(),
            arguments: json!({"query": query}),
        })
    };
    let result = |id: &str, is_error| {
        ContentPart::ToolResult(ToolResult { call_id: id.to_owned(), text: format!("of {id}"), is_error })
    };
    let message = |role, parts, cache_here| Message { role, parts, cache_here };
    let words = |text: &str| ContentPart::Text(text.to_owned());
    let messages = vec![
        message(Role::User, vec![ContentPart::SearchResult(passage), words("How does it start?")], true),
        message(Role::Assistant, vec![words("Let me see."), call("c1", "start"), call("c2", "lever")], false),
        message(Role::User, vec![words("Go on."), result("c1", false), result("c2", true)], false),
    ];
    CompletionRequest {
        cache_system: true,
        tools: vec![ToolDefinition {
            name: "search".to_owned(),
            description: "Finds passages.".to_owned(),
            input_schema: json!({"type": "object", "properties": {"query": {"type": "string"}}}),
            strict: true,
        }],
        temperature: None,
        ..CompletionRequest::conversation("Answer from the passages.", messages, 50)
    }
}
