use adit_core::{AccessControl, ChunkId, DocumentId, MediaType, Metadata, SequenceNumber, TenantId};
use rusqlite::{Connection, Row};

use crate::record::{self, optional_text, signed, text, unsigned};
use crate::{CatalogError, CatalogView};

/// A run of chunk ids without a gap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ChunkSpan {
    /// The first id.
    pub first: ChunkId,
    /// How many.
    pub count: u32,
}

impl ChunkSpan {
    /// The ids, rising.
    pub fn ids(self) -> impl Iterator<Item = ChunkId> {
        (self.first.0..self.first.0.saturating_add(self.count)).map(ChunkId)
    }

    /// Whether `chunk` is one of them.
    #[must_use]
    pub fn contains(self, chunk: ChunkId) -> bool {
        chunk.0.checked_sub(self.first.0).is_some_and(|offset| offset < self.count)
    }
}

/// What a change did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// A version was committed, the first or a later one, in whatever state.
    Committed,
    /// The document was removed.
    Removed,
    /// Its rights or metadata changed; its chunks did not.
    AccessChanged,
}

impl ChangeKind {
    fn name(self) -> &'static str {
        match self {
            Self::Committed => "committed",
            Self::Removed => "removed",
            Self::AccessChanged => "access_changed",
        }
    }

    fn from_name(name: &str) -> Result<Self, CatalogError> {
        [Self::Committed, Self::Removed, Self::AccessChanged]
            .into_iter()
            .find(|kind| kind.name() == name)
            .ok_or_else(|| CatalogError::unreadable("kind of change", name))
    }
}

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Its number.
    pub sequence: SequenceNumber,
    /// Which document.
    pub document: DocumentId,
    /// What happened.
    pub kind: ChangeKind,
    /// Chunks that came to be. `None` also where they died later and have been purged since, so that a
    /// replay from any point never asks for rows that are gone.
    pub born: Option<ChunkSpan>,
    /// Chunks that died by this change.
    pub dead: Option<ChunkSpan>,
}

/// A document with chunks, as the index needs it for its snapshot.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexedDocument {
    /// Stable id.
    pub id: DocumentId,
    /// Owner.
    pub tenant: TenantId,
    /// Who may read it.
    pub access: AccessControl,
    /// Further keys for filters, as the document gave them.
    pub metadata: Metadata,
    /// Path or URI.
    pub source: String,
    /// Title.
    pub title: String,
    /// Detected type.
    pub media_type: MediaType,
    /// ISO 639-1 code, or `und`.
    pub language: String,
    /// The first of its chunks.
    pub first_chunk: ChunkId,
    /// How many chunks it has, at least 1.
    pub chunk_count: u32,
    /// Modification time, milliseconds since 1970.
    pub modified_unix_ms: Option<i64>,
}

impl IndexedDocument {
    /// All of its chunks.
    #[must_use]
    pub fn span(&self) -> ChunkSpan {
        ChunkSpan { first: self.first_chunk, count: self.chunk_count }
    }
}

impl CatalogView {
    /// The log after `after` up to and with `up_to`, in order.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn changes(&self, after: SequenceNumber, up_to: SequenceNumber) -> Result<Vec<Change>, CatalogError> {
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT sequence, kind, document_id, born_first, born_count, dead_first, dead_count FROM changes
             WHERE sequence > ?1 AND sequence <= ?2 ORDER BY sequence",
        )?;
        let mut rows = statement.query((signed(after.0), signed(up_to.0)))?;
        let mut changes = Vec::new();
        while let Some(row) = rows.next()? {
            changes.push(Change {
                sequence: SequenceNumber(unsigned(row.get(0)?)),
                kind: ChangeKind::from_name(text(row, 1)?)?,
                document: DocumentId::from_stored(text(row, 2)?),
                born: read_span(row, 3)?,
                dead: read_span(row, 5)?,
            });
        }
        Ok(changes)
    }

    /// The documents with chunks as they were after change `sequence`, with their rights of that moment,
    /// by rising chunk ids. Everything derived can be built from this alone.
    ///
    /// # Errors
    /// [`CatalogError::Purged`] when that state is no longer whole.
    pub fn documents_at(&self, sequence: SequenceNumber) -> Result<Vec<IndexedDocument>, CatalogError> {
        let oldest = self.purged_up_to()?;
        if sequence < oldest {
            return Err(CatalogError::Purged { asked: sequence, oldest });
        }
        let connection = self.lock();
        let mut statement = connection.prepare_cached(
            "SELECT v.document_id, v.tenant, r.access, r.metadata, v.source, v.title, v.media_type, v.language,
                v.first_chunk, v.chunk_count, v.modified_unix_ms
             FROM versions v JOIN rights r ON r.version_row = v.version_row
             WHERE v.chunk_count > 0
               AND v.born_sequence <= ?1 AND (v.dead_sequence IS NULL OR v.dead_sequence > ?1)
               AND r.born_sequence <= ?1 AND (r.dead_sequence IS NULL OR r.dead_sequence > ?1)
             ORDER BY v.first_chunk",
        )?;
        let mut rows = statement.query([signed(sequence.0)])?;
        let mut documents = Vec::new();
        while let Some(row) = rows.next()? {
            documents.push(IndexedDocument {
                id: DocumentId::from_stored(text(row, 0)?),
                tenant: record::tenant(text(row, 1)?)?,
                access: record::access_from_sql(optional_text(row, 2)?)?,
                metadata: record::metadata(text(row, 3)?)?,
                source: row.get(4)?,
                title: row.get(5)?,
                media_type: record::media_type(text(row, 6)?)?,
                language: row.get(7)?,
                first_chunk: ChunkId(row.get(8)?),
                chunk_count: row.get(9)?,
                modified_unix_ms: row.get(10)?,
            });
        }
        Ok(documents)
    }
}

/// Takes the next sequence number; it is used up only if the transaction commits.
pub(crate) fn next_sequence(connection: &Connection) -> Result<SequenceNumber, CatalogError> {
    let next: i64 = connection
        .prepare_cached("UPDATE catalog_state SET last_sequence = last_sequence + 1 RETURNING last_sequence")?
        .query_row([], |row| row.get(0))?;
    Ok(SequenceNumber(unsigned(next)))
}

pub(crate) fn insert(
    connection: &Connection,
    sequence: SequenceNumber,
    kind: ChangeKind,
    document: &DocumentId,
    born: Option<ChunkSpan>,
    dead: Option<ChunkSpan>,
) -> Result<(), CatalogError> {
    connection
        .prepare_cached(
            "INSERT INTO changes (sequence, kind, document_id, born_first, born_count, dead_first, dead_count)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
        )?
        .execute((
            signed(sequence.0),
            kind.name(),
            document.as_str(),
            born.map(|span| span.first.0),
            born.map(|span| span.count),
            dead.map(|span| span.first.0),
            dead.map(|span| span.count),
        ))?;
    Ok(())
}

fn read_span(row: &Row<'_>, first_column: usize) -> Result<Option<ChunkSpan>, CatalogError> {
    let first: Option<u32> = row.get(first_column)?;
    let count: Option<u32> = row.get(first_column + 1)?;
    Ok(first.zip(count).map(|(first, count)| ChunkSpan { first: ChunkId(first), count }))
}
