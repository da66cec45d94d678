//! Models that are reached over HTTP: language models, hosted embeddings and rerankers. Everything blocks,
//! and everything can be given up: by a deadline, by a [`CancellationToken`], by the one who reads a stream.

mod answer;
mod anthropic;
mod cancellation;
mod context;
mod discover;
mod error;
mod hosted;
mod http;
mod open;
mod openai;
mod reranking;
mod secret;
mod settings;
mod sse;
mod usage;

pub use cancellation::CancellationToken;
pub use context::{CallContext, Wait, WaitReason};
pub use discover::{LocalServer, LocalServerKind, discover, probe};
pub use error::ProviderError;
pub use hosted::{HostedTokenizer, open_embedder, open_reranker};
pub use open::open_language_model;
pub use reranking::{ListwiseReranker, PointwiseReranker};
pub use secret::Secret;
pub use settings::{
    BudgetSettings, EmbeddingKind, EmbeddingSettings, EndpointSettings, OutputLimitField, PriceSettings,
    ProviderKind, ProviderSettings, RerankingKind, RerankingSettings,
};
pub use usage::{NoUsageSink, UsageRecord, UsageSink, ledger_usage};
