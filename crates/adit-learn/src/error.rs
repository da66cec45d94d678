use std::path::PathBuf;

use adit_core::{Classified, ErrorClass};
use thiserror::Error;

/// Why a ranker could not be trained, kept or read.
#[derive(Debug, Error)]
pub enum LearnError {
    /// The user's: rows that nothing can be learnt from, or settings that cannot be meant.
    #[error("the ranker cannot be trained: {detail}")]
    Training {
        /// What is wrong.
        detail: String,
    },
    /// The user's: a file that holds no ranker.
    #[error("{path} holds no trained ranker: {detail}")]
    Format {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// The user's: a file of a later version.
    #[error("{path} has ranker format {found}; this version reads up to {supported}")]
    NewerFormat {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// The newest that is read.
        supported: u32,
    },
    /// Disk trouble.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl Classified for LearnError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Training { .. } | Self::Format { .. } => ErrorClass::User,
            Self::NewerFormat { .. } => ErrorClass::Refused,
            Self::Io(_) => ErrorClass::World,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Io(_))
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::Training { .. } => "write more questions: `adit golden add`",
                Self::Format { .. } => "remove the file and train again: `adit train-ranker`",
                Self::NewerFormat { .. } => "use the version of adit that wrote it, or train again",
                Self::Io(_) => "check the path, its permissions and the free space",
            }
            .to_owned(),
        )
    }
}
