use std::path::PathBuf;

use adit_catalog::CatalogError;
use adit_core::{ChunkError, Classified, EmbedError, ErrorClass, IndexError};
use adit_token_vector::TokenVectorError;
use thiserror::Error;

/// Why a whole run, not one file, could not go on.
#[derive(Debug, Error)]
pub enum IngestError {
    /// The user's fault: a path that is not there.
    #[error("there is nothing at {path}")]
    PathNotFound {
        /// What was given.
        path: PathBuf,
    },
    /// The user's fault: no home directory here or above.
    #[error("no .adit folder in {start} or above it")]
    NoHome {
        /// Where the search began.
        start: PathBuf,
    },
    /// The user's fault: settings that cannot be read.
    #[error("{path}: {detail}")]
    Settings {
        /// The file.
        path: PathBuf,
        /// What is wrong, with its line.
        detail: String,
    },
    /// Disk trouble.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// The truth refused or failed.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The index refused or failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The chunker's settings cannot work for any document.
    #[error(transparent)]
    Chunk(#[from] ChunkError),
    /// The model failed; not the fault of one document.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// Token vectors could not be coded.
    #[error(transparent)]
    TokenVectors(#[from] TokenVectorError),
}

impl Classified for IngestError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::PathNotFound { .. } | Self::NoHome { .. } | Self::Settings { .. } => ErrorClass::User,
            Self::Io(_) => ErrorClass::World,
            Self::Catalog(error) => error.class(),
            Self::Index(error) => error.class(),
            Self::Chunk(error) => error.class(),
            Self::Embed(error) => error.class(),
            Self::TokenVectors(error) => error.class(),
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::Io(_) => true,
            Self::Catalog(error) => error.is_retryable(),
            Self::Index(error) => error.is_retryable(),
            _ => false,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::PathNotFound { .. } => {
                Some("check the spelling; paths are read from the current folder".to_owned())
            }
            Self::NoHome { .. } => {
                Some("make an index first: `adit index PATH`, or name one: `adit --home DIR ...`".to_owned())
            }
            Self::Settings { .. } => Some("docs/settings.md lists every key with its default".to_owned()),
            Self::Io(_) => Some("check free space and permissions, then run the command again".to_owned()),
            Self::Catalog(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::Chunk(error) => error.hint(),
            Self::Embed(error) => error.hint(),
            Self::TokenVectors(error) => error.hint(),
        }
    }
}
