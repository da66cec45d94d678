use adit_core::{
    AccessControl, Chunk, ChunkId, Coverage, DocumentId, DocumentState, MediaType, Metadata, SequenceNumber,
    TenantId,
};
use rusqlite::Connection;

use crate::catalog::read_fingerprint;
use crate::change_log::{self, ChangeKind};
use crate::version_rows::{
    insert_chunks, insert_rights, insert_version, living_version, mark_dead, mark_rights_dead, take_chunk_ids,
};
use crate::{Catalog, CatalogError, DocumentLink, links, text_pieces};

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

impl Catalog {
    /// Commits one version in one durable transaction: the living version dies, this one is born with
    /// its text, chunks, vectors and rights, and the change gets the next sequence number.
    ///
    /// # Errors
    /// [`CatalogError::InvalidVersion`], [`CatalogError::Vector`], [`CatalogError::NoFingerprint`] for a
    /// version that is not whole; [`CatalogError::Io`] and others. Then nothing has changed.
    pub fn commit(&self, version: NewVersion) -> Result<Committed, CatalogError> {
        self.commit_with_links(version, &[])
    }

    /// As [`Catalog::commit`], with what the version points to; its links live and die with it.
    ///
    /// # Errors
    /// As [`Catalog::commit`].
    pub fn commit_with_links(
        &self,
        version: NewVersion,
        points_to: &[DocumentLink],
    ) -> Result<Committed, CatalogError> {
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
            links::insert(transaction, version_row, points_to)?;
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
