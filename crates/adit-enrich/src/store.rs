use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use adit_core::TokenUsage;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use crate::{EnrichError, EnrichKind, EnrichmentKey, Refusal};

/// The layout this program reads and writes; SQLite's `user_version`.
pub const FORMAT_VERSION: u32 = 1;

/// SQLite's `application_id`, the file's magic number: `AdEn` in ASCII.
const APPLICATION_ID: u32 = u32::from_be_bytes(*b"AdEn");

const TABLES: &str = "
CREATE TABLE enrichments (
    key BLOB PRIMARY KEY,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    prompt_version INTEGER NOT NULL,
    text TEXT,
    refusal TEXT,
    usage TEXT NOT NULL,
    made_unix_ms INTEGER NOT NULL,
    CHECK ((text IS NULL) <> (refusal IS NULL))
) STRICT, WITHOUT ROWID;
";

/// One paid answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEnrichment {
    /// The words; none where the answer was refused.
    pub text: Option<String>,
    /// Why it was refused, by [`Refusal::name`].
    pub refusal: Option<String>,
    /// What the provider counted.
    pub usage: TokenUsage,
}

/// Paid answers in one SQLite file. Refused ones are kept too: they were paid, and would be again.
#[derive(Debug)]
pub struct EnrichmentStore {
    connection: Connection,
}

impl EnrichmentStore {
    /// Opens the file at `path`, or makes it.
    ///
    /// # Errors
    /// [`EnrichError`] when the file is another program's or of a newer format, or SQLite fails.
    pub fn create_or_open(path: &Path) -> Result<Self, EnrichError> {
        let mut connection = Connection::open(path)?;
        connection.busy_timeout(std::time::Duration::from_secs(10))?;
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let magic: u32 = transaction.pragma_query_value(None, "application_id", |row| row.get(0))?;
        let found: u32 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let tables: u32 =
            transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        let shown = || path.display().to_string();
        match magic {
            0 if tables == 0 && found == 0 => {
                transaction.execute_batch(TABLES)?;
                transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
                transaction.pragma_update(None, "user_version", FORMAT_VERSION)?;
            }
            APPLICATION_ID if found > FORMAT_VERSION => {
                return Err(EnrichError::NewerFormat { path: shown(), found, supported: FORMAT_VERSION });
            }
            APPLICATION_ID if found == FORMAT_VERSION && tables > 0 => {}
            _ => return Err(EnrichError::NotEnrichments { path: shown() }),
        }
        transaction.commit()?;
        // An acknowledged answer has been paid for; it must outlive a power cut.
        connection.pragma_update(None, "synchronous", "FULL")?;
        Ok(Self { connection })
    }

    /// The answer under `key`.
    ///
    /// # Errors
    /// [`EnrichError`] when SQLite fails or the row's usage is unreadable.
    pub fn get(&self, key: &EnrichmentKey) -> Result<Option<StoredEnrichment>, EnrichError> {
        let mut statement =
            self.connection.prepare_cached("SELECT text, refusal, usage FROM enrichments WHERE key = ?1")?;
        let row: Option<(Option<String>, Option<String>, String)> = statement
            .query_row([key.0.as_slice()], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        row.map(|(text, refusal, usage)| {
            Ok(StoredEnrichment { text, refusal, usage: serde_json::from_str(&usage)? })
        })
        .transpose()
    }

    /// Commits an answer; a key that is there already stays as it was.
    ///
    /// # Errors
    /// [`EnrichError`] when SQLite fails.
    pub fn put(
        &self,
        key: &EnrichmentKey,
        kind: EnrichKind,
        model: &str,
        answer: &Result<String, Refusal>,
        usage: &TokenUsage,
    ) -> Result<(), EnrichError> {
        let text = answer.as_ref().ok();
        let refusal = answer.as_ref().err().map(|refusal| refusal.name());
        let made = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_millis() as i64);
        self.connection.execute(
            "INSERT INTO enrichments VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8) ON CONFLICT (key) DO NOTHING",
            params![
                key.0.as_slice(),
                kind.name(),
                model,
                EnrichKind::PROMPT_VERSION,
                text,
                refusal,
                serde_json::to_string(usage)?,
                made
            ],
        )?;
        Ok(())
    }

    /// How many answers are kept, refused ones included.
    ///
    /// # Errors
    /// [`EnrichError`] when SQLite fails.
    pub fn count(&self) -> Result<u64, EnrichError> {
        let count: i64 =
            self.connection.query_row("SELECT count(*) FROM enrichments", [], |row| row.get(0))?;
        Ok(u64::try_from(count).unwrap_or(0))
    }
}
