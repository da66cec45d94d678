use serde::{Deserialize, Serialize};

use crate::{
    ChunkId, Coverage, DocumentId, DocumentState, MediaType, Metadata, Principal, SequenceNumber, TenantId,
};

/// Who inside the tenant may read a document.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccessControl {
    /// Everybody in the tenant: the document has no access control list.
    Tenant,
    /// Only a reader acting as one of these; an empty list permits nobody.
    Only(Vec<Principal>),
}

/// One document as the catalog holds it: identity, rights, state and what became of its bytes.
/// Its text, chunks and vectors are read separately.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentRecord {
    /// Stable id.
    pub id: DocumentId,
    /// Owner.
    pub tenant: TenantId,
    /// Where it came from: a path relative to the indexed root, with `/`, or a URI.
    pub source: String,
    /// Title from the document, or its file name.
    pub title: String,
    /// Detected by content.
    pub media_type: MediaType,
    /// ISO 639-1 code the analyser uses (`en`, `de`, `zh`), or `und` where it could not be told.
    pub language: String,
    /// Who may read it.
    pub access: AccessControl,
    /// Further keys for filters.
    pub metadata: Metadata,
    /// blake3, hexadecimal, over the bytes, the sidecar and the access rule that applied: while it is the
    /// same, nothing about the document needs to be done again.
    pub content_hash: String,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Modification time, milliseconds since 1970, if the source has one.
    pub modified_unix_ms: Option<i64>,
    /// When this version was committed, milliseconds since 1970.
    pub committed_unix_ms: i64,
    /// 1 for the first version, then rising by one with every replacement.
    pub version: u32,
    /// The change that committed this version.
    pub sequence: SequenceNumber,
    /// Exactly one state.
    pub state: DocumentState,
    /// What went in and what came out.
    pub coverage: Coverage,
    /// The first of its chunks; the others follow without a gap. `None` when it has none.
    pub first_chunk: Option<ChunkId>,
    /// How many chunks it has.
    pub chunk_count: u32,
}
