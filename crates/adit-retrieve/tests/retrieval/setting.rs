use std::sync::Arc;

use adit_catalog::{Catalog, NewVersion};
use adit_core::{Coverage, DocumentId, DocumentState, MediaType, Scope, TenantId};
use adit_index::{IndexOptions, SearchIndex};
use adit_retrieve::{Retriever, Signals};
use adit_testkit::{FakeEmbedder, TestDocument, document_of_paragraphs};

/// A catalog, an index and a retriever in a folder of their own.
pub(crate) struct Setting {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) index: Arc<SearchIndex>,
    pub(crate) retriever: Retriever,
    dimension: usize,
    _folder: tempfile::TempDir,
}

impl Setting {
    pub(crate) fn new(dimension: usize) -> Self {
        Self::with_embedder(dimension, FakeEmbedder::new(dimension))
    }

    /// The same with an embedder that gives token vectors.
    pub(crate) fn with_tokens(dimension: usize) -> Self {
        Self::with_embedder(dimension, FakeEmbedder::new(dimension).giving_token_vectors())
    }

    fn with_embedder(dimension: usize, embedder: FakeEmbedder) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let catalog = Arc::new(Catalog::create_or_open(&folder.path().join("catalog.db")).unwrap());
        catalog.set_fingerprint(&embedder.fingerprint()).unwrap();
        let options = IndexOptions { background_merges: false, ..IndexOptions::default() };
        let path = folder.path().join("main");
        let index = Arc::new(SearchIndex::open_writer(&path, Arc::clone(&catalog), options).unwrap());
        let retriever = Retriever::new(Arc::clone(&index), Arc::clone(&catalog), Some(Arc::new(embedder)));
        Self { catalog, index, retriever, dimension, _folder: folder }
    }

    /// The same index without an embedder.
    pub(crate) fn without_embedder(&self) -> Retriever {
        Retriever::new(Arc::clone(&self.index), Arc::clone(&self.catalog), None)
    }

    /// The same index with signals.
    pub(crate) fn with_signals(&self, signals: Signals) -> Retriever {
        let embedder = Arc::new(FakeEmbedder::new(self.dimension));
        Retriever::new(Arc::clone(&self.index), Arc::clone(&self.catalog), Some(embedder))
            .with_signals(signals)
    }

    /// Commits a document whose passages are the paragraphs of `text` and publishes it.
    pub(crate) fn add(&self, source: &str, heading: &str, text: &str) -> DocumentId {
        let id = self.commit(source, heading, text);
        self.index.catch_up().unwrap();
        id
    }

    /// Commits a document without publishing it: publishing costs a sync of many files.
    pub(crate) fn commit(&self, source: &str, heading: &str, text: &str) -> DocumentId {
        let version = version(source, heading, text);
        let id = version.id.clone();
        self.catalog.commit(version).unwrap();
        id
    }

    pub(crate) fn add_all(&self, documents: &[TestDocument]) {
        for document in documents {
            self.catalog.commit(from_test_document(document)).unwrap();
        }
        self.index.catch_up().unwrap();
    }
}

/// A reader of the default tenant without principals.
pub(crate) fn everybody() -> Scope {
    Scope::new(TenantId::default_tenant(), [])
}

/// A document of the default tenant whose passages are the paragraphs of `text`.
pub(crate) fn version(source: &str, heading: &str, text: &str) -> NewVersion {
    document_of_paragraphs(&TenantId::default_tenant(), source, heading, text)
}

fn from_test_document(document: &TestDocument) -> NewVersion {
    let document = document.clone();
    NewVersion {
        id: document.id,
        tenant: document.tenant,
        source: document.source,
        title: document.title,
        media_type: MediaType::PlainText,
        language: document.language,
        access: document.access,
        metadata: document.metadata,
        content_hash: String::new(),
        size_bytes: document.text.len() as u64,
        modified_unix_ms: None,
        state: DocumentState::Searchable,
        coverage: Coverage::default(),
        text: document.text,
        chunks: document.chunks,
        vectors: document.vectors,
    }
}
