use serde_json::Value;

use crate::CallContext;
use crate::http::{HttpClient, Identity, Limits};
use crate::settings::{BudgetSettings, EndpointSettings};

/// A server on this machine answers at once or is not there.
const CONNECT_TIMEOUT_MS: u64 = 300;
const ANSWER_TIMEOUT_MS: u64 = 2_000;
const MAX_LIST_BYTES: usize = 4 << 20;

/// What is looked for on this machine, in this order.
const KNOWN: [(LocalServerKind, &str); 2] = [
    (LocalServerKind::Ollama, "http://127.0.0.1:11434/v1"),
    (LocalServerKind::LlamaCpp, "http://127.0.0.1:8080/v1"),
];

/// Which program serves the models.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LocalServerKind {
    /// Ollama, at its usual port 11434.
    Ollama,
    /// llama.cpp's server, at its usual port 8080.
    LlamaCpp,
    /// A server whose address was named.
    Other,
}

/// A server of language models on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocalServer {
    /// Which program it is taken for, by its port.
    pub kind: LocalServerKind,
    /// Its OpenAI-compatible address.
    pub base_url: String,
    /// The models it lists, in its order.
    pub models: Vec<String>,
}

/// Looks for servers of language models at their usual ports on this machine; waits 2 s at most for each.
#[must_use]
pub fn discover() -> Vec<LocalServer> {
    KNOWN.iter().filter_map(|(kind, base_url)| probe(*kind, base_url)).collect()
}

/// The addresses that [`discover`] tries.
pub(crate) fn addresses() -> String {
    KNOWN.map(|(_, address)| address).join(", ")
}

/// The server at `base_url` with its models, if it lists any by OpenAI's `GET /models`.
#[must_use]
pub fn probe(kind: LocalServerKind, base_url: &str) -> Option<LocalServer> {
    let endpoint = EndpointSettings {
        base_url: Some(base_url.to_owned()),
        connect_timeout_ms: CONNECT_TIMEOUT_MS,
        silence_timeout_ms: ANSWER_TIMEOUT_MS,
        deadline_ms: ANSWER_TIMEOUT_MS,
        max_answer_bytes: MAX_LIST_BYTES,
        ..EndpointSettings::default()
    };
    let base_url = endpoint.address(None, false).ok()?;
    let identity = Identity {
        base_url: base_url.clone(),
        headers: Vec::new(),
        secret: None,
        provider: String::new(),
        model: String::new(),
    };
    let limits = Limits::new(&endpoint, BudgetSettings::default(), None);
    let list = HttpClient::new(identity, &endpoint, limits, CallContext::default()).get("/models").ok()?;
    let models: Vec<String> = list
        .get("data")?
        .as_array()?
        .iter()
        .filter_map(|model| model.get("id").and_then(Value::as_str).map(str::to_owned))
        .collect();
    Some(LocalServer { kind, base_url, models })
}
