use rusqlite::{Connection, TransactionBehavior};

use crate::LogError;

/// The newest layout this program reads and the one it writes; SQLite's `user_version`.
pub const LOG_FORMAT_VERSION: u32 = 1;

/// SQLite's `application_id`, the file's magic number: `AdtL` in ASCII.
const APPLICATION_ID: u32 = u32::from_be_bytes(*b"AdtL");

/// `AUTOINCREMENT` never gives a row number twice, so `sqlite_sequence` tells how many searches were ever
/// logged, and the difference to those that are there is what the size limit dropped. `weak` is null where
/// the evidence was not weighed. `trace` is JSON, deflated with a zlib header (RFC 1950): a trace names up
/// to 200 candidates and compresses to about a tenth.
const TABLES: &str = "
CREATE TABLE searches (
    search_row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    asked_unix_ms INTEGER NOT NULL,
    door TEXT NOT NULL,
    tenant TEXT NOT NULL,
    principals TEXT NOT NULL,
    mode TEXT NOT NULL,
    filter TEXT NOT NULL,
    query TEXT NOT NULL,
    passages INTEGER NOT NULL,
    weak INTEGER,
    evidence TEXT,
    elapsed_us INTEGER NOT NULL,
    trace BLOB NOT NULL
) STRICT;
CREATE INDEX asked ON searches (asked_unix_ms);

CREATE TABLE feedback (
    search_row INTEGER PRIMARY KEY REFERENCES searches ON DELETE CASCADE,
    answered INTEGER NOT NULL CHECK (answered IN (0, 1)),
    note TEXT,
    given_unix_ms INTEGER NOT NULL
) STRICT;
";

/// Whether a database file is new (no tables, no magic number); an error when it is not ours or newer.
pub(crate) fn is_blank(connection: &Connection, path: &str) -> Result<bool, LogError> {
    let magic: u32 = connection.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let found: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: u32 = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match magic {
        0 if tables == 0 && found == 0 => Ok(true),
        APPLICATION_ID if found > LOG_FORMAT_VERSION => {
            Err(LogError::NewerFormat { path: path.to_owned(), found, supported: LOG_FORMAT_VERSION })
        }
        APPLICATION_ID => Ok(false),
        _ => Err(LogError::NotALog { path: path.to_owned() }),
    }
}

/// Makes the tables in one transaction; does nothing when another process was faster.
pub(crate) fn create(connection: &mut Connection, path: &str) -> Result<(), LogError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if is_blank(&transaction, path)? {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", LOG_FORMAT_VERSION)?;
    }
    transaction.commit()?;
    Ok(())
}
