//! Language models as rerankers.

mod listwise;
mod permutation;
mod pointwise;

use std::sync::Arc;

use adit_core::{
    Classified, CompletionRequest, LanguageModel, LanguageModelError, RerankError, RerankerDescription,
};

pub use listwise::ListwiseReranker;
pub use pointwise::PointwiseReranker;

fn description(model: &Arc<dyn LanguageModel>, method: &str) -> RerankerDescription {
    let described = model.description();
    RerankerDescription {
        model: described.model.clone(),
        revision: format!("{}-{method}", described.provider),
        precision: "hosted".to_owned(),
        max_input_tokens: described.context_window_tokens,
    }
}

fn failed(error: LanguageModelError) -> RerankError {
    match error {
        LanguageModelError::UnreadableAnswer { detail } => RerankError::UnreadableAnswer { detail },
        other => RerankError::Unreachable { retryable: other.is_retryable(), detail: other.to_string() },
    }
}

fn ask(model: &dyn LanguageModel, request: &CompletionRequest) -> Result<adit_core::Completion, RerankError> {
    model.complete(request).map_err(failed)
}
