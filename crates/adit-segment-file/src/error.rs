use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a segment's file could not be written or read; the crates above tell it in their own errors.
#[derive(Debug, Error)]
pub enum SegmentFileError {
    /// Disk trouble.
    #[error("{path}: {source}", path = path.display())]
    Io {
        /// Which file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not what was written: cut short, overwritten, mixed up.
    #[error("the segment {path} is damaged: {detail}", path = path.display())]
    Damaged {
        /// Which file.
        path: PathBuf,
        /// How it shows.
        detail: String,
    },
}

impl SegmentFileError {
    pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), detail: detail.into() }
    }

    pub(crate) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> Self {
        |source| Self::Io { path: path.to_owned(), source }
    }
}
