use adit_core::{Classified, ErrorClass};
use thiserror::Error;

/// Why enrichments could not be kept or read. A model's failure is no error: the outcome tells of it.
#[derive(Debug, Error)]
pub enum EnrichError {
    /// The file has another program's tables, or none of ours.
    #[error("{path} is not an enrichment database")]
    NotEnrichments {
        /// The file.
        path: String,
    },
    /// A newer program wrote it.
    #[error("{path} has format {found}; this program reads up to {supported}")]
    NewerFormat {
        /// The file.
        path: String,
        /// Its format.
        found: u32,
        /// The newest we read.
        supported: u32,
    },
    /// SQLite failed.
    #[error("the enrichment database failed: {0}")]
    Database(#[from] rusqlite::Error),
    /// A row's usage is not what we write.
    #[error("an enrichment's usage cannot be read: {0}")]
    Usage(#[from] serde_json::Error),
}

impl Classified for EnrichError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::NotEnrichments { .. } | Self::NewerFormat { .. } => ErrorClass::User,
            Self::Database(_) | Self::Usage(_) => ErrorClass::World,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NotEnrichments { .. } => Some("move the file away and enrich again".to_owned()),
            Self::NewerFormat { .. } => Some("use the newer program".to_owned()),
            Self::Database(_) | Self::Usage(_) => None,
        }
    }
}
