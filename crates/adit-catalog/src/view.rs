use std::sync::Arc;

use adit_core::{ChunkId, Fingerprint, SequenceNumber};
use parking_lot::ReentrantMutexGuard;
use rusqlite::{Connection, OptionalExtension};

use crate::catalog::read_fingerprint;
use crate::change_log::ChunkSpan;
use crate::connection::{ReadConnection, ReadPool};
use crate::record::{text, unsigned};
use crate::{CatalogError, vector_blob};

/// One state of the catalog, read through one transaction: whatever is written meanwhile does not show.
///
/// Callbacks may read through the same view. Reads of one view by several threads take turns; threads
/// that want to read at once open a view each.
#[derive(Debug)]
pub struct CatalogView {
    connection: ReadConnection,
    reusable: bool,
    pool: Arc<ReadPool>,
    sequence: SequenceNumber,
}

impl CatalogView {
    pub(crate) fn begin(pool: Arc<ReadPool>) -> Result<Self, CatalogError> {
        let (connection, reusable) = pool.take()?;
        let last = {
            let connection = connection.lock();
            connection.execute_batch("BEGIN DEFERRED")?;
            // The first read fixes the state.
            read_last_sequence(&connection).inspect_err(|_| drop(connection.execute_batch("ROLLBACK")))?
        };
        Ok(Self { connection, reusable, pool, sequence: SequenceNumber(unsigned(last)) })
    }

    /// Number of the last change this state contains.
    #[must_use]
    pub fn last_sequence(&self) -> SequenceNumber {
        self.sequence
    }

    /// What the stored vectors and texts were made with.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn fingerprint(&self) -> Result<Option<Fingerprint>, CatalogError> {
        read_fingerprint(&self.lock())
    }

    /// A small value kept under `key`.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn setting(&self, key: &str) -> Result<Option<String>, CatalogError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached("SELECT value FROM settings WHERE key = ?1")?;
        Ok(statement.query_row([key], |row| row.get(0)).optional()?)
    }

    /// The oldest state that [`CatalogView::documents_at`] still answers for.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn purged_up_to(&self) -> Result<SequenceNumber, CatalogError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached("SELECT purged_up_to FROM catalog_state")?;
        Ok(SequenceNumber(unsigned(statement.query_row([], |row| row.get(0))?)))
    }

    /// Shows the indexed text of every chunk of `span` that is stored, living or dead, by rising id:
    /// id, language of its document, text. Stops at the first error of `visit`.
    ///
    /// # Errors
    /// Those of `visit`; [`CatalogError::Io`] and others.
    pub fn for_each_indexed_chunk<E: From<CatalogError>>(
        &self,
        span: ChunkSpan,
        visit: &mut dyn FnMut(ChunkId, &str, &str) -> Result<(), E>,
    ) -> Result<(), E> {
        let connection = self.lock();
        let mut statement = connection
            .prepare_cached(
                "SELECT c.chunk_id, v.language, c.indexed FROM chunks c JOIN versions v USING (version_row)
                 WHERE c.chunk_id >= ?1 AND c.chunk_id < ?2 ORDER BY c.chunk_id",
            )
            .map_err(CatalogError::from)?;
        let mut rows = statement.query(bounds(span)).map_err(CatalogError::from)?;
        while let Some(row) = rows.next().map_err(CatalogError::from)? {
            let id = ChunkId(row.get(0).map_err(CatalogError::from)?);
            visit(id, text(row, 1)?, text(row, 2)?)?;
        }
        Ok(())
    }

    /// Shows the vector of every chunk of `span` that is stored, living or dead, by rising id.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn for_each_vector(
        &self,
        span: ChunkSpan,
        visit: &mut dyn FnMut(ChunkId, &[f32]),
    ) -> Result<(), CatalogError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT chunk_id, vector FROM vectors WHERE chunk_id >= ?1 AND chunk_id < ?2 ORDER BY chunk_id",
        )?;
        let mut rows = statement.query(bounds(span))?;
        let mut vector = Vec::new();
        while let Some(row) = rows.next()? {
            let blob =
                row.get_ref(1)?.as_blob().map_err(|error| CatalogError::unreadable("vector", error))?;
            vector_blob::decode_into(blob, &mut vector)?;
            visit(ChunkId(row.get(0)?), &vector);
        }
        Ok(())
    }

    /// Up to `limit` sentences about damage.
    pub(crate) fn findings(&self, limit: usize) -> Result<Vec<String>, CatalogError> {
        let connection = self.lock();
        let mut findings = Vec::new();
        let mut check = |sql: &str| -> Result<(), CatalogError> {
            let mut statement = connection.prepare(sql)?;
            let mut rows = statement.query([])?;
            while findings.len() < limit
                && let Some(row) = rows.next()?
            {
                let finding: String = row.get(0)?;
                if finding != "ok" {
                    findings.push(finding);
                }
            }
            Ok(())
        };
        check("PRAGMA quick_check")?;
        check("SELECT 'a row of ' || \"table\" || ' refers to nothing' FROM pragma_foreign_key_check")?;
        check(
            "SELECT 'version ' || version || ' of ' || document_id || ' lacks chunks or vectors' FROM versions v
             WHERE chunk_count <> (SELECT count(x.vector) FROM chunks c JOIN vectors x USING (chunk_id)
                WHERE c.version_row = v.version_row
                  AND c.chunk_id >= v.first_chunk AND c.chunk_id < v.first_chunk + v.chunk_count)",
        )?;
        Ok(findings)
    }

    pub(crate) fn lock(&self) -> ReentrantMutexGuard<'_, Connection> {
        self.connection.lock()
    }
}

impl Drop for CatalogView {
    fn drop(&mut self) {
        let ended = self.connection.lock().execute_batch("ROLLBACK").is_ok();
        if ended && self.reusable {
            self.pool.give_back(Arc::clone(&self.connection));
        }
    }
}

fn read_last_sequence(connection: &Connection) -> Result<i64, rusqlite::Error> {
    connection.prepare_cached("SELECT last_sequence FROM catalog_state")?.query_row([], |row| row.get(0))
}

pub(crate) fn bounds(span: ChunkSpan) -> (i64, i64) {
    let first = i64::from(span.first.0);
    (first, first + i64::from(span.count))
}
