//! Token codes for late interaction: opaque rows of bytes, one blob a chunk, found by a chunk's id or by its
//! text. How they are made is one value of the whole catalog, so that any two may be compared.

use adit_core::ChunkId;
use rusqlite::{CachedStatement, Connection, OptionalExtension};

use crate::change_log::ChunkSpan;
use crate::record::{text, unsigned};
use crate::view::bounds;
use crate::{Catalog, CatalogError, CatalogView, TextKey};

/// Key in `settings` of how the codes are made.
const MAKE_KEY: &str = "token_code_make";

/// The codes of one chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TokenCodeRow {
    /// The chunk.
    pub chunk: ChunkId,
    /// Its rows.
    pub codes: Vec<u8>,
}

/// How many of the living chunks have token codes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCodeCoverage {
    /// Living chunks.
    pub chunks: u64,
    /// Those with codes.
    pub coded: u64,
    /// Bytes of their codes.
    pub bytes: u64,
}

impl Catalog {
    /// Begins codes of a make, which replaces the one before with all of its codes. Nothing is lost but time:
    /// chunks without codes are searched without late interaction.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn start_token_codes(&self, make: &str) -> Result<(), CatalogError> {
        self.write(|transaction| {
            forget_all(transaction)?;
            transaction.execute("INSERT INTO settings VALUES (?1, ?2)", [MAKE_KEY, make])?;
            Ok(())
        })
    }

    /// Keeps codes of texts under their keys. [`Catalog::commit`] gives them to every chunk with that text, in
    /// the transaction that stores the chunk; a text whose codes are stored with another chunk needs none.
    ///
    /// # Errors
    /// [`CatalogError::Vector`] when the lists differ in length; [`CatalogError::Io`] and others.
    pub fn store_pending_token_codes(&self, keys: &[TextKey], codes: &[Vec<u8>]) -> Result<(), CatalogError> {
        if keys.len() != codes.len() {
            let detail = format!("{} keys came with {} token codes", keys.len(), codes.len());
            return Err(CatalogError::Vector { index: keys.len().min(codes.len()), detail });
        }
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO pending_token_codes (text_key, codes) VALUES (?1, ?2)",
            )?;
            for (key, codes) in keys.iter().zip(codes) {
                insert.execute((key.as_bytes(), codes))?;
            }
            Ok(())
        })
    }

    /// Whether codes are known for the texts of `keys`, pending or stored with a chunk.
    ///
    /// # Errors
    /// As [`Catalog::view`].
    pub fn has_token_codes(&self, keys: &[TextKey]) -> Result<Vec<bool>, CatalogError> {
        let view = self.view()?;
        let connection = view.lock();
        if !has_tables(&connection)? {
            return Ok(vec![false; keys.len()]);
        }
        let mut known = connection.prepare_cached(
            "SELECT EXISTS (SELECT 1 FROM pending_token_codes WHERE text_key = ?1)
                OR EXISTS (SELECT 1 FROM chunks JOIN token_codes USING (chunk_id) WHERE text_key = ?1)",
        )?;
        keys.iter().map(|key| Ok(known.query_row([key.as_bytes()], |row| row.get(0))?)).collect()
    }

    /// Stores codes of chunks that are committed already; those that are gone meanwhile are passed over.
    /// Returns how many were stored.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn store_token_codes(&self, rows: &[TokenCodeRow]) -> Result<usize, CatalogError> {
        self.write(|transaction| {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO token_codes (chunk_id, codes)
                 SELECT chunk_id, ?2 FROM chunks WHERE chunk_id = ?1",
            )?;
            let mut stored = 0;
            for row in rows {
                stored += insert.execute((row.chunk.0, &row.codes))?;
            }
            Ok(stored)
        })
    }
}

impl CatalogView {
    /// How the token codes are made; `None` where there are none.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn token_code_make(&self) -> Result<Option<String>, CatalogError> {
        self.setting(MAKE_KEY)
    }

    /// Shows the codes of every chunk of `span` that has some, living or dead, by rising id.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn for_each_token_codes(
        &self,
        span: ChunkSpan,
        visit: &mut dyn FnMut(ChunkId, &[u8]),
    ) -> Result<(), CatalogError> {
        let connection = self.lock();
        if !has_tables(&connection)? {
            return Ok(());
        }
        let mut statement = connection.prepare_cached(
            "SELECT chunk_id, codes FROM token_codes WHERE chunk_id >= ?1 AND chunk_id < ?2 ORDER BY chunk_id",
        )?;
        let mut rows = statement.query(bounds(span))?;
        while let Some(row) = rows.next()? {
            let codes = row.get_ref(1)?.as_blob();
            let codes = codes.map_err(|error| CatalogError::unreadable("token codes", error))?;
            visit(ChunkId(row.get(0)?), codes);
        }
        Ok(())
    }

    /// Up to `limit` living chunks after `after` that have no codes, by rising id, with their indexed texts.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn chunks_without_token_codes(
        &self,
        after: ChunkId,
        limit: usize,
    ) -> Result<Vec<(ChunkId, String)>, CatalogError> {
        let connection = self.lock();
        let without = if has_tables(&connection)? {
            "AND NOT EXISTS (SELECT 1 FROM token_codes t WHERE t.chunk_id = c.chunk_id)"
        } else {
            ""
        };
        let mut statement = connection.prepare_cached(&format!(
            "SELECT c.chunk_id, c.indexed FROM chunks c JOIN versions v USING (version_row)
             WHERE c.chunk_id > ?1 AND v.dead_sequence IS NULL {without} ORDER BY c.chunk_id LIMIT ?2"
        ))?;
        let mut rows = statement.query((after.0, i64::try_from(limit).unwrap_or(i64::MAX)))?;
        let mut chunks = Vec::new();
        while let Some(row) = rows.next()? {
            chunks.push((ChunkId(row.get(0)?), text(row, 1)?.to_owned()));
        }
        Ok(chunks)
    }

    /// How many living chunks have codes.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn token_code_coverage(&self) -> Result<TokenCodeCoverage, CatalogError> {
        let connection = self.lock();
        let living = "FROM chunks c JOIN versions v USING (version_row)";
        let count = |columns: &str, join: &str| {
            let sql = format!("SELECT {columns} {living} {join} WHERE v.dead_sequence IS NULL");
            connection.query_row(&sql, [], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)))
        };
        let (chunks, _) = count("count(*), 0", "")?;
        let (coded, bytes) = if has_tables(&connection)? {
            count("count(*), coalesce(sum(length(t.codes)), 0)", "JOIN token_codes t USING (chunk_id)")?
        } else {
            (0, 0)
        };
        Ok(TokenCodeCoverage { chunks: unsigned(chunks), coded: unsigned(coded), bytes: unsigned(bytes) })
    }
}

/// Gives chunks that are being stored the codes of their texts.
pub(crate) struct TokenCodeMover<'a> {
    pending: CachedStatement<'a>,
    stored: CachedStatement<'a>,
    used: CachedStatement<'a>,
    keys: Vec<TextKey>,
}

impl<'a> TokenCodeMover<'a> {
    pub(crate) fn new(connection: &'a Connection) -> Result<Self, CatalogError> {
        Ok(Self {
            pending: connection.prepare_cached(
                "INSERT INTO token_codes (chunk_id, codes)
                 SELECT ?1, codes FROM pending_token_codes WHERE text_key = ?2",
            )?,
            stored: connection.prepare_cached(
                "INSERT INTO token_codes (chunk_id, codes)
                 SELECT ?1, codes FROM chunks JOIN token_codes USING (chunk_id) WHERE text_key = ?2 LIMIT 1",
            )?,
            used: connection.prepare_cached("DELETE FROM pending_token_codes WHERE text_key = ?1")?,
            keys: Vec::new(),
        })
    }

    /// Codes that wait under `key`, else those of another chunk with the same text; none is no error.
    pub(crate) fn take_over(&mut self, chunk_id: i64, key: &TextKey) -> Result<(), CatalogError> {
        if self.pending.execute((chunk_id, key.as_bytes()))? > 0 {
            self.keys.push(*key);
        } else {
            self.stored.execute((chunk_id, key.as_bytes()))?;
        }
        Ok(())
    }

    /// Drops what waited and is stored now.
    pub(crate) fn finish(mut self) -> Result<(), CatalogError> {
        for key in &self.keys {
            self.used.execute([key.as_bytes()])?;
        }
        Ok(())
    }
}

/// A reader does not bring an old catalog up to date, so it may look at one without the tables.
fn has_tables(connection: &Connection) -> Result<bool, CatalogError> {
    let found: Option<i64> = connection
        .prepare_cached("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'token_codes'")?
        .query_row([], |row| row.get(0))
        .optional()?;
    Ok(found.is_some())
}

pub(crate) fn forget_pending(connection: &Connection) -> Result<(), CatalogError> {
    connection.execute("DELETE FROM pending_token_codes", [])?;
    Ok(())
}

/// All codes and how they were made, when the vectors become others.
pub(crate) fn forget_all(connection: &Connection) -> Result<(), CatalogError> {
    forget_pending(connection)?;
    connection.execute("DELETE FROM token_codes", [])?;
    connection.execute("DELETE FROM settings WHERE key = ?1", [MAKE_KEY])?;
    Ok(())
}

/// Keeps the codes of all chunks, which are about to go, by their texts.
pub(crate) fn keep_as_pending(connection: &Connection) -> Result<(), CatalogError> {
    connection.execute(
        "INSERT OR IGNORE INTO pending_token_codes (text_key, codes)
         SELECT text_key, codes FROM chunks JOIN token_codes USING (chunk_id)",
        [],
    )?;
    Ok(())
}
