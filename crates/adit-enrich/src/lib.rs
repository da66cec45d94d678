//! Contextual enrichment: a language model writes a few words for each chunk that say what the chunk alone
//! does not, and they are indexed in front of it (Anthropic, "Introducing Contextual Retrieval", 2024).
//!
//! Answers are kept in a database of their own ([`EnrichmentStore`]), each committed before the next call, so
//! that a killed run loses at most the one call that was not answered yet and pays for nothing twice.

mod answer_check;
mod applied;
mod enricher;
mod error;
mod estimate;
mod key;
mod kind;
mod store;

pub use answer_check::Refusal;
pub use applied::enriched_indexed;
pub use enricher::{DocumentToEnrich, EnrichBudget, EnrichOutcome, EnrichProgress, Enricher, StopCause};
pub use error::EnrichError;
pub use estimate::{estimate, estimated_tokens};
pub use key::EnrichmentKey;
pub use kind::EnrichKind;
pub use store::{EnrichmentStore, FORMAT_VERSION, StoredEnrichment};
