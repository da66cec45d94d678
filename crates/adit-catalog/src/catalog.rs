use std::path::Path;
use std::sync::Arc;

use adit_core::{EmbedderDescription, Fingerprint, SequenceNumber};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior};

use crate::connection::{ReadPool, open_writer};
use crate::schema::{self, FileKind};
use crate::{CatalogError, CatalogView};

/// How many findings of a check are reported.
const REPORTED_FINDINGS: usize = 5;

/// The catalog of one home directory: one SQLite file, one write connection, several for reading.
///
/// Shared between threads by reference. Writes of one process take turns; reads go through
/// [`Catalog::view`] and never wait for a write.
#[derive(Debug)]
pub struct Catalog {
    writer: Option<Mutex<Connection>>,
    readers: Arc<ReadPool>,
}

impl Catalog {
    /// Opens the file for reading and writing; makes it and its folder if they are missing.
    ///
    /// # Errors
    /// [`CatalogError::NewerFormat`], [`CatalogError::NotACatalog`], [`CatalogError::Damaged`],
    /// [`CatalogError::Open`].
    pub fn create_or_open(path: &Path) -> Result<Self, CatalogError> {
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            fs_err::create_dir_all(folder).map_err(|error| CatalogError::Open {
                path: path.display().to_string(),
                detail: error.to_string(),
            })?;
        }
        let writer = open_writer(path)?;
        Ok(Self { writer: Some(Mutex::new(writer)), readers: Arc::new(ReadPool::new(path)) })
    }

    /// Opens an existing file for reading. Works beside a writer, and in a folder that cannot be
    /// written to as long as the last writer ended in order.
    ///
    /// # Errors
    /// [`CatalogError::Missing`] and those of [`Catalog::create_or_open`].
    pub fn open_read_only(path: &Path) -> Result<Self, CatalogError> {
        if !path.is_file() {
            return Err(CatalogError::Missing { path: path.display().to_string() });
        }
        let readers = Arc::new(ReadPool::new(path));
        let (connection, reusable) = readers.take()?;
        if schema::examine(&connection.lock(), path)? == FileKind::Blank {
            return Err(CatalogError::Missing { path: path.display().to_string() });
        }
        if reusable {
            readers.give_back(connection);
        }
        Ok(Self { writer: None, readers })
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.readers.path()
    }

    /// Starts a read transaction: everything read through the view is one state, whatever is written
    /// meanwhile. Drop it soon: the write-ahead log cannot be folded into the file before.
    ///
    /// # Errors
    /// [`CatalogError::Open`] or [`CatalogError::Io`].
    pub fn view(&self) -> Result<CatalogView, CatalogError> {
        CatalogView::begin(Arc::clone(&self.readers))
    }

    /// Number of the last committed change; 0 before the first.
    ///
    /// # Errors
    /// As [`Catalog::view`].
    pub fn last_sequence(&self) -> Result<SequenceNumber, CatalogError> {
        Ok(self.view()?.last_sequence())
    }

    /// What the stored vectors and texts were made with; `None` before anything was set.
    ///
    /// # Errors
    /// As [`Catalog::view`].
    pub fn fingerprint(&self) -> Result<Option<Fingerprint>, CatalogError> {
        self.view()?.fingerprint()
    }

    /// Sets the fingerprint while no living document has chunks; setting the same again does nothing.
    ///
    /// # Errors
    /// [`CatalogError::FingerprintMismatch`] when chunks of another fingerprint live here.
    pub fn set_fingerprint(&self, fingerprint: &Fingerprint) -> Result<(), CatalogError> {
        self.write(|transaction| {
            if let Some(stored) = read_fingerprint(transaction)? {
                if stored == *fingerprint {
                    return Ok(());
                }
                let chunks_live: bool = transaction.query_row(
                    "SELECT EXISTS (SELECT 1 FROM versions WHERE dead_sequence IS NULL AND chunk_count > 0)",
                    [],
                    |row| row.get(0),
                )?;
                if chunks_live {
                    return Err(CatalogError::FingerprintMismatch {
                        catalog: Box::new(stored),
                        given: Box::new(fingerprint.clone()),
                    });
                }
                if !same_vectors(&stored.embedder, &fingerprint.embedder) {
                    crate::token_codes::forget_all(transaction)?;
                }
                crate::purge::purge_everything_dead(transaction)?;
            }
            write_fingerprint(transaction, fingerprint)
        })
    }

    /// Removes every document and sets a new fingerprint, in one transaction, for `--reindex`. Vectors
    /// whose embedder stays the same are kept as pending ones, so only changed texts are embedded again.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others; then nothing was removed.
    pub fn reset_for_fingerprint(&self, fingerprint: &Fingerprint) -> Result<(), CatalogError> {
        self.write(|transaction| {
            let stored = read_fingerprint(transaction)?;
            if stored.is_some_and(|stored| same_vectors(&stored.embedder, &fingerprint.embedder)) {
                transaction.execute(
                    "INSERT OR IGNORE INTO pending_vectors (text_key, vector)
                     SELECT text_key, vector FROM chunks JOIN vectors USING (chunk_id)",
                    [],
                )?;
                crate::token_codes::keep_as_pending(transaction)?;
            } else {
                transaction.execute("DELETE FROM pending_vectors", [])?;
                crate::token_codes::forget_all(transaction)?;
            }
            crate::commit::remove_all(transaction)?;
            crate::purge::purge_everything_dead(transaction)?;
            write_fingerprint(transaction, fingerprint)
        })
    }

    /// A small value kept under `key`.
    ///
    /// # Errors
    /// As [`Catalog::view`].
    pub fn setting(&self, key: &str) -> Result<Option<String>, CatalogError> {
        self.view()?.setting(key)
    }

    /// Keeps a small value under `key`, replacing the one before.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn set_setting(&self, key: &str, value: &str) -> Result<(), CatalogError> {
        self.write(|transaction| {
            transaction.execute(
                "INSERT INTO settings VALUES (?1, ?2) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                [key, value],
            )?;
            Ok(())
        })
    }

    /// Reads the whole file and checks it: pages and indexes (SQLite's `quick_check`), references
    /// between the tables, and that every version has all of its chunks and vectors.
    ///
    /// # Errors
    /// [`CatalogError::Damaged`] with the first findings.
    pub fn verify(&self) -> Result<(), CatalogError> {
        let findings = self.view()?.findings(REPORTED_FINDINGS)?;
        if findings.is_empty() {
            return Ok(());
        }
        Err(CatalogError::Damaged { path: self.path().display().to_string(), detail: findings.join("; ") })
    }

    /// Runs one change as one transaction; on any error nothing of it is kept.
    pub(crate) fn write<T>(
        &self,
        change: impl FnOnce(&Transaction<'_>) -> Result<T, CatalogError>,
    ) -> Result<T, CatalogError> {
        let mut connection = self.writer.as_ref().ok_or(CatalogError::ReadOnly)?.lock();
        let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let result = change(&transaction)?;
        transaction.commit()?;
        Ok(result)
    }
}

/// Whether two embedders give the same vectors for documents.
fn same_vectors(left: &EmbedderDescription, right: &EmbedderDescription) -> bool {
    crate::TextKey::new(left, "") == crate::TextKey::new(right, "")
}

pub(crate) fn read_fingerprint(connection: &Connection) -> Result<Option<Fingerprint>, CatalogError> {
    let stored: Option<String> = connection
        .prepare_cached("SELECT fingerprint FROM catalog_state")?
        .query_row([], |row| row.get(0))
        .optional()?
        .flatten();
    stored
        .map(|json| {
            serde_json::from_str(&json).map_err(|error| CatalogError::unreadable("fingerprint", error))
        })
        .transpose()
}

fn write_fingerprint(connection: &Connection, fingerprint: &Fingerprint) -> Result<(), CatalogError> {
    let json = crate::record::to_json(fingerprint)?;
    connection.execute("UPDATE catalog_state SET fingerprint = ?1", [json])?;
    Ok(())
}
