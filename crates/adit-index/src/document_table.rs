use std::collections::{BTreeSet, HashMap};

use adit_catalog::{ChunkSpan, IndexedDocument};
use adit_core::{AccessControl, ChunkId, DocumentId, Metadata, MetadataValue, TenantId};
use roaring::RoaringBitmap;

use crate::calendar::date_of_unix_ms;

/// One searchable document as a snapshot keeps it.
#[derive(Debug, Clone, PartialEq)]
pub struct DocumentEntry {
    /// Stable id.
    pub id: DocumentId,
    /// Owner.
    pub tenant: TenantId,
    /// Who may read it.
    pub access: AccessControl,
    /// Its own metadata and the built-in keys `source`, `type`, `language`, `title`, `modified`.
    pub metadata: Metadata,
    /// Its chunks.
    pub span: ChunkSpan,
}

/// The searchable documents of one state, by rising chunk ids.
#[derive(Debug, Default)]
pub(crate) struct DocumentTable {
    entries: Vec<DocumentEntry>,
    by_id: HashMap<DocumentId, usize>,
    live: RoaringBitmap,
    languages: Vec<String>,
}

impl DocumentTable {
    pub(crate) fn new(documents: Vec<IndexedDocument>) -> Self {
        let mut table = Self::default();
        let mut languages = BTreeSet::new();
        for document in documents {
            let span = document.span();
            insert_span(&mut table.live, span);
            if !languages.contains(&document.language) {
                languages.insert(document.language.clone());
            }
            table.by_id.insert(document.id.clone(), table.entries.len());
            table.entries.push(DocumentEntry {
                metadata: metadata_with_built_in_keys(&document),
                id: document.id,
                tenant: document.tenant,
                access: document.access,
                span,
            });
        }
        table.languages = languages.into_iter().collect();
        table
    }

    pub(crate) fn entries(&self) -> &[DocumentEntry] {
        &self.entries
    }

    pub(crate) fn live(&self) -> &RoaringBitmap {
        &self.live
    }

    pub(crate) fn languages(&self) -> &[String] {
        &self.languages
    }

    pub(crate) fn get(&self, id: &DocumentId) -> Option<&DocumentEntry> {
        self.by_id.get(id).and_then(|position| self.entries.get(*position))
    }

    /// The document that `chunk` belongs to.
    pub(crate) fn owner(&self, chunk: ChunkId) -> Option<&DocumentEntry> {
        let after = self.entries.partition_point(|entry| entry.span.first <= chunk);
        self.entries.get(after.checked_sub(1)?).filter(|entry| entry.span.contains(chunk))
    }

    /// The chunks of the documents at these positions.
    pub(crate) fn chunks_of(&self, positions: &[u32]) -> RoaringBitmap {
        let mut chunks = RoaringBitmap::new();
        for position in positions {
            if let Some(entry) = self.entries.get(*position as usize) {
                insert_span(&mut chunks, entry.span);
            }
        }
        chunks
    }
}

pub(crate) fn insert_span(bitmap: &mut RoaringBitmap, span: ChunkSpan) {
    bitmap.insert_range(span.first.0..span.first.0.saturating_add(span.count));
}

/// A document that uses a built-in key itself (`type: policy`) is found by its own value and by ours.
fn metadata_with_built_in_keys(document: &IndexedDocument) -> Metadata {
    let mut metadata = document.metadata.clone();
    let modified = document.modified_unix_ms.map(date_of_unix_ms);
    let built_in = [
        ("source", Some(document.source.clone())),
        ("type", Some(document.media_type.to_string())),
        ("language", Some(document.language.clone())),
        ("title", Some(document.title.clone())),
        ("modified", modified),
    ];
    for (key, value) in built_in {
        let Some(value) = value.map(MetadataValue::Text) else { continue };
        let values = metadata.entry(key.to_owned()).or_default();
        if !values.iter().any(|one| one.same_as(&value)) {
            values.push(value);
        }
    }
    metadata
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::MediaType;

    fn document(source: &str, first: u32, count: u32) -> IndexedDocument {
        let tenant = TenantId::default_tenant();
        IndexedDocument {
            id: DocumentId::derive(&tenant, source),
            tenant,
            access: AccessControl::Tenant,
            metadata: Metadata::from([("type".to_owned(), vec![MetadataValue::Text("Policy".to_owned())])]),
            source: source.to_owned(),
            title: "Title".to_owned(),
            media_type: MediaType::Markdown,
            language: "en".to_owned(),
            first_chunk: ChunkId(first),
            chunk_count: count,
            modified_unix_ms: Some(1_772_323_200_000),
        }
    }

    #[test]
    fn finds_the_owner_of_a_chunk() {
        let table = DocumentTable::new(vec![document("a", 3, 2), document("b", 9, 1)]);
        let owners: Vec<_> =
            (2..12).map(|id| table.owner(ChunkId(id)).map(|entry| entry.span.first.0)).collect();
        let expected = [None, Some(3), Some(3), None, None, None, None, Some(9), None, None];
        assert_eq!(owners, expected);
        assert_eq!(table.live().iter().collect::<Vec<_>>(), [3, 4, 9]);
        assert_eq!(table.languages(), ["en"]);
    }

    #[test]
    fn built_in_keys_join_the_documents_own() {
        let table = DocumentTable::new(vec![document("a", 3, 2)]);
        let metadata = &table.entries()[0].metadata;
        let texts = |key: &str| metadata[key].iter().map(MetadataValue::to_text).collect::<Vec<_>>();
        assert_eq!(texts("type"), ["Policy", "markdown"]);
        assert_eq!(texts("modified"), ["2026-03-01"]);
        assert_eq!(texts("source"), ["a"]);
    }
}
