use std::path::{Path, PathBuf};

use adit_core::{Classified, ErrorClass};
use tantivy::TantivyError;
use tantivy::directory::error::LockError;
use thiserror::Error;

/// Why the lexical index did not answer or did not take a change.
#[derive(Debug, Error)]
pub enum LexicalError {
    /// Another writer holds the folder.
    #[error("another writer has the lexical index {folder} open")]
    Locked {
        /// The index's folder.
        folder: PathBuf,
    },
    /// Files are missing, cut short or altered; the index can be made again from the catalog.
    #[error("the lexical index {folder} is damaged: {detail}")]
    Damaged {
        /// The index's folder.
        folder: PathBuf,
        /// How it shows.
        detail: String,
    },
    /// The folder holds an index with other fields or other analysers.
    #[error("the lexical index {folder} was made by {found}; this program makes {expected}")]
    OtherFormat {
        /// The index's folder.
        folder: PathBuf,
        /// What its schema says.
        found: String,
        /// What ours says.
        expected: String,
    },
    /// Disk trouble.
    #[error("{folder}: {source}")]
    Io {
        /// The index's folder.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// tantivy refused for another reason.
    #[error("the tantivy engine failed: {detail}")]
    Engine {
        /// What it said.
        detail: String,
    },
}

impl LexicalError {
    /// Sorts an error of tantivy's into ours; `folder` is the index it came from.
    pub(crate) fn from_tantivy(folder: &Path, error: TantivyError) -> Self {
        let folder = folder.to_owned();
        match error {
            TantivyError::LockFailure(LockError::LockBusy, _) => Self::Locked { folder },
            TantivyError::DataCorruption(detail) => Self::Damaged { folder, detail: format!("{detail:?}") },
            TantivyError::OpenReadError(detail) => Self::Damaged { folder, detail: detail.to_string() },
            TantivyError::IncompatibleIndex(detail) => {
                Self::Damaged { folder, detail: format!("{detail:?}") }
            }
            TantivyError::IoError(source) => {
                Self::Io { folder, source: std::io::Error::new(source.kind(), source.to_string()) }
            }
            other => Self::Engine { detail: other.to_string() },
        }
    }
}

impl Classified for LexicalError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Locked { .. } | Self::OtherFormat { .. } => ErrorClass::Refused,
            Self::Damaged { .. } | Self::Io { .. } => ErrorClass::World,
            Self::Engine { .. } => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Locked { .. } | Self::Io { .. })
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Locked { .. } => "wait for the other writer to end; searching is possible meanwhile",
                Self::Damaged { .. } | Self::OtherFormat { .. } => {
                    "run `adit rebuild`: it makes the lexical index again from the catalog"
                }
                Self::Io { .. } => "check free space and permissions, then run the command again",
                Self::Engine { .. } => return None,
            }
            .to_owned(),
        )
    }
}
