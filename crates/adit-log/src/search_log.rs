use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use adit_core::Trace;
use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use parking_lot::Mutex;
use rusqlite::{Connection, ErrorCode, OptionalExtension, TransactionBehavior};

use crate::{
    EvidenceFigures, Feedback, LogError, Redaction, SearchId, SearchRecord, Verdict, connection, limit,
};

/// Name of the log beside the catalog.
pub const LOG_FILE: &str = "log.db";
/// Size of the log when the settings name none: 50 MiB, some ten thousand searches.
pub const DEFAULT_MAX_BYTES: u64 = 50 << 20;
/// Times an id is drawn anew because the log already has it.
const DRAWS: usize = 8;

/// How searches are written down.
#[derive(Debug, Clone)]
pub struct LogOptions {
    /// What is taken out first.
    pub redaction: Redaction,
    /// The oldest searches go when the log is larger.
    pub max_bytes: u64,
}

/// The log, open for writing. May be shared between threads; other processes may write at the same time.
#[derive(Debug)]
pub struct SearchLog {
    path: PathBuf,
    options: LogOptions,
    connection: Mutex<Connection>,
}

impl SearchLog {
    /// Opens, and if needed creates, the log at `path`.
    ///
    /// # Errors
    /// [`LogError`]: no place or permission, another program's file, a newer format.
    pub fn open(path: &Path, options: LogOptions) -> Result<Self, LogError> {
        let connection = Mutex::new(connection::open(path)?);
        Ok(Self { path: path.to_owned(), options, connection })
    }

    /// Opens the log at `path` if there is one.
    ///
    /// # Errors
    /// [`LogError::Missing`], and as [`SearchLog::open`].
    pub fn open_existing(path: &Path, options: LogOptions) -> Result<Self, LogError> {
        let connection = Mutex::new(connection::open_existing(path)?);
        Ok(Self { path: path.to_owned(), options, connection })
    }

    /// Its file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Writes one search down, secrets taken out, and gives the id its reader is shown.
    ///
    /// # Errors
    /// [`LogError`]; nothing is written then. The caller says so and goes on: no search fails for it.
    pub fn record(&self, record: &SearchRecord<'_>) -> Result<SearchId, LogError> {
        self.record_at(record, unix_ms())
    }

    pub(crate) fn record_at(
        &self,
        record: &SearchRecord<'_>,
        asked_unix_ms: i64,
    ) -> Result<SearchId, LogError> {
        let (trace, evidence) = self.options.redaction.redact_search(record.trace, record.evidence.as_ref());
        let filter = self.options.redaction.redact(&encode("filter", record.filter)?);
        let row = Row { record, asked_unix_ms, trace: &trace, evidence: evidence.as_ref(), filter: &filter };
        let mut connection = self.connection.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let id = row.insert(&transaction)?;
        let dropped =
            limit::drop_oldest(&transaction, self.options.max_bytes, transaction.last_insert_rowid())?;
        transaction.commit()?;
        if dropped > 0
            && let Err(error) = give_pages_back(&connection)
        {
            // The line is written; the next one that drops something gives the pages back as well.
            tracing::debug!(%error, "the search log was not made smaller");
        }
        Ok(id)
    }

    /// Ties a reader's verdict to a search; a second one replaces the first, note and all.
    ///
    /// # Errors
    /// [`LogError::UnknownSearch`], and disk trouble.
    pub fn give_feedback(
        &self,
        search: &SearchId,
        verdict: Verdict,
        note: Option<&str>,
    ) -> Result<Feedback, LogError> {
        let note = note.map(str::trim).filter(|note| !note.is_empty());
        let note = note.map(|note| self.options.redaction.redact(note));
        let given_unix_ms = unix_ms();
        let mut connection = self.connection.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let found: Option<(i64, Option<bool>)> = transaction
            .query_row(
                "SELECT search_row, answered FROM searches LEFT JOIN feedback USING (search_row) WHERE id = ?1",
                [search.as_str()],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )
            .optional()?;
        let Some((search_row, before)) = found else {
            return Err(LogError::UnknownSearch { id: search.to_string() });
        };
        transaction.execute(
            "INSERT OR REPLACE INTO feedback (search_row, answered, note, given_unix_ms) VALUES (?1, ?2, ?3, ?4)",
            (search_row, verdict == Verdict::Yes, &note, given_unix_ms),
        )?;
        transaction.commit()?;
        let replaced = before.map(verdict_of);
        Ok(Feedback { search: search.clone(), verdict, note, given_unix_ms, replaced })
    }

    pub(crate) fn with_connection<T>(
        &self,
        read: impl FnOnce(&mut Connection) -> Result<T, LogError>,
    ) -> Result<T, LogError> {
        read(&mut self.connection.lock())
    }
}

/// A search in the form of its row.
struct Row<'a> {
    record: &'a SearchRecord<'a>,
    asked_unix_ms: i64,
    trace: &'a Trace,
    evidence: Option<&'a EvidenceFigures>,
    filter: &'a str,
}

impl Row<'_> {
    fn insert(&self, connection: &Connection) -> Result<SearchId, LogError> {
        let record = self.record;
        let principals = encode("principals", record.scope.principals())?;
        let evidence = self.evidence.map(|evidence| encode("evidence", evidence)).transpose()?;
        let trace = deflate(&encode("trace", self.trace)?)?;
        let mut statement = connection.prepare_cached(
            "INSERT INTO searches (id, asked_unix_ms, door, tenant, principals, mode, filter, query, passages,
                 weak, evidence, elapsed_us, trace)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
        )?;
        let mut draws = 1;
        loop {
            let id = SearchId::draw(self.asked_unix_ms, &self.trace.query);
            let inserted = statement.execute(rusqlite::params![
                id.as_str(),
                self.asked_unix_ms,
                record.door.name(),
                record.scope.tenant().as_str(),
                principals,
                record.mode,
                self.filter,
                self.trace.query,
                i64::try_from(record.passages).unwrap_or(i64::MAX),
                self.evidence.map(|evidence| evidence.is_weak),
                evidence,
                i64::try_from(record.elapsed_us).unwrap_or(i64::MAX),
                trace,
            ]);
            match inserted {
                Ok(_) => return Ok(id),
                Err(error)
                    if draws < DRAWS && error.sqlite_error_code() == Some(ErrorCode::ConstraintViolation) =>
                {
                    draws += 1;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

pub(crate) fn verdict_of(answered: bool) -> Verdict {
    if answered { Verdict::Yes } else { Verdict::No }
}

/// Milliseconds since 1970; 0 on a machine whose clock stands before that.
fn unix_ms() -> i64 {
    let elapsed = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(elapsed.as_millis()).unwrap_or(i64::MAX)
}

fn encode<T: serde::Serialize>(what: &str, value: &T) -> Result<String, LogError> {
    serde_json::to_string(value).map_err(|error| LogError::unreadable(what, error))
}

fn deflate(text: &str) -> Result<Vec<u8>, LogError> {
    let failed = |error: std::io::Error| LogError::unreadable("trace", error);
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(text.as_bytes()).map_err(failed)?;
    encoder.finish().map_err(failed)
}

pub(crate) fn inflate(bytes: &[u8]) -> Result<String, LogError> {
    let mut text = String::new();
    ZlibDecoder::new(bytes)
        .read_to_string(&mut text)
        .map_err(|error| LogError::unreadable("trace", error))?;
    Ok(text)
}

/// The file shrinks by the pages that dropped searches left.
fn give_pages_back(connection: &Connection) -> Result<(), LogError> {
    let mut statement = connection.prepare("PRAGMA incremental_vacuum")?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
