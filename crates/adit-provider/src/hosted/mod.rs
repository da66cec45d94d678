//! Hosted embedding models and rerankers.
//!
//! Shapes: the API references of OpenAI ("Embeddings"), Voyage AI ("Text embeddings", "Rerankers"), Cohere
//! ("Embed" and "Rerank", version 2) and Jina AI ("Embeddings", "Reranker").

mod batch;
mod embedder;
mod embedding_shape;
mod reranker;
mod tokenizer;

use crate::http::{HttpClient, Identity, Limits};
use crate::settings::{BudgetSettings, EndpointSettings, PriceSettings};
use crate::{CallContext, ProviderError};

pub use embedder::open_embedder;
pub use reranker::open_reranker;
pub use tokenizer::HostedTokenizer;

/// Where a provider is reached, and where its key lies.
struct Usual {
    address: &'static str,
    key_variable: &'static str,
    name: &'static str,
}

const OPENAI: Usual =
    Usual { address: "https://api.openai.com/v1", key_variable: "OPENAI_API_KEY", name: "open_ai" };
const VOYAGE: Usual =
    Usual { address: "https://api.voyageai.com/v1", key_variable: "VOYAGE_API_KEY", name: "voyage" };
const COHERE: Usual =
    Usual { address: "https://api.cohere.com/v2", key_variable: "COHERE_API_KEY", name: "cohere" };
const JINA: Usual = Usual { address: "https://api.jina.ai/v1", key_variable: "JINA_API_KEY", name: "jina" };

fn client(
    usual: &Usual,
    model: &str,
    (endpoint, budget, prices): (&EndpointSettings, &BudgetSettings, Option<&PriceSettings>),
    context: CallContext,
) -> Result<HttpClient, ProviderError> {
    let own = endpoint.base_url.is_none();
    // The usual variable holds the key of the usual address, and goes nowhere else.
    let secret = endpoint.key(own.then_some(usual.key_variable))?;
    let base_url = endpoint.address(Some(usual.address), secret.is_some())?;
    let headers = match &secret {
        Some(secret) => vec![("authorization", format!("Bearer {}", secret.expose()))],
        None if own => {
            return Err(ProviderError::NoKeyInVariable { variable: usual.key_variable.to_owned() });
        }
        None => Vec::new(),
    };
    let identity =
        Identity { base_url, headers, secret, provider: usual.name.to_owned(), model: model.to_owned() };
    Ok(HttpClient::new(identity, endpoint, Limits::new(endpoint, budget.clone(), prices.cloned()), context))
}
