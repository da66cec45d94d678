//! Every search as a trace, and what its reader said of it: one SQLite file beside the catalog.
//!
//! The log has a file of its own so that writing a line of it never takes the catalog's write lock and
//! never changes the catalog's format. It may be deleted: nothing is derived from it. What is secret in a
//! question is taken out before anything is stored ([`Redaction`]). Whoever asked may give feedback by the
//! id they were shown; reading the questions of others back takes an `AdministratorScope`.

mod connection;
mod error;
mod feedback;
mod identity;
mod limit;
mod read;
mod record;
mod redaction;
mod schema;
mod search_log;

pub use error::LogError;
pub use feedback::{Feedback, Verdict};
pub use identity::SearchId;
pub use read::{LogStatistics, LoggedSearch};
pub use record::{Door, EvidenceFigures, SearchRecord};
pub use redaction::{REDACTED, Redaction, RedactionError};
pub use schema::LOG_FORMAT_VERSION;
pub use search_log::{DEFAULT_MAX_BYTES, LOG_FILE, LogOptions, SearchLog};
