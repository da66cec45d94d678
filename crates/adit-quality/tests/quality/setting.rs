use std::path::{Path, PathBuf};
use std::sync::Arc;

use adit_catalog::{Catalog, NewVersion};
use adit_core::{
    AccessControl, Chunk, Coverage, DocumentId, DocumentState, Embedder, MediaType, Metadata, Scope,
    TenantId, TextRange,
};
use adit_index::{IndexOptions, SearchIndex};
use adit_retrieve::Retriever;
use adit_testkit::FakeEmbedder;

/// A catalog, an index and a retriever in a folder of their own, beside the folder of the source files.
pub(crate) struct Setting {
    pub(crate) catalog: Arc<Catalog>,
    pub(crate) index: Arc<SearchIndex>,
    pub(crate) retriever: Retriever,
    pub(crate) embedder: FakeEmbedder,
    folder: tempfile::TempDir,
}

impl Setting {
    pub(crate) fn new() -> Self {
        Self::with_options(IndexOptions { background_merges: false, ..IndexOptions::default() })
    }

    pub(crate) fn with_options(options: IndexOptions) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let embedder = FakeEmbedder::new(64);
        let catalog = Arc::new(Catalog::create_or_open(&folder.path().join("catalog.db")).unwrap());
        catalog.set_fingerprint(&embedder.fingerprint()).unwrap();
        let path = folder.path().join("main");
        let index = Arc::new(SearchIndex::open_writer(&path, Arc::clone(&catalog), options).unwrap());
        let retriever =
            Retriever::new(Arc::clone(&index), Arc::clone(&catalog), Some(Arc::new(embedder.clone())));
        Self { catalog, index, retriever, embedder, folder }
    }

    /// Lets the index go, and gives the folder to whoever looks into it.
    pub(crate) fn close(self) -> tempfile::TempDir {
        self.folder
    }

    /// Where source files lie.
    pub(crate) fn files(&self) -> PathBuf {
        self.folder.path().join("files")
    }

    pub(crate) fn write_file(&self, source: &str, content: &str) {
        let path = self.files().join(source);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A document whose chunks are the paragraphs of `text`.
    pub(crate) fn document(&self, source: &str, text: &str) -> NewVersion {
        let mut start = 0;
        let mut ranges = Vec::new();
        for paragraph in text.split("\n\n") {
            ranges.push(TextRange::new(start, start + paragraph.len()));
            start += paragraph.len() + 2;
        }
        self.document_cut_at(source, text, &ranges)
    }

    /// A document with these chunks.
    pub(crate) fn document_cut_at(&self, source: &str, text: &str, ranges: &[TextRange]) -> NewVersion {
        let tenant = TenantId::default_tenant();
        let characters = |byte: usize| text[..byte].chars().count();
        let chunk = |(index, range): (usize, &TextRange)| Chunk {
            index: index as u32,
            range: *range,
            char_start: characters(range.start),
            char_end: characters(range.end),
            heading_path: Vec::new(),
            page_start: None,
            page_end: None,
            display: range.slice(text).unwrap().to_owned(),
            repeated_header: None,
            indexed: range.slice(text).unwrap().to_owned(),
            token_count: 10,
        };
        let chunks: Vec<Chunk> = ranges.iter().enumerate().map(chunk).collect();
        let indexed: Vec<&str> = chunks.iter().map(|chunk| chunk.indexed.as_str()).collect();
        NewVersion {
            vectors: self.embedder.embed_documents(&indexed).unwrap(),
            id: DocumentId::derive(&tenant, source),
            tenant,
            source: source.to_owned(),
            title: source.to_owned(),
            media_type: MediaType::PlainText,
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

    /// Commits without publishing.
    pub(crate) fn commit(&self, version: NewVersion) {
        self.catalog.commit(version).unwrap();
    }

    /// Commits and publishes.
    pub(crate) fn add(&self, version: NewVersion) {
        self.commit(version);
        self.index.catch_up().unwrap();
    }

    /// `count` documents about something else.
    pub(crate) fn add_others(&self, count: usize) {
        for number in 0..count {
            let text = format!("The harbour office number {number} weighs crates of oranges and lemons.");
            self.commit(self.document(&format!("other/{number}.txt"), &text));
        }
        self.index.catch_up().unwrap();
    }
}

/// A reader of the default tenant without principals.
pub(crate) fn everybody() -> Scope {
    Scope::new(TenantId::default_tenant(), [])
}
