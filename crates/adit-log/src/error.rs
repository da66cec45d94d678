use adit_core::{Classified, ErrorClass};
use rusqlite::ErrorCode;
use thiserror::Error;

/// Why the log did not answer or did not take a line. No search fails for it.
#[derive(Debug, Error)]
pub enum LogError {
    /// Refused: written by a newer Adit.
    #[error("the search log {path} has format version {found}; this program reads up to {supported}")]
    NewerFormat {
        /// The file.
        path: String,
        /// Its version.
        found: u32,
        /// The newest we know.
        supported: u32,
    },
    /// The file is another program's database.
    #[error("{path} is a database of another program, not an Adit search log")]
    NotALog {
        /// The file.
        path: String,
    },
    /// There is no log to read.
    #[error("there is no search log at {path}")]
    Missing {
        /// Where it was looked for.
        path: String,
    },
    /// The file's bytes are not what was written.
    #[error("the search log is damaged: {detail}")]
    Damaged {
        /// How it shows.
        detail: String,
    },
    /// Disk trouble: full, failing, or without permission.
    #[error("the search log could not be read or written: {detail}")]
    Io {
        /// What SQLite said.
        detail: String,
    },
    /// Other processes held the log for longer than the timeout.
    #[error("other processes are writing to the search log")]
    Busy,
    /// No search has this id.
    #[error("no logged search has the id `{id}`")]
    UnknownSearch {
        /// As it was given.
        id: String,
    },
    /// Something that cannot be an id.
    #[error("`{id}` is not a search id")]
    InvalidId {
        /// As it was given.
        id: String,
    },
    /// A stored row does not decode; our defect, or damage that SQLite did not notice.
    #[error("a line of the search log cannot be read: {detail}")]
    UnreadableRow {
        /// Which and why.
        detail: String,
    },
    /// Any other refusal by SQLite; our defect.
    #[error("the search log's database refused: {source}")]
    Database {
        /// What it said.
        source: rusqlite::Error,
    },
}

impl LogError {
    pub(crate) fn unreadable(what: &str, detail: impl std::fmt::Display) -> Self {
        Self::UnreadableRow { detail: format!("{what}: {detail}") }
    }
}

impl From<rusqlite::Error> for LogError {
    fn from(source: rusqlite::Error) -> Self {
        let detail = source.to_string();
        match source.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(
                ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::CannotOpen
                | ErrorCode::PermissionDenied
                | ErrorCode::ReadOnly
                | ErrorCode::FileLockingProtocolFailed,
            ) => Self::Io { detail },
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged { detail },
            _ => Self::Database { source },
        }
    }
}

impl Classified for LogError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::NewerFormat { .. } => ErrorClass::Refused,
            Self::NotALog { .. }
            | Self::Missing { .. }
            | Self::UnknownSearch { .. }
            | Self::InvalidId { .. } => ErrorClass::User,
            Self::UnreadableRow { .. } | Self::Database { .. } => ErrorClass::Internal,
            Self::Damaged { .. } | Self::Io { .. } | Self::Busy => ErrorClass::World,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Busy | Self::Io { .. })
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::NewerFormat { .. } => "use the newer program that wrote it",
                Self::NotALog { .. } => "move that file away; `adit search` makes a new log",
                Self::Missing { .. } => {
                    "run a search first: `adit search QUERY`; nothing is logged where adit.toml says \
                     `[log] searches = false`"
                }
                Self::Damaged { .. } | Self::UnreadableRow { .. } => {
                    "move log.db out of the home directory; `adit search` makes a new one, and no document is lost"
                }
                Self::Io { .. } => "check free space and permissions of the home directory",
                Self::Busy => "run the command again",
                Self::UnknownSearch { .. } => {
                    "copy the id from the line `search id: ...` of that search; the oldest searches are dropped \
                     when the log reaches log.max_bytes of adit.toml"
                }
                Self::InvalidId { .. } => "an id is 8 letters and digits, as in `search id: 7k2m9q4x`",
                Self::Database { .. } => return None,
            }
            .to_owned(),
        )
    }
}
