use std::sync::Arc;

use adit_core::{EmbedError, Embedder, EmbedderDescription, Tokenizer};
use adit_cost::Usage;

use super::batch::{self, BatchFailure};
use super::embedding_shape::{self, InputType};
use super::tokenizer::HostedTokenizer;
use super::{COHERE, JINA, OPENAI, VOYAGE, client};
use crate::http::{HttpClient, HttpFailure};
use crate::settings::{EmbeddingKind, EmbeddingSettings};
use crate::{CallContext, ProviderError};

/// Opens a hosted embedding model. Nothing is sent.
///
/// # Errors
/// [`ProviderError`].
pub fn open_embedder(
    settings: &EmbeddingSettings,
    context: CallContext,
) -> Result<Arc<dyn Embedder>, ProviderError> {
    settings.check()?;
    let usual = match settings.provider {
        EmbeddingKind::OpenAi => &OPENAI,
        EmbeddingKind::Voyage => &VOYAGE,
        EmbeddingKind::Cohere => &COHERE,
        EmbeddingKind::Jina => &JINA,
    };
    let limits = (&settings.endpoint, &settings.budget, settings.prices.as_ref());
    let client = client(usual, &settings.model, limits, context)?;
    let tokenizer = match &settings.tokenizer_file {
        Some(path) => HostedTokenizer::from_file(path, settings.max_input_tokens)?,
        None => HostedTokenizer::by_bytes(settings.max_input_tokens),
    };
    let description = EmbedderDescription {
        model: settings.model.clone(),
        revision: settings.revision.clone(),
        dimension: settings.dimension,
        precision: "hosted".to_owned(),
        pooling: "hosted".to_owned(),
        max_input_tokens: settings.max_input_tokens,
        query_template: settings.query_template.clone(),
        document_template: settings.document_template.clone(),
    };
    Ok(Arc::new(HostedEmbedder { settings: settings.clone(), client, tokenizer, description }))
}

struct HostedEmbedder {
    settings: EmbeddingSettings,
    client: HttpClient,
    tokenizer: HostedTokenizer,
    description: EmbedderDescription,
}

impl HostedEmbedder {
    fn embed(&self, texts: &[String], input: InputType) -> Result<Vec<Vec<f32>>, EmbedError> {
        let tokens = texts.iter().map(|text| self.checked_tokens(text)).collect::<Result<Vec<_>, _>>()?;
        let ranges = batch::ranges(&tokens, self.settings.batch_texts, self.settings.batch_tokens);
        let answers = batch::ask(ranges, &mut |range| {
            let texts = texts.get(range.clone()).unwrap_or_default();
            let tokens: usize = tokens.get(range).unwrap_or_default().iter().sum();
            self.call(texts, tokens as u64, input)
        });
        answers.map_err(|failure| match failure {
            BatchFailure::Http(failure) => failure.into(),
            BatchFailure::ItemTooLarge { index, detail } => EmbedError::Unreachable {
                detail: format!("text {index} of {} is too large by itself: {detail}", texts.len()),
                retryable: false,
            },
        })
    }

    fn checked_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        let tokens = self.tokenizer.count_tokens(text)?;
        let limit_tokens = self.settings.max_input_tokens;
        if tokens > limit_tokens {
            return Err(EmbedError::InputTooLong { tokens, limit_tokens });
        }
        Ok(tokens)
    }

    fn call(&self, texts: &[String], tokens: u64, input: InputType) -> Result<Vec<Vec<f32>>, HttpFailure> {
        let EmbeddingSettings { provider, model, dimension, asks_for_dimension, .. } = &self.settings;
        let asked = asks_for_dimension.then_some(*dimension);
        let body = embedding_shape::body(*provider, model, texts, input, asked);
        let most = Usage { embedded_tokens: tokens, ..Usage::default() };
        let answer = self.client.post(embedding_shape::path(*provider), &body, most)?;
        let read = embedding_shape::read(*provider, &answer, texts.len(), *dimension);
        let billed = read.as_ref().ok().and_then(|(_, billed)| *billed);
        let usage = Usage { embedded_tokens: billed.unwrap_or(tokens), ..Usage::default() };
        self.client.record(usage, most, read.is_ok(), billed.is_some());
        read.map(|(vectors, _)| vectors)
    }
}

impl Embedder for HostedEmbedder {
    fn description(&self) -> &EmbedderDescription {
        &self.description
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        &self.tokenizer
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let prepare = |text: &&str| self.settings.document_template.replace("{text}", text);
        self.embed(&texts.iter().map(prepare).collect::<Vec<_>>(), InputType::Document)
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let prepared = self.settings.query_template.replace("{text}", text);
        let vectors = self.embed(&[prepared], InputType::Query)?;
        vectors
            .into_iter()
            .next()
            .ok_or_else(|| EmbedError::UnreadableAnswer { detail: "no vector came back".to_owned() })
    }
}
