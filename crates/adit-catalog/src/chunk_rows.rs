use adit_core::{
    AccessControl, Chunk, ChunkId, DocumentId, PassageId, ReadScope, SequenceNumber, TenantId, TextFinding,
    TextRange,
};
use rusqlite::{Connection, Row};

use crate::record::{self, from_json, optional_text, size, text, unsigned};
use crate::{CatalogError, CatalogView, schema, text_pieces};

/// A chunk with what a citation needs to know about its document's version.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredChunk {
    /// Its number.
    pub chunk_id: ChunkId,
    /// Its document.
    pub document: DocumentId,
    /// Owner of the document.
    pub tenant: TenantId,
    /// Who may read the document: the newest rights this version has had.
    pub access: AccessControl,
    /// Path or URI of the document.
    pub source: String,
    /// Title of the document.
    pub title: String,
    /// Language of the document.
    pub language: String,
    /// Number of the document's version.
    pub version: u32,
    /// The change that committed that version.
    pub sequence: SequenceNumber,
    /// The chunk.
    pub chunk: Chunk,
    /// The words at [`Chunk::repeated_header`].
    pub header_text: Option<String>,
    /// Hidden and instruction-like pieces of the document that this chunk shows, wholly or in part; ranges
    /// are in the document's text.
    pub warnings: Vec<TextFinding>,
}

impl StoredChunk {
    /// What a citation names.
    #[must_use]
    pub fn passage_id(&self) -> PassageId {
        PassageId { document: self.document.clone(), chunk_index: self.chunk.index }
    }
}

const CHUNK_COLUMNS: &str = "c.chunk_id, c.version_row, c.chunk_index, c.range_start, c.range_end, c.char_start,
    c.char_end, c.heading_path, c.page_start, c.page_end, c.header_start, c.header_end, c.token_count, c.indexed,
    v.document_id, v.tenant, v.source, v.title, v.language, v.version, v.born_sequence, r.access, ";

/// The newest rights of a version, which for a dead version are the ones it died with.
const CHUNK_TABLES: &str = "chunks c JOIN versions v USING (version_row) JOIN rights r
    ON r.version_row = v.version_row AND r.born_sequence =
        (SELECT max(born_sequence) FROM rights WHERE version_row = v.version_row)";

/// The columns of a chunk, in a file that may be of an older format.
fn chunk_columns(connection: &Connection) -> Result<String, CatalogError> {
    let warnings = if schema::has_chunk_warnings(connection)? { "c.warnings" } else { "NULL" };
    Ok(format!("{CHUNK_COLUMNS}{warnings}"))
}

impl CatalogView {
    /// One chunk, of a living or a dead version. Takes no scope: for chunks that a scoped search returned.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn chunk(&self, id: ChunkId) -> Result<Option<StoredChunk>, CatalogError> {
        let connection = self.lock();
        let columns = chunk_columns(&connection)?;
        let mut statement = connection
            .prepare_cached(&format!("SELECT {columns} FROM {CHUNK_TABLES} WHERE c.chunk_id = ?1"))?;
        let mut rows = statement.query([id.0])?;
        rows.next()?.map(|row| read_chunk(&connection, row)).transpose()
    }

    /// All chunks of a document's living version in reading order; empty when it has none, does not
    /// exist or may not be read.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn chunks_of(&self, id: &DocumentId, scope: ReadScope<'_>) -> Result<Vec<StoredChunk>, CatalogError> {
        let connection = self.lock();
        let columns = chunk_columns(&connection)?;
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {columns} FROM {CHUNK_TABLES}
             WHERE v.document_id = ?1 AND v.dead_sequence IS NULL ORDER BY c.chunk_index"
        ))?;
        let mut rows = statement.query([id.as_str()])?;
        let mut chunks = Vec::new();
        while let Some(row) = rows.next()? {
            let chunk = read_chunk(&connection, row)?;
            if !scope.permits(&chunk.tenant, &chunk.access) {
                return Ok(Vec::new());
            }
            chunks.push(chunk);
        }
        Ok(chunks)
    }
}

fn read_chunk(connection: &Connection, row: &Row<'_>) -> Result<StoredChunk, CatalogError> {
    let version_row: i64 = row.get(1)?;
    let range = TextRange::new(size(row.get(3)?), size(row.get(4)?));
    let header_start: Option<i64> = row.get(10)?;
    let header_end: Option<i64> = row.get(11)?;
    let repeated_header =
        header_start.zip(header_end).map(|(start, end)| TextRange::new(size(start), size(end)));
    let read = |range| text_pieces::read_range(connection, version_row, range);
    Ok(StoredChunk {
        chunk_id: ChunkId(row.get(0)?),
        document: DocumentId::from_stored(text(row, 14)?),
        tenant: record::tenant(text(row, 15)?)?,
        access: record::access_from_sql(optional_text(row, 21)?)?,
        source: row.get(16)?,
        title: row.get(17)?,
        language: row.get(18)?,
        version: row.get(19)?,
        sequence: SequenceNumber(unsigned(row.get(20)?)),
        chunk: Chunk {
            index: row.get(2)?,
            range,
            char_start: size(row.get(5)?),
            char_end: size(row.get(6)?),
            heading_path: from_json("heading path", text(row, 7)?)?,
            page_start: row.get(8)?,
            page_end: row.get(9)?,
            display: read(range)?,
            repeated_header,
            indexed: row.get(13)?,
            token_count: row.get(12)?,
        },
        header_text: repeated_header.map(read).transpose()?,
        warnings: match optional_text(row, 22)? {
            Some(json) => from_json("warnings of a chunk", json)?,
            None => Vec::new(),
        },
    })
}
