use std::collections::BTreeSet;

use adit_core::{AdministratorScope, Filter, Principal, Scope, TenantId, Trace};
use rusqlite::{OptionalExtension, Row, RowIndex};
use serde::Serialize;

use crate::search_log::{inflate, verdict_of};
use crate::{Door, EvidenceFigures, LogError, SearchId, SearchLog, Verdict, limit};

const COLUMNS: &str = "id, asked_unix_ms, door, tenant, principals, mode, filter, query, passages, evidence,
    elapsed_us, answered, note";

/// One line of the log, without the trace.
#[derive(Debug, Clone)]
pub struct LoggedSearch {
    /// Its name.
    pub id: SearchId,
    /// Milliseconds since 1970 (UTC).
    pub asked_unix_ms: i64,
    /// Which way it came in.
    pub door: Door,
    /// Who asked.
    pub scope: Scope,
    /// `hybrid`, `dense` or `lexical`.
    pub mode: String,
    /// What else had to hold; nothing where a redaction rule made it unreadable.
    pub filter: Filter,
    /// The question, secrets taken out.
    pub query: String,
    /// Passages (or documents) that were returned.
    pub passages: usize,
    /// `None` where the evidence was not weighed.
    pub evidence: Option<EvidenceFigures>,
    /// Wall time of the search in microseconds.
    pub elapsed_us: u64,
    /// What its reader said.
    pub verdict: Option<Verdict>,
    /// In the reader's words.
    pub note: Option<String>,
}

/// What the log holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct LogStatistics {
    /// Searches in it.
    pub searches: u64,
    /// Searches that the size limit dropped, oldest first.
    pub dropped: u64,
    /// Searches with feedback.
    pub with_feedback: u64,
    /// When the oldest was asked, in milliseconds since 1970 (UTC).
    pub oldest_unix_ms: Option<i64>,
    /// Pages in use, in bytes.
    pub used_bytes: u64,
}

impl SearchLog {
    /// All searches asked at or after `since_unix_ms`, oldest first.
    ///
    /// # Errors
    /// [`LogError::UnreadableRow`], and disk trouble.
    pub fn searches(
        &self,
        _administrator: &AdministratorScope,
        since_unix_ms: i64,
    ) -> Result<Vec<LoggedSearch>, LogError> {
        self.with_connection(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT {COLUMNS} FROM searches LEFT JOIN feedback USING (search_row)
                 WHERE asked_unix_ms >= ?1 ORDER BY asked_unix_ms, search_row"
            ))?;
            let mut rows = statement.query([since_unix_ms])?;
            let mut searches = Vec::new();
            while let Some(row) = rows.next()? {
                searches.push(logged_search(row)?);
            }
            Ok(searches)
        })
    }

    /// The whole story of one search.
    ///
    /// # Errors
    /// [`LogError::UnknownSearch`], [`LogError::UnreadableRow`], and disk trouble.
    pub fn trace(&self, _administrator: &AdministratorScope, search: &SearchId) -> Result<Trace, LogError> {
        let stored: Option<Vec<u8>> = self.with_connection(|connection| {
            let mut statement = connection.prepare_cached("SELECT trace FROM searches WHERE id = ?1")?;
            Ok(statement.query_row([search.as_str()], |row| row.get(0)).optional()?)
        })?;
        let stored = stored.ok_or_else(|| LogError::UnknownSearch { id: search.to_string() })?;
        decode("trace", &inflate(&stored)?)
    }

    /// Counts over the whole log.
    ///
    /// # Errors
    /// [`LogError`]: disk trouble.
    pub fn statistics(&self, _administrator: &AdministratorScope) -> Result<LogStatistics, LogError> {
        self.with_connection(|connection| {
            let transaction = connection.transaction()?;
            let (searches, oldest_unix_ms): (u64, Option<i64>) =
                transaction.query_row("SELECT count(*), min(asked_unix_ms) FROM searches", [], |row| {
                    Ok((unsigned(row, 0)?, row.get(1)?))
                })?;
            let ever: Option<u64> = transaction
                .query_row("SELECT seq FROM sqlite_sequence WHERE name = 'searches'", [], |row| {
                    unsigned(row, 0)
                })
                .optional()?;
            let with_feedback =
                transaction.query_row("SELECT count(*) FROM feedback", [], |row| unsigned(row, 0))?;
            let used_bytes = limit::used_bytes(&transaction)?;
            let dropped = ever.unwrap_or(searches).saturating_sub(searches);
            Ok(LogStatistics { searches, dropped, with_feedback, oldest_unix_ms, used_bytes })
        })
    }
}

fn logged_search(row: &Row<'_>) -> Result<LoggedSearch, LogError> {
    let text = |column: &str| row.get::<_, String>(column);
    let door = text("door")?;
    let evidence: Option<String> = row.get("evidence")?;
    let tenant = TenantId::new(&text("tenant")?).map_err(|error| LogError::unreadable("tenant", error))?;
    let principals: BTreeSet<Principal> = decode("principals", &text("principals")?)?;
    Ok(LoggedSearch {
        id: text("id")?.parse()?,
        asked_unix_ms: row.get("asked_unix_ms")?,
        door: Door::from_name(&door).ok_or_else(|| LogError::unreadable("door", &door))?,
        scope: Scope::new(tenant, principals),
        mode: text("mode")?,
        filter: serde_json::from_str(&text("filter")?).unwrap_or_default(),
        query: text("query")?,
        passages: usize::try_from(unsigned(row, "passages")?).unwrap_or(usize::MAX),
        evidence: evidence.map(|evidence| decode("evidence", &evidence)).transpose()?,
        elapsed_us: unsigned(row, "elapsed_us")?,
        verdict: row.get::<_, Option<bool>>("answered")?.map(verdict_of),
        note: row.get("note")?,
    })
}

/// SQLite's integers are signed; none of these is ever negative.
fn unsigned(row: &Row<'_>, column: impl RowIndex) -> Result<u64, rusqlite::Error> {
    row.get::<_, i64>(column).map(i64::unsigned_abs)
}

fn decode<T: serde::de::DeserializeOwned>(what: &str, text: &str) -> Result<T, LogError> {
    serde_json::from_str(text).map_err(|error| LogError::unreadable(what, error))
}
