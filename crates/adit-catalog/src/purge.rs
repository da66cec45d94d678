use adit_core::SequenceNumber;
use rusqlite::Connection;

use crate::record::{signed, unsigned};
use crate::{Catalog, CatalogError};

/// Versions removed in one transaction, so that commits of other threads get their turn in between.
const VERSIONS_AT_ONCE: i64 = 200;

impl Catalog {
    /// Deletes everything that died at or before `up_to` and returns how many chunks that were. Call it
    /// with a sequence number that every derived index has passed: states before it no longer answer.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others; what was purged until then stays purged.
    pub fn purge_dead(&self, up_to: SequenceNumber) -> Result<u64, CatalogError> {
        let mut chunks_removed = 0;
        loop {
            let (versions, chunks) = self.write(|transaction| {
                raise_floor(transaction, up_to)?;
                purge_some(transaction, up_to, VERSIONS_AT_ONCE)
            })?;
            chunks_removed += chunks;
            if versions == 0 {
                return Ok(chunks_removed);
            }
        }
    }
}

/// Purges up to now, inside the caller's transaction.
pub(crate) fn purge_everything_dead(connection: &Connection) -> Result<(), CatalogError> {
    let last: i64 = connection.query_row("SELECT last_sequence FROM catalog_state", [], |row| row.get(0))?;
    let up_to = SequenceNumber(unsigned(last));
    raise_floor(connection, up_to)?;
    purge_some(connection, up_to, i64::MAX).map(|_| ())
}

/// States before the floor are refused from now on, also while the purge is still under way.
fn raise_floor(connection: &Connection, up_to: SequenceNumber) -> Result<(), CatalogError> {
    connection.execute(
        "UPDATE catalog_state SET purged_up_to = max(purged_up_to, min(?1, last_sequence))",
        [signed(up_to.0)],
    )?;
    Ok(())
}

/// Returns how many versions and chunks went; chunks, vectors, texts and rights go by cascade.
fn purge_some(
    connection: &Connection,
    up_to: SequenceNumber,
    limit: i64,
) -> Result<(usize, u64), CatalogError> {
    let mut statement = connection.prepare_cached(
        "SELECT version_row, born_sequence, chunk_count FROM versions
         WHERE dead_sequence <= ?1 ORDER BY dead_sequence LIMIT ?2",
    )?;
    let dead: Vec<(i64, i64, i64)> = statement
        .query_map((signed(up_to.0), limit), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?
        .collect::<Result<_, _>>()?;
    let mut chunks = 0;
    for (version_row, born_sequence, chunk_count) in &dead {
        connection
            .prepare_cached("UPDATE changes SET born_first = NULL, born_count = NULL WHERE sequence = ?1")?
            .execute([born_sequence])?;
        connection.prepare_cached("DELETE FROM versions WHERE version_row = ?1")?.execute([version_row])?;
        chunks += unsigned(*chunk_count);
    }
    connection.prepare_cached("DELETE FROM rights WHERE dead_sequence <= ?1")?.execute([signed(up_to.0)])?;
    Ok((dead.len(), chunks))
}
