use std::time::{SystemTime, UNIX_EPOCH};

use adit_core::{
    AccessControl, Chunk, ChunkId, DocumentId, EmbedderDescription, Metadata, SequenceNumber, TextFinding,
    TextRange,
};
use rusqlite::{Connection, OptionalExtension, params};

use crate::change_log::ChunkSpan;
use crate::record::{access_to_sql, metadata_to_json, signed, signed_size, to_json, unsigned};
use crate::token_codes::TokenCodeMover;
use crate::{CatalogError, NewVersion, TextKey, vector_blob};

/// What a change needs to know about the version it ends.
pub(crate) struct LivingVersion {
    pub(crate) version_row: i64,
    pub(crate) version: u32,
    pub(crate) span: Option<ChunkSpan>,
}

pub(crate) fn living_version(
    connection: &Connection,
    id: &DocumentId,
) -> Result<Option<LivingVersion>, CatalogError> {
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

pub(crate) fn mark_dead(
    connection: &Connection,
    version_row: i64,
    sequence: SequenceNumber,
) -> Result<(), CatalogError> {
    connection
        .prepare_cached("UPDATE versions SET dead_sequence = ?2 WHERE version_row = ?1")?
        .execute((version_row, signed(sequence.0)))?;
    mark_rights_dead(connection, version_row, sequence)
}

pub(crate) fn mark_rights_dead(
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
pub(crate) fn take_chunk_ids(
    connection: &Connection,
    count: usize,
) -> Result<Option<ChunkSpan>, CatalogError> {
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

pub(crate) fn insert_version(
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

pub(crate) fn insert_rights(
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
            metadata_to_json(metadata)?,
            content_hash,
        ))?;
    Ok(())
}

pub(crate) fn insert_chunks(
    connection: &Connection,
    version_row: i64,
    first: ChunkId,
    version: &NewVersion,
    embedder: &EmbedderDescription,
) -> Result<(), CatalogError> {
    let mut chunk_row = connection.prepare_cached(
        "INSERT INTO chunks (chunk_id, version_row, chunk_index, range_start, range_end, char_start, char_end,
            heading_path, page_start, page_end, header_start, header_end, token_count, text_key, indexed, warnings)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)",
    )?;
    let mut vector_row =
        connection.prepare_cached("INSERT INTO vectors (chunk_id, vector) VALUES (?1, ?2)")?;
    let mut used = connection.prepare_cached("DELETE FROM pending_vectors WHERE text_key = ?1")?;
    let mut token_codes = TokenCodeMover::new(connection)?;
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
            warnings_of(chunk, &version.coverage.findings)?,
        ])?;
        vector_row.execute((chunk_id, vector_blob::encode(vector)))?;
        used.execute([key.as_bytes()])?;
        token_codes.take_over(chunk_id, &key)?;
    }
    token_codes.finish()
}

/// The findings that a chunk shows, in its words or in the header rows above them.
fn warnings_of(chunk: &Chunk, findings: &[TextFinding]) -> Result<Option<String>, CatalogError> {
    let shows = |range: TextRange| {
        chunk.range.overlaps(range) || chunk.repeated_header.is_some_and(|header| header.overlaps(range))
    };
    let shown: Vec<&TextFinding> = findings.iter().filter(|finding| shows(finding.range)).collect();
    if shown.is_empty() { Ok(None) } else { Ok(Some(to_json(&shown)?)) }
}

fn now_unix_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
