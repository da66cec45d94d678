use adit_core::{Classified, ErrorClass, Fingerprint, IndexError, SequenceNumber};
use rusqlite::ErrorCode;
use thiserror::Error;

/// Why the catalog did not answer or did not take a change. After any error the catalog is as it was
/// before the call: a transaction is committed whole or not at all.
#[derive(Debug, Error)]
pub enum CatalogError {
    /// Refused: written by a newer Adit.
    #[error("{path} has format version {found}; this program reads up to {supported}")]
    NewerFormat {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
        /// The newest we know.
        supported: u32,
    },
    /// The file is no catalog: another program's database.
    #[error("{path} is a database of another program, not an Adit catalog")]
    NotACatalog {
        /// The file.
        path: String,
    },
    /// There is no catalog to read.
    #[error("there is no catalog at {path}")]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// The file's bytes are not what was written.
    #[error("the catalog {path} is damaged: {detail}")]
    Damaged {
        /// The file.
        path: String,
        /// How it shows.
        detail: String,
    },
    /// Disk trouble while a file is opened or created.
    #[error("the catalog {path} cannot be opened: {detail}")]
    Open {
        /// The file.
        path: String,
        /// What the system said.
        detail: String,
    },
    /// Disk trouble: full, failing, or without permission. Nothing of the change was kept.
    #[error("the catalog could not be read or written: {detail}")]
    Io {
        /// What SQLite said.
        detail: String,
        /// Whether the disk was full.
        disk_full: bool,
    },
    /// Another process held the write lock for longer than the timeout.
    #[error("another process is writing to the catalog")]
    Busy,
    /// A change was asked of a catalog that was opened for reading.
    #[error("the catalog was opened for reading only")]
    ReadOnly,
    /// Refused: vectors or texts of another make.
    #[error("the catalog was filled with another fingerprint\n  catalog: {catalog}\n  given: {given}")]
    FingerprintMismatch {
        /// The catalog's.
        catalog: Box<Fingerprint>,
        /// The caller's.
        given: Box<Fingerprint>,
    },
    /// Chunks were given before any fingerprint was set; our defect.
    #[error("chunks were given to a catalog that has no fingerprint yet")]
    NoFingerprint,
    /// A vector of the wrong length or with a value that is no number; our defect.
    #[error("vector {index} does not fit: {detail}")]
    Vector {
        /// Position in the call.
        index: usize,
        /// What is wrong.
        detail: String,
    },
    /// Chunks that do not fit their text or each other; our defect.
    #[error("the version of {document} is not whole: {detail}")]
    InvalidVersion {
        /// Id of the document.
        document: String,
        /// What is wrong.
        detail: String,
    },
    /// A state from before the last purge was asked for.
    #[error("the state at {asked} has been purged; the oldest that is whole is {oldest}")]
    Purged {
        /// The sequence number asked for.
        asked: SequenceNumber,
        /// The oldest that still answers.
        oldest: SequenceNumber,
    },
    /// More chunks were ever written than chunk ids exist.
    #[error("all 4,294,967,295 chunk ids have been used")]
    ChunkIdsExhausted,
    /// A stored row does not decode; our defect, or damage that SQLite did not notice.
    #[error("a row of the catalog cannot be read: {detail}")]
    UnreadableRow {
        /// Which and why.
        detail: String,
    },
    /// Any other refusal by SQLite; our defect.
    #[error("the catalog's database refused: {source}")]
    Database {
        /// What it said.
        source: rusqlite::Error,
    },
}

impl CatalogError {
    /// Names the file in errors that come from opening it.
    pub(crate) fn opening(path: &std::path::Path, error: rusqlite::Error) -> Self {
        let path = path.display().to_string();
        match Self::from(error) {
            Self::Io { detail, .. } => Self::Open { path, detail },
            Self::Damaged { detail, .. } => Self::Damaged { path, detail },
            other => other,
        }
    }

    pub(crate) fn unreadable(what: &str, detail: impl std::fmt::Display) -> Self {
        Self::UnreadableRow { detail: format!("{what}: {detail}") }
    }
}

impl From<rusqlite::Error> for CatalogError {
    fn from(source: rusqlite::Error) -> Self {
        let detail = source.to_string();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DiskFull) => Self::Io { detail, disk_full: true },
            Some(
                ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::ReadOnly
                | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Io { detail, disk_full: false },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged { path: "catalog.db".to_owned(), detail }
            }
            _ => Self::Database { source },
        }
    }
}

impl Classified for CatalogError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::NewerFormat { .. } | Self::FingerprintMismatch { .. } | Self::ReadOnly => {
                ErrorClass::Refused
            }
            Self::NotACatalog { .. } | Self::Missing { .. } => ErrorClass::User,
            Self::NoFingerprint
            | Self::Vector { .. }
            | Self::InvalidVersion { .. }
            | Self::Purged { .. }
            | Self::UnreadableRow { .. }
            | Self::Database { .. } => ErrorClass::Internal,
            Self::Damaged { .. }
            | Self::Open { .. }
            | Self::Io { .. }
            | Self::Busy
            | Self::ChunkIdsExhausted => ErrorClass::World,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy | Self::Io { .. } | Self::Open { .. })
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::NewerFormat { .. } => "use the newer program that wrote it",
                Self::NotACatalog { .. } => "choose another folder with `--home`",
                Self::Missing { .. } => "index something first: `adit index PATH`, or name the folder with `--home`",
                Self::Damaged { .. } | Self::UnreadableRow { .. } => {
                    "restore the home directory from a backup, or remove it and index the documents again"
                }
                Self::Io { disk_full: true, .. } => "free some space and run the command again; nothing is half done",
                Self::Open { .. } | Self::Io { .. } => {
                    "check free space and permissions of the home directory, then run the command again"
                }
                Self::Busy => "wait for the other process to end; searching is possible meanwhile",
                Self::ReadOnly => "run the command as a user who may write to the home directory",
                Self::FingerprintMismatch { .. } => {
                    "use the model and settings the index was built with, or build anew with `adit index --reindex`"
                }
                Self::ChunkIdsExhausted => "build anew in another home directory",
                _ => return None,
            }
            .to_owned(),
        )
    }
}

impl From<CatalogError> for IndexError {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::FingerprintMismatch { catalog, given } => {
                Self::FingerprintMismatch { index: catalog, given }
            }
            CatalogError::NewerFormat { path, found, supported } => {
                Self::NewerFormat { path, found, supported }
            }
            other => Self::Catalog { detail: other.to_string() },
        }
    }
}
