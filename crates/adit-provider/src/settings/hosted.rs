use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{BudgetSettings, EndpointSettings, PriceSettings};
use crate::ProviderError;

/// Which interface a hosted embedding model speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EmbeddingKind {
    /// OpenAI's embeddings, and what speaks like them. Query and document are told apart by the templates.
    OpenAi,
    /// Voyage AI.
    Voyage,
    /// Cohere, version 2.
    Cohere,
    /// Jina AI.
    Jina,
}

/// Which interface a hosted reranker speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RerankingKind {
    /// Cohere, version 2.
    Cohere,
    /// Voyage AI.
    Voyage,
    /// Jina AI, and what speaks like it: llama.cpp, vLLM, Text Embeddings Inference behind a gateway.
    Jina,
}

/// A hosted embedding model: the section `[embedding]` of `adit.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbeddingSettings {
    /// Which interface it speaks.
    pub provider: EmbeddingKind,
    /// Its name at the provider.
    pub model: String,
    /// The provider's version of it, where it tells one; enters the fingerprint.
    #[serde(default)]
    pub revision: String,
    /// Length of its vectors. Another length in an answer is an error.
    pub dimension: usize,
    /// Whether `dimension` is asked for, with models that can shorten their vectors.
    #[serde(default)]
    pub asks_for_dimension: bool,
    /// The most tokens one text may have.
    pub max_input_tokens: usize,
    /// The model's `tokenizer.json`; without one every byte counts as a token, which no text exceeds.
    #[serde(default)]
    pub tokenizer_file: Option<PathBuf>,
    /// Prepared form of a query, `{text}` standing for it.
    #[serde(default = "plain")]
    pub query_template: String,
    /// Prepared form of a document, `{text}` standing for it.
    #[serde(default = "plain")]
    pub document_template: String,
    /// The most texts of one call.
    #[serde(default = "batch_texts")]
    pub batch_texts: usize,
    /// The most tokens of one call.
    #[serde(default = "batch_tokens")]
    pub batch_tokens: usize,
    /// Where it is reached.
    #[serde(default)]
    pub endpoint: EndpointSettings,
    /// What all calls of one run may use together.
    #[serde(default)]
    pub budget: BudgetSettings,
    /// What it costs, in place of the price table's entry.
    #[serde(default)]
    pub prices: Option<PriceSettings>,
}

/// A hosted reranker: the section `[reranker]` of `adit.toml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RerankingSettings {
    /// Which interface it speaks.
    pub provider: RerankingKind,
    /// Its name at the provider.
    pub model: String,
    /// The provider's version of it, where it tells one; enters the fingerprint.
    #[serde(default)]
    pub revision: String,
    /// The most tokens of question and passage together, where that is known.
    #[serde(default)]
    pub max_input_tokens: Option<usize>,
    /// The most passages of one call.
    #[serde(default = "batch_passages")]
    pub batch_passages: usize,
    /// Where it is reached.
    #[serde(default)]
    pub endpoint: EndpointSettings,
    /// What all calls of one run may use together.
    #[serde(default)]
    pub budget: BudgetSettings,
    /// What it costs, in place of the price table's entry.
    #[serde(default)]
    pub prices: Option<PriceSettings>,
}

fn plain() -> String {
    "{text}".to_owned()
}

fn batch_texts() -> usize {
    64
}

fn batch_tokens() -> usize {
    50_000
}

fn batch_passages() -> usize {
    100
}

impl EmbeddingSettings {
    /// # Errors
    /// [`ProviderError::Setting`].
    pub(crate) fn check(&self) -> Result<(), ProviderError> {
        for (setting, value) in [
            ("dimension", self.dimension),
            ("max_input_tokens", self.max_input_tokens),
            ("batch_texts", self.batch_texts),
            ("batch_tokens", self.batch_tokens),
        ] {
            if value == 0 {
                return Err(ProviderError::setting(setting, "it must be at least 1"));
            }
        }
        for (setting, template) in
            [("query_template", &self.query_template), ("document_template", &self.document_template)]
        {
            if !template.contains("{text}") {
                return Err(ProviderError::setting(setting, "it must hold {text}"));
            }
        }
        self.endpoint.check()?;
        check_model(&self.model, &self.budget, self.prices.as_ref())
    }
}

impl RerankingSettings {
    /// # Errors
    /// [`ProviderError::Setting`].
    pub(crate) fn check(&self) -> Result<(), ProviderError> {
        if self.batch_passages == 0 {
            return Err(ProviderError::setting("batch_passages", "it must be at least 1"));
        }
        self.endpoint.check()?;
        check_model(&self.model, &self.budget, self.prices.as_ref())
    }
}

fn check_model(
    model: &str,
    budget: &BudgetSettings,
    prices: Option<&PriceSettings>,
) -> Result<(), ProviderError> {
    if model.trim().is_empty() {
        return Err(ProviderError::setting("model", "it is missing"));
    }
    if budget.usd.is_some() && prices.is_none() {
        return Err(ProviderError::setting("budget.usd", "it needs prices"));
    }
    prices.map_or(Ok(()), PriceSettings::check)
}
