use std::sync::Arc;

use adit_catalog::{Catalog, NewVersion};
use adit_core::{
    AccessControl, Chunk, Coverage, DocumentId, DocumentState, Embedder, MediaType, Metadata, PassageId,
    Scope, TenantId, TextRange,
};
use adit_index::{IndexOptions, SearchIndex};
use adit_retrieve::Retriever;

use crate::FakeEmbedder;

/// A catalog, an index and a retriever in a folder of their own, which goes when this is dropped. The embedder is
/// [`FakeEmbedder`].
pub struct IndexedCollection {
    /// The truth.
    pub catalog: Arc<Catalog>,
    /// What is derived from it.
    pub index: Arc<SearchIndex>,
    /// Searches both.
    pub retriever: Retriever,
    _folder: tempfile::TempDir,
}

impl IndexedCollection {
    /// An empty one.
    #[must_use]
    pub fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let embedder = FakeEmbedder::new(64);
        let catalog = Arc::new(Catalog::create_or_open(&folder.path().join("catalog.db")).unwrap());
        catalog.set_fingerprint(&embedder.fingerprint()).unwrap();
        let options = IndexOptions { background_merges: false, ..IndexOptions::default() };
        let index = Arc::new(
            SearchIndex::open_writer(&folder.path().join("main"), Arc::clone(&catalog), options).unwrap(),
        );
        let retriever = Retriever::new(Arc::clone(&index), Arc::clone(&catalog), Some(Arc::new(embedder)));
        Self { catalog, index, retriever, _folder: folder }
    }

    /// With these documents: source, heading, text. The paragraphs of a text are its passages.
    #[must_use]
    pub fn of(documents: &[(&str, &str, &str)]) -> Self {
        let collection = Self::new();
        for (source, heading, text) in documents {
            collection.commit(&TenantId::default_tenant(), source, heading, text);
        }
        collection.index.catch_up().unwrap();
        collection
    }

    /// Commits a document and publishes it.
    pub fn add(&self, source: &str, heading: &str, text: &str) -> DocumentId {
        self.add_for(&TenantId::default_tenant(), source, heading, text)
    }

    /// Commits a document of `tenant` and publishes it.
    pub fn add_for(&self, tenant: &TenantId, source: &str, heading: &str, text: &str) -> DocumentId {
        let id = self.commit(tenant, source, heading, text);
        self.index.catch_up().unwrap();
        id
    }

    /// The id of a paragraph of a document of the default tenant, counted from 0.
    #[must_use]
    pub fn passage_id(&self, source: &str, paragraph: u32) -> PassageId {
        PassageId {
            document: DocumentId::derive(&TenantId::default_tenant(), source),
            chunk_index: paragraph,
        }
    }

    /// A reader of the default tenant without principals.
    #[must_use]
    pub fn reader() -> Scope {
        Scope::new(TenantId::default_tenant(), [])
    }

    fn commit(&self, tenant: &TenantId, source: &str, heading: &str, text: &str) -> DocumentId {
        let version = document_of_paragraphs(tenant, source, heading, text);
        let id = version.id.clone();
        self.catalog.commit(version).unwrap();
        id
    }
}

impl Default for IndexedCollection {
    fn default() -> Self {
        Self::new()
    }
}

/// A document of `tenant` whose passages are the paragraphs of `text`, each under `heading`.
#[must_use]
pub fn document_of_paragraphs(tenant: &TenantId, source: &str, heading: &str, text: &str) -> NewVersion {
    let embedder = FakeEmbedder::with_window(64, 100_000);
    let mut chunks = Vec::new();
    let mut start = 0;
    for (index, paragraph) in text.split("\n\n").enumerate() {
        let end = start + paragraph.len();
        let indexed = format!("{heading}\n{paragraph}");
        chunks.push(Chunk {
            index: index as u32,
            range: TextRange::new(start, end),
            char_start: text[..start].chars().count(),
            char_end: text[..end].chars().count(),
            heading_path: vec![heading.to_owned()],
            page_start: None,
            page_end: None,
            display: paragraph.to_owned(),
            repeated_header: None,
            token_count: indexed.split_whitespace().count() as u32,
            indexed,
        });
        start = end + 2;
    }
    let indexed: Vec<&str> = chunks.iter().map(|chunk| chunk.indexed.as_str()).collect();
    NewVersion {
        vectors: embedder.embed_documents(&indexed).unwrap(),
        id: DocumentId::derive(tenant, source),
        tenant: tenant.clone(),
        source: source.to_owned(),
        title: heading.to_owned(),
        media_type: MediaType::Markdown,
        language: "en".to_owned(),
        access: AccessControl::Tenant,
        metadata: Metadata::new(),
        content_hash: source.to_owned(),
        size_bytes: text.len() as u64,
        modified_unix_ms: None,
        state: DocumentState::Searchable,
        coverage: Coverage::default(),
        text: text.to_owned(),
        chunks,
    }
}
