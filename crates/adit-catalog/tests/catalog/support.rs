use std::path::PathBuf;

use adit_catalog::{Catalog, NewVersion};
use adit_core::{
    AccessControl, AdministratorScope, Chunk, Coverage, DocumentId, DocumentState, Embedder, Fingerprint,
    MediaType, Metadata, PipelineStage, Principal, Scope, TenantId, TextRange,
};
use adit_testkit::FakeEmbedder;
use tempfile::TempDir;

pub(crate) const DIMENSION: usize = 8;

/// Makes the tables of format 1 of those of the newest, for tests of the way back up.
pub(crate) const BACK_TO_FORMAT_1: &str = "ALTER TABLE chunks DROP COLUMN warnings; DROP TABLE token_codes;
    DROP TABLE pending_token_codes; DROP TABLE links; PRAGMA user_version = 1";

/// A catalog in a folder of its own.
pub(crate) struct TestCatalog {
    pub(crate) catalog: Catalog,
    pub(crate) path: PathBuf,
    /// Removed when dropped.
    pub(crate) folder: TempDir,
}

impl std::ops::Deref for TestCatalog {
    type Target = Catalog;
    fn deref(&self) -> &Catalog {
        &self.catalog
    }
}

pub(crate) fn fingerprint() -> Fingerprint {
    FakeEmbedder::new(DIMENSION).fingerprint()
}

pub(crate) fn test_catalog() -> TestCatalog {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("home").join("catalog.db");
    let catalog = Catalog::create_or_open(&path).unwrap();
    catalog.set_fingerprint(&fingerprint()).unwrap();
    TestCatalog { catalog, path, folder }
}

pub(crate) fn administrator() -> AdministratorScope {
    AdministratorScope::assume("test")
}

pub(crate) fn tenant(name: &str) -> TenantId {
    TenantId::new(name).unwrap()
}

pub(crate) fn only(principals: &[&str]) -> AccessControl {
    AccessControl::Only(principals.iter().map(|name| Principal((*name).to_owned())).collect())
}

pub(crate) fn reader(tenant_name: &str, principals: &[&str]) -> Scope {
    Scope::new(tenant(tenant_name), principals.iter().map(|name| Principal((*name).to_owned())))
}

/// A searchable version of the default tenant with one chunk a line of `text`; line 1 is the header
/// that the others repeat.
pub(crate) fn version(source: &str, text: &str) -> NewVersion {
    let tenant = TenantId::default_tenant();
    let mut chunks = Vec::new();
    let mut start = 0;
    let header = TextRange::new(0, text.find('\n').unwrap_or(text.len()));
    for (index, line) in text.split_inclusive('\n').enumerate() {
        let display = line.trim_end_matches('\n');
        let char_start = text[..start].chars().count();
        chunks.push(Chunk {
            index: index as u32,
            range: TextRange::new(start, start + display.len()),
            char_start,
            char_end: char_start + display.chars().count(),
            heading_path: vec!["Top".to_owned(), format!("Part {index}")],
            page_start: Some(1 + index as u32),
            page_end: Some(1 + index as u32),
            display: display.to_owned(),
            repeated_header: (index > 0).then_some(header),
            indexed: format!("Top > Part {index}\n{display}"),
            token_count: 3 + display.split_whitespace().count() as u32,
        });
        start += line.len();
    }
    let indexed: Vec<_> = chunks.iter().map(|chunk| chunk.indexed.as_str()).collect();
    let vectors = FakeEmbedder::with_window(DIMENSION, 1 << 20).embed_documents(&indexed).unwrap();
    NewVersion {
        id: DocumentId::derive(&tenant, source),
        tenant,
        source: source.to_owned(),
        title: format!("Title of {source}"),
        media_type: MediaType::PlainText,
        language: "en".to_owned(),
        access: AccessControl::Tenant,
        metadata: Metadata::new(),
        content_hash: format!("hash of {text}"),
        size_bytes: text.len() as u64,
        modified_unix_ms: Some(1_700_000_000_123),
        state: DocumentState::Searchable,
        coverage: Coverage { bytes_in: text.len() as u64, ..Coverage::default() },
        text: text.to_owned(),
        chunks,
        vectors,
    }
}

pub(crate) fn in_tenant(mut version: NewVersion, name: &str) -> NewVersion {
    version.tenant = tenant(name);
    version.id = DocumentId::derive(&version.tenant, &version.source);
    version
}

pub(crate) fn failed(source: &str) -> NewVersion {
    NewVersion {
        state: DocumentState::Failed {
            stage: PipelineStage::Parse,
            cause: "it is damaged".to_owned(),
            hint: Some("save it again".to_owned()),
        },
        ..version(source, "")
    }
}
