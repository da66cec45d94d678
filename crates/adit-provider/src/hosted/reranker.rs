use std::sync::Arc;

use adit_core::{RerankError, Reranker, RerankerDescription};
use adit_cost::Usage;
use serde_json::{Value, json};

use super::batch::{self, BatchFailure};
use super::{COHERE, JINA, VOYAGE, client};
use crate::http::{HttpClient, HttpFailure, estimated_tokens};
use crate::settings::{RerankingKind, RerankingSettings};
use crate::{CallContext, ProviderError};

const PATH: &str = "/rerank";

/// Opens a hosted reranker. Nothing is sent.
///
/// A passage that is too long is left to the provider where its interface offers no refusal (Cohere and Jina
/// read a long document in parts of their own); Voyage is told to refuse.
///
/// # Errors
/// [`ProviderError`].
pub fn open_reranker(
    settings: &RerankingSettings,
    context: CallContext,
) -> Result<Arc<dyn Reranker>, ProviderError> {
    settings.check()?;
    let usual = match settings.provider {
        RerankingKind::Cohere => &COHERE,
        RerankingKind::Voyage => &VOYAGE,
        RerankingKind::Jina => &JINA,
    };
    let limits = (&settings.endpoint, &settings.budget, settings.prices.as_ref());
    let client = client(usual, &settings.model, limits, context)?;
    let description = RerankerDescription {
        model: settings.model.clone(),
        revision: settings.revision.clone(),
        precision: "hosted".to_owned(),
        max_input_tokens: settings.max_input_tokens,
    };
    Ok(Arc::new(HostedReranker { settings: settings.clone(), client, description }))
}

struct HostedReranker {
    settings: RerankingSettings,
    client: HttpClient,
    description: RerankerDescription,
}

impl Reranker for HostedReranker {
    fn description(&self) -> &RerankerDescription {
        &self.description
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        let tokens = vec![0; passages.len()];
        let ranges = batch::ranges(&tokens, self.settings.batch_passages, usize::MAX);
        let scores =
            batch::ask(ranges, &mut |range| self.call(query, passages.get(range).unwrap_or_default()));
        scores.map_err(|failure| match failure {
            BatchFailure::Http(failure) => failure.into(),
            BatchFailure::ItemTooLarge { index, detail } => RerankError::Unreachable {
                detail: format!("passage {index} of {} is too large by itself: {detail}", passages.len()),
                retryable: false,
            },
        })
    }
}

impl HostedReranker {
    fn call(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, HttpFailure> {
        let body = body(self.settings.provider, &self.settings.model, query, passages);
        let most = Usage { input_tokens: estimated_tokens(body.to_string().len()), ..Usage::default() };
        let answer = self.client.post(PATH, &body, most)?;
        let scores = scores(&answer, passages.len());
        let told = answer.pointer("/usage/total_tokens").and_then(Value::as_u64);
        let usage = Usage { input_tokens: told.unwrap_or(most.input_tokens), ..Usage::default() };
        self.client.record(usage, most, scores.is_ok(), told.is_some());
        scores
    }
}

fn body(kind: RerankingKind, model: &str, query: &str, passages: &[&str]) -> Value {
    match kind {
        RerankingKind::Cohere => {
            json!({"model": model, "query": query, "documents": passages, "top_n": passages.len()})
        }
        RerankingKind::Voyage => {
            json!({"model": model, "query": query, "documents": passages, "top_k": passages.len(),
                "truncation": false, "return_documents": false})
        }
        RerankingKind::Jina => {
            json!({"model": model, "query": query, "documents": passages, "top_n": passages.len(),
                "return_documents": false})
        }
    }
}

/// Scores in the order of the passages, from `results` (Cohere, Jina) or `data` (Voyage).
fn scores(answer: &Value, passages: usize) -> Result<Vec<f32>, HttpFailure> {
    let results = answer.get("results").or(answer.get("data")).and_then(Value::as_array);
    let results = results.ok_or_else(|| HttpFailure::unreadable("the answer has no results"))?;
    let mut scores = vec![None; passages];
    for result in results {
        let index = result.get("index").and_then(Value::as_u64).and_then(|index| usize::try_from(index).ok());
        let score = result.get("relevance_score").or(result.get("score")).and_then(Value::as_f64);
        match (index.and_then(|index| scores.get_mut(index)), score) {
            (Some(slot @ None), Some(score)) => *slot = Some(score as f32),
            _ => return Err(HttpFailure::unreadable("a result without an index or a score of its own")),
        }
    }
    let all: Option<Vec<f32>> = scores.into_iter().collect();
    all.ok_or_else(|| HttpFailure::unreadable(format!("{} scores for {passages} passages", results.len())))
}
