//! What `adit.toml` says about models that are reached over HTTP. Plain data: nothing is opened here.

mod budget;
mod endpoint;
mod hosted;
mod language_model;

pub use budget::{BudgetSettings, PriceSettings};
pub use endpoint::EndpointSettings;
pub(crate) use endpoint::is_loopback;
pub use hosted::{EmbeddingKind, EmbeddingSettings, RerankingKind, RerankingSettings};
pub use language_model::{OutputLimitField, ProviderKind, ProviderSettings};
