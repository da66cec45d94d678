use adit_core::{
    AccessControl, ChunkId, DocumentId, DocumentRecord, MediaType, Metadata, MetadataValue, Principal,
    SequenceNumber, TenantId,
};
use rusqlite::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::CatalogError;

/// Columns of [`read_record`], with `versions v` and `rights r` joined.
pub(crate) const RECORD_COLUMNS: &str =
    "v.document_id, v.tenant, v.source, v.title, v.media_type, v.language,
    r.access, r.metadata, r.content_hash, v.size_bytes, v.modified_unix_ms, v.committed_unix_ms, v.version,
    v.born_sequence, v.state, v.coverage, v.first_chunk, v.chunk_count, v.version_row";

/// The living version of each document with its rights of today.
pub(crate) const LIVING: &str = "versions v JOIN rights r
    ON r.version_row = v.version_row AND r.dead_sequence IS NULL AND v.dead_sequence IS NULL";

/// Position of `versions.version_row` in [`RECORD_COLUMNS`].
pub(crate) const VERSION_ROW_COLUMN: usize = 18;

pub(crate) fn read_record(row: &Row<'_>) -> Result<DocumentRecord, CatalogError> {
    Ok(DocumentRecord {
        id: DocumentId::from_stored(text(row, 0)?),
        tenant: tenant(text(row, 1)?)?,
        source: row.get(2)?,
        title: row.get(3)?,
        media_type: media_type(text(row, 4)?)?,
        language: row.get(5)?,
        access: access_from_sql(optional_text(row, 6)?)?,
        metadata: metadata(text(row, 7)?)?,
        content_hash: row.get(8)?,
        size_bytes: unsigned(row.get(9)?),
        modified_unix_ms: row.get(10)?,
        committed_unix_ms: row.get(11)?,
        version: row.get(12)?,
        sequence: SequenceNumber(unsigned(row.get(13)?)),
        state: from_json("state", text(row, 14)?)?,
        coverage: from_json("coverage", text(row, 15)?)?,
        first_chunk: row.get::<_, Option<u32>>(16)?.map(ChunkId),
        chunk_count: row.get(17)?,
    })
}

/// A text column without copying it.
pub(crate) fn text<'r>(row: &'r Row<'_>, column: usize) -> Result<&'r str, CatalogError> {
    row.get_ref(column)?.as_str().map_err(|error| CatalogError::unreadable("text", error))
}

/// A text column that may be NULL, without copying it.
pub(crate) fn optional_text<'r>(row: &'r Row<'_>, column: usize) -> Result<Option<&'r str>, CatalogError> {
    row.get_ref(column)?.as_str_or_null().map_err(|error| CatalogError::unreadable("text", error))
}

pub(crate) fn tenant(name: &str) -> Result<TenantId, CatalogError> {
    TenantId::new(name).map_err(|error| CatalogError::unreadable("tenant", error))
}

pub(crate) fn media_type(name: &str) -> Result<MediaType, CatalogError> {
    serde_json::from_value(serde_json::Value::String(name.to_owned()))
        .map_err(|error| CatalogError::unreadable("media type", error))
}

pub(crate) fn metadata(json: &str) -> Result<Metadata, CatalogError> {
    // Most documents have none, and this is read for every document of a snapshot.
    if json == "{}" { Ok(Metadata::new()) } else { from_json("metadata", json) }
}

/// JSON has no infinite numbers (YAML has); such a value is kept as the text a filter would compare.
pub(crate) fn metadata_to_json(metadata: &Metadata) -> Result<String, CatalogError> {
    let mut metadata = metadata.clone();
    for value in metadata.values_mut().flatten() {
        if matches!(value, MetadataValue::Number(number) if !number.is_finite()) {
            *value = MetadataValue::Text(value.to_text());
        }
    }
    to_json(&metadata)
}

/// NULL means everybody in the tenant; else a JSON list of principals.
pub(crate) fn access_to_sql(access: &AccessControl) -> Result<Option<String>, CatalogError> {
    match access {
        AccessControl::Tenant => Ok(None),
        AccessControl::Only(principals) => to_json(principals).map(Some),
    }
}

pub(crate) fn access_from_sql(stored: Option<&str>) -> Result<AccessControl, CatalogError> {
    stored.map_or(Ok(AccessControl::Tenant), |json| {
        from_json::<Vec<Principal>>("access rights", json).map(AccessControl::Only)
    })
}

pub(crate) fn to_json<T: Serialize>(value: &T) -> Result<String, CatalogError> {
    serde_json::to_string(value).map_err(|error| CatalogError::unreadable("value to be stored", error))
}

pub(crate) fn from_json<T: DeserializeOwned>(what: &str, json: &str) -> Result<T, CatalogError> {
    serde_json::from_str(json).map_err(|error| CatalogError::unreadable(what, error))
}

/// SQLite has no unsigned integers; nothing stored here reaches 2^63.
pub(crate) fn signed(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}

pub(crate) fn signed_size(value: usize) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(crate) fn size(value: i64) -> usize {
    usize::try_from(value).unwrap_or(0)
}
