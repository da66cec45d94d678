use std::path::{Path, PathBuf};

use adit_core::{Classified, ErrorClass};
use adit_segment_file::SegmentFileError;
use thiserror::Error;

/// Why a segment could not be built or read, or a search not answered.
#[derive(Debug, Error)]
pub enum VectorError {
    /// Disk trouble.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not what was written: cut short, overwritten, mixed up.
    #[error("the vector segment {path} is damaged: {detail}", path = path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// How it shows.
        detail: String,
    },
    /// Written by a newer Adit.
    #[error("{path} has format version {found}; this program reads {supported}", path = path.display())]
    NewerFormat {
        /// Which file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        supported: u32,
    },
    /// A vector has the wrong length; our defect.
    #[error("a vector of dimension {given} was given where {expected} is expected")]
    Dimension {
        /// The set's.
        expected: usize,
        /// The caller's.
        given: usize,
    },
    /// A vector that cannot be ranked; a defect of the embedder.
    #[error("the vector of {what} has a component that is not a finite number")]
    NotFinite {
        /// A chunk or the query.
        what: String,
    },
    /// Chunks must be given in rising order; our defect.
    #[error("chunk {given} was given after chunk {previous}")]
    Order {
        /// The one before.
        previous: u32,
        /// The one that is not greater.
        given: u32,
    },
    /// Settings that cannot work; our defect.
    #[error("vector settings cannot work: {detail}")]
    Settings {
        /// Which and why.
        detail: String,
    },
    /// The caller asked to stop. Nothing is left behind.
    #[error("the build was cancelled")]
    Cancelled,
    /// The build's threads could not be started.
    #[error("the threads of a build could not be started: {detail}")]
    Threads {
        /// What the system said.
        detail: String,
    },
}

impl VectorError {
    pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), detail: detail.into() }
    }
}

impl From<SegmentFileError> for VectorError {
    fn from(error: SegmentFileError) -> Self {
        match error {
            SegmentFileError::Io { path, source } => Self::Io { path, source },
            SegmentFileError::Damaged { path, detail } => Self::Damaged { path, detail },
        }
    }
}

impl Classified for VectorError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Io { .. } | Self::Damaged { .. } | Self::Threads { .. } => ErrorClass::World,
            Self::NewerFormat { .. } => ErrorClass::Refused,
            Self::Cancelled => ErrorClass::User,
            Self::Dimension { .. } | Self::NotFinite { .. } | Self::Order { .. } | Self::Settings { .. } => {
                ErrorClass::Internal
            }
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Io { .. } | Self::Cancelled | Self::Threads { .. })
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Io { .. } => "check free space and permissions, then run the command again",
            Self::Damaged { .. } => "run `adit rebuild`: it makes every derived file again from the catalog",
            Self::NewerFormat { .. } => "use the newer program that wrote it",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}
