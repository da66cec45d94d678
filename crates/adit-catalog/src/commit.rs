use std::time::{SystemTime, UNIX_EPOCH};

use adit_core::{
    AccessControl, Chunk, ChunkId, Coverage, DocumentId, DocumentState, EmbedderDescription, MediaType,
    Metadata, SequenceNumber, TenantId,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::catalog::read_fingerprint;
use crate::change_log::{self, ChangeKind, ChunkSpan};
use crate::record::{access_to_sql, signed, signed_size, to_json, unsigned};
use crate::{Catalog, CatalogError, TextKey, text_pieces, vector_blob};

/// One version of a document as it comes out of ingestion. A failed or skipped document is a version
/// too, without chunks: it replaces the old one, so nothing stale is served.
#[derive(Debug, Clone, PartialEq)]
pub struct NewVersion {
    /// Stable id.
    pub id: DocumentId,
    /// Owner.
    pub tenant: TenantId,
    /// Path relative to the indexed root, with `/`, or a URI.
    pub source: String,
    /// Title from the document, or its file name.
    pub title: String,
    /// Detected by content.
    pub media_type: MediaType,
    /// ISO 639-1 code, or `und`.
    pub language: String,
    /// Who may read it.
    pub access: AccessControl,
    /// Further keys for filters.
    pub metadata: Metadata,
    /// See [`adit_core::DocumentRecord::content_hash`].
    pub content_hash: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Modification time, milliseconds since 1970.
    pub modified_unix_ms: Option<i64>,
    /// What became of it.
    pub state: DocumentState,
    /// What went in and what came out.
    pub coverage: Coverage,
    /// The extracted text that all ranges point into.
    pub text: String,
    /// In reading order, indexes rising from 0.
    pub chunks: Vec<Chunk>,
    /// `[chunks.len(), dimension]`: one vector a chunk.
    pub vectors: Vec<Vec<f32>>,
}

/// The acknowledgement: the version is durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Committed {
    /// The change's number.
    pub sequence: SequenceNumber,
    /// The first of its chunks; the others follow without a gap.
    pub first_chunk: Option<ChunkId>,
    /// How many chunks it has.
    pub chunk_count: u32,
    /// 1 for the first version, then rising by one.
    pub version: u32,
}

/// What the living version of a document is replaced by needs to know about it.
struct LivingVersion {
    version_row: i64,
    version: u32,
    span: Option<ChunkSpan>,
}

impl Catalog {
    /// Commits one version in one durable transaction: the living version dies, this one is born with
    /// its text, chunks, vectors and rights, and the change gets the next sequence number.
    ///
    /// # Errors
    /// [`CatalogError::InvalidVersion`], [`CatalogError::Vector`], [`CatalogError::NoFingerprint`] for a
    /// version that is not whole; [`CatalogError::Io`] and others. Then nothing has changed.
    pub fn commit(&self, version: NewVersion) -> Result<Committed, CatalogError> {
        check_version(&version)?;
        self.write(|transaction| {
            let sequence = change_log::next_sequence(transaction)?;
            let replaced = living_version(transaction, &version.id)?;
            if let Some(replaced) = &replaced {
                mark_dead(transaction, replaced.version_row, sequence)?;
            }
            let number = replaced.as_ref().map_or(1, |replaced| replaced.version.saturating_add(1));
            let born = take_chunk_ids(transaction, version.chunks.len())?;
            let version_row = insert_version(transaction, &version, number, born, sequence)?;
            insert_rights(
                transaction,
                version_row,
                sequence,
                &version.access,
                &version.metadata,
                &version.content_hash,
            )?;
            text_pieces::insert(transaction, version_row, &version.text)?;
            if let Some(born) = born {
                let fingerprint = read_fingerprint(transaction)?.ok_or(CatalogError::NoFingerprint)?;
                insert_chunks(transaction, version_row, born.first, &version, &fingerprint.embedder)?;
            }
            let dead = replaced.and_then(|replaced| replaced.span);
            change_log::insert(transaction, sequence, ChangeKind::Committed, &version.id, born, dead)?;
            Ok(Committed {
                sequence,
                first_chunk: born.map(|span| span.first),
                chunk_count: born.map_or(0, |span| span.count),
                version: number,
            })
        })
    }

    /// Removes a document, whatever its state; `None` when there is no such document.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn remove(&self, id: &DocumentId) -> Result<Option<SequenceNumber>, CatalogError> {
        self.write(|transaction| {
            let Some(living) = living_version(transaction, id)? else { return Ok(None) };
            let sequence = change_log::next_sequence(transaction)?;
            mark_dead(transaction, living.version_row, sequence)?;
            change_log::insert(transaction, sequence, ChangeKind::Removed, id, None, living.span)?;
            Ok(Some(sequence))
        })
    }

    /// Changes who may read a document and its metadata, without touching its text, chunks or vectors;
    /// `None` when there is no such document. The tenant of a document never changes.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn update_access(
        &self,
        id: &DocumentId,
        access: AccessControl,
        metadata: Metadata,
    ) -> Result<Option<SequenceNumber>, CatalogError> {
        self.update_rights(id, &access, &metadata, None)
    }

    /// As [`Catalog::update_access`], with the content hash that belongs to the new rights, so that the
    /// next look at the source finds it unchanged.
    ///
    /// # Errors
    /// As [`Catalog::update_access`].
    pub fn update_access_and_hash(
        &self,
        id: &DocumentId,
        access: AccessControl,
        metadata: Metadata,
        content_hash: &str,
    ) -> Result<Option<SequenceNumber>, CatalogError> {
        self.update_rights(id, &access, &metadata, Some(content_hash))
    }

    fn update_rights(
        &self,
        id: &DocumentId,
        access: &AccessControl,
        metadata: &Metadata,
        content_hash: Option<&str>,
    ) -> Result<Option<SequenceNumber>, CatalogError> {
        self.write(|transaction| {
            let Some(living) = living_version(transaction, id)? else { return Ok(None) };
            let sequence = change_log::next_sequence(transaction)?;
            let stored_hash: String = transaction.query_row(
                "SELECT content_hash FROM rights WHERE version_row = ?1 AND dead_sequence IS NULL",
                [living.version_row],
                |row| row.get(0),
            )?;
            mark_rights_dead(transaction, living.version_row, sequence)?;
            let content_hash = content_hash.unwrap_or(&stored_hash);
            insert_rights(transaction, living.version_row, sequence, access, metadata, content_hash)?;
            change_log::insert(transaction, sequence, ChangeKind::AccessChanged, id, None, None)?;
            Ok(Some(sequence))
        })
    }
}

/// Removes every document, each by a change of its own so that a replay needs no special case.
pub(crate) fn remove_all(connection: &Connection) -> Result<(), CatalogError> {
    let ids: Vec<String> = connection
        .prepare("SELECT document_id FROM versions WHERE dead_sequence IS NULL ORDER BY version_row")?
        .query_map([], |row| row.get(0))?
        .collect::<Result<_, _>>()?;
    for id in ids {
        let id = DocumentId::from_stored(&id);
        if let Some(living) = living_version(connection, &id)? {
            let sequence = change_log::next_sequence(connection)?;
            mark_dead(connection, living.version_row, sequence)?;
            change_log::insert(connection, sequence, ChangeKind::Removed, &id, None, living.span)?;
        }
    }
    Ok(())
}

/// What must hold before anything is written; what needs the fingerprint is checked on the way.
fn check_version(version: &NewVersion) -> Result<(), CatalogError> {
    let refuse = |detail: String| {
        Err(CatalogError::InvalidVersion { document: version.id.as_str().to_owned(), detail })
    };
    if version.chunks.len() != version.vectors.len() {
        return refuse(format!(
            "{} chunks came with {} vectors",
            version.chunks.len(),
            version.vectors.len()
        ));
    }
    if matches!(version.state, DocumentState::Failed { .. } | DocumentState::Skipped { .. })
        && !version.chunks.is_empty()
    {
        return refuse(format!("it is {} and yet has chunks", version.state.name()));
    }
    for (position, chunk) in version.chunks.iter().enumerate() {
        if usize::try_from(chunk.index) != Ok(position) {
            return refuse(format!("chunk {position} has index {}", chunk.index));
        }
        if chunk.range.slice(&version.text) != Some(chunk.display.as_str()) {
            return refuse(format!("chunk {position} shows other words than its range"));
        }
        if chunk.char_end.checked_sub(chunk.char_start) != Some(chunk.display.chars().count()) {
            return refuse(format!("chunk {position} has another length in characters than its words"));
        }
        if chunk.repeated_header.is_some_and(|header| header.slice(&version.text).is_none()) {
            return refuse(format!("chunk {position} repeats a header that is not in the text"));
        }
    }
    Ok(())
}

fn living_version(connection: &Connection, id: &DocumentId) -> Result<Option<LivingVersion>, CatalogError> {
    let mut statement = connection.prepare_cached(
        "SELECT version_row, version, first_chunk, chunk_count FROM versions
         WHERE document_id = ?1 AND dead_sequence IS NULL",
    )?;
    let found = statement
        .query_row([id.as_str()], |row| {
            let first: Option<u32> = row.get(2)?;
            let count = row.get(3)?;
            Ok(LivingVersion {
                version_row: row.get(0)?,
                version: row.get(1)?,
                span: first.map(|first| ChunkSpan { first: ChunkId(first), count }),
            })
        })
        .optional()?;
    Ok(found)
}

fn mark_dead(
    connection: &Connection,
    version_row: i64,
    sequence: SequenceNumber,
) -> Result<(), CatalogError> {
    connection
        .prepare_cached("UPDATE versions SET dead_sequence = ?2 WHERE version_row = ?1")?
        .execute((version_row, signed(sequence.0)))?;
    mark_rights_dead(connection, version_row, sequence)
}

fn mark_rights_dead(
    connection: &Connection,
    version_row: i64,
    sequence: SequenceNumber,
) -> Result<(), CatalogError> {
    connection
        .prepare_cached(
            "UPDATE rights SET dead_sequence = ?2 WHERE version_row = ?1 AND dead_sequence IS NULL",
        )?
        .execute((version_row, signed(sequence.0)))?;
    Ok(())
}

/// Takes the next chunk ids from the counter, which only rises, also over purges.
fn take_chunk_ids(connection: &Connection, count: usize) -> Result<Option<ChunkSpan>, CatalogError> {
    if count == 0 {
        return Ok(None);
    }
    let next: i64 = connection.query_row("SELECT next_chunk FROM catalog_state", [], |row| row.get(0))?;
    let after = next.saturating_add(signed_size(count));
    let (Ok(first), Ok(count), true) =
        (u32::try_from(next), u32::try_from(count), unsigned(after) <= u64::from(u32::MAX))
    else {
        return Err(CatalogError::ChunkIdsExhausted);
    };
    connection.execute("UPDATE catalog_state SET next_chunk = ?1", [after])?;
    Ok(Some(ChunkSpan { first: ChunkId(first), count }))
}

fn insert_version(
    connection: &Connection,
    version: &NewVersion,
    number: u32,
    born: Option<ChunkSpan>,
    sequence: SequenceNumber,
) -> Result<i64, CatalogError> {
    connection
        .prepare_cached(
            "INSERT INTO versions (document_id, version, tenant, source, title, media_type, language, size_bytes,
                modified_unix_ms, committed_unix_ms, state_name, state, coverage, first_chunk, chunk_count,
                born_sequence)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
        )?
        .execute(params![
            version.id.as_str(),
            number,
            version.tenant.as_str(),
            version.source,
            version.title,
            version.media_type.to_string(),
            version.language,
            signed(version.size_bytes),
            version.modified_unix_ms,
            now_unix_ms(),
            version.state.name(),
            to_json(&version.state)?,
            to_json(&version.coverage)?,
            born.map(|span| span.first.0),
            born.map_or(0, |span| span.count),
            signed(sequence.0),
        ])?;
    Ok(connection.last_insert_rowid())
}

fn insert_rights(
    connection: &Connection,
    version_row: i64,
    sequence: SequenceNumber,
    access: &AccessControl,
    metadata: &Metadata,
    content_hash: &str,
) -> Result<(), CatalogError> {
    connection
        .prepare_cached(
            "INSERT INTO rights (version_row, born_sequence, access, metadata, content_hash)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?
        .execute((
            version_row,
            signed(sequence.0),
            access_to_sql(access)?,
            to_json(metadata)?,
            content_hash,
        ))?;
    Ok(())
}

fn insert_chunks(
    connection: &Connection,
    version_row: i64,
    first: ChunkId,
    version: &NewVersion,
    embedder: &EmbedderDescription,
) -> Result<(), CatalogError> {
    let mut chunk_row = connection.prepare_cached(
        "INSERT INTO chunks (chunk_id, version_row, chunk_index, range_start, range_end, char_start, char_end,
            heading_path, page_start, page_end, header_start, header_end, token_count, text_key, indexed)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)",
    )?;
    let mut vector_row =
        connection.prepare_cached("INSERT INTO vectors (chunk_id, vector) VALUES (?1, ?2)")?;
    let mut used = connection.prepare_cached("DELETE FROM pending_vectors WHERE text_key = ?1")?;
    for ((position, chunk), vector) in version.chunks.iter().enumerate().zip(&version.vectors) {
        vector_blob::check(position, vector, embedder.dimension)?;
        let chunk_id = i64::from(first.0) + i64::from(chunk.index);
        let key = TextKey::new(embedder, &chunk.indexed);
        chunk_row.execute(params![
            chunk_id,
            version_row,
            chunk.index,
            signed_size(chunk.range.start),
            signed_size(chunk.range.end),
            signed_size(chunk.char_start),
            signed_size(chunk.char_end),
            to_json(&chunk.heading_path)?,
            chunk.page_start,
            chunk.page_end,
            chunk.repeated_header.map(|range| signed_size(range.start)),
            chunk.repeated_header.map(|range| signed_size(range.end)),
            chunk.token_count,
            key.as_bytes(),
            chunk.indexed,
        ])?;
        vector_row.execute((chunk_id, vector_blob::encode(vector)))?;
        used.execute([key.as_bytes()])?;
    }
    Ok(())
}

fn now_unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
