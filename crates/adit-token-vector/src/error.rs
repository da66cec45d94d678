use std::path::{Path, PathBuf};

use adit_core::{Classified, ErrorClass};
use adit_segment_file::SegmentFileError;
use thiserror::Error;

/// Why token vectors could not be coded, stored or read.
#[derive(Debug, Error)]
pub enum TokenVectorError {
    /// Disk trouble.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not what was written: cut short, overwritten, mixed up.
    #[error("the token segment {path} is damaged: {detail}", path = path.display())]
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
    /// Token vectors whose length is no multiple of the dimension, or rows of another length than the make's;
    /// our defect.
    #[error("{given} were given where a multiple of {expected} is expected")]
    Length {
        /// Numbers, or bytes, of one row.
        expected: usize,
        /// What came.
        given: usize,
    },
    /// A vector that cannot be ranked; a defect of the embedder.
    #[error("a token vector has a component that is not a finite number")]
    NotFinite,
    /// Chunks must be given in rising order; our defect.
    #[error("chunk {given} was given after chunk {previous}")]
    Order {
        /// The one before.
        previous: u32,
        /// The one that is not greater.
        given: u32,
    },
    /// A make that cannot work, or that does not read back.
    #[error("token codes cannot be made like this: {detail}")]
    Make {
        /// Which and why.
        detail: String,
    },
}

impl TokenVectorError {
    pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), detail: detail.into() }
    }
}

impl From<SegmentFileError> for TokenVectorError {
    fn from(error: SegmentFileError) -> Self {
        match error {
            SegmentFileError::Io { path, source } => Self::Io { path, source },
            SegmentFileError::Damaged { path, detail } => Self::Damaged { path, detail },
        }
    }
}

impl Classified for TokenVectorError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Io { .. } | Self::Damaged { .. } => ErrorClass::World,
            Self::NewerFormat { .. } => ErrorClass::Refused,
            Self::Length { .. } | Self::NotFinite | Self::Order { .. } | Self::Make { .. } => {
                ErrorClass::Internal
            }
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Io { .. })
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::Io { .. } => "check free space and permissions, then run the command again",
            Self::Damaged { .. } => "run `adit rebuild`: it makes every derived file again from the catalog",
            Self::NewerFormat { .. } => "use the newer program that wrote it",
            Self::Make { .. } => "run `adit rebuild --late-interaction`: it makes the token codes again",
            _ => return None,
        };
        Some(hint.to_owned())
    }
}
