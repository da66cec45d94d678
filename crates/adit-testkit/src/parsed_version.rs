use adit_catalog::NewVersion;
use adit_core::{
    AccessControl, Chunk, DocumentId, DocumentState, Embedder, Metadata, ParsedDocument, TenantId, TextRange,
};

use crate::{FakeEmbedder, IndexedCollection};

impl IndexedCollection {
    /// Commits what a parser made of a file, with its findings, and publishes it. Every block that is no heading is
    /// a passage.
    pub fn add_parsed(&self, tenant: &TenantId, source: &str, parsed: &ParsedDocument) -> DocumentId {
        let blocks = parsed.blocks.iter().filter(|block| block.kind != adit_core::BlockKind::Heading);
        let chunks: Vec<Chunk> =
            (0..).zip(blocks).map(|(index, block)| chunk(index, block.range, parsed)).collect();
        let indexed: Vec<&str> = chunks.iter().map(|chunk| chunk.indexed.as_str()).collect();
        let version = NewVersion {
            vectors: FakeEmbedder::with_window(64, 100_000).embed_documents(&indexed).unwrap(),
            id: DocumentId::derive(tenant, source),
            tenant: tenant.clone(),
            source: source.to_owned(),
            title: parsed.title.clone().unwrap_or_else(|| source.to_owned()),
            media_type: parsed.media_type,
            language: "en".to_owned(),
            access: AccessControl::Tenant,
            metadata: Metadata::new(),
            content_hash: source.to_owned(),
            size_bytes: parsed.text.len() as u64,
            modified_unix_ms: None,
            state: DocumentState::Searchable,
            coverage: parsed.coverage.clone(),
            text: parsed.text.clone(),
            chunks,
        };
        let id = version.id.clone();
        self.catalog.commit(version).unwrap();
        self.index.catch_up().unwrap();
        id
    }
}

fn chunk(index: u32, range: TextRange, parsed: &ParsedDocument) -> Chunk {
    let display = range.slice(&parsed.text).unwrap().to_owned();
    Chunk {
        index,
        range,
        char_start: parsed.text[..range.start].chars().count(),
        char_end: parsed.text[..range.end].chars().count(),
        heading_path: Vec::new(),
        page_start: None,
        page_end: None,
        repeated_header: None,
        token_count: display.split_whitespace().count() as u32,
        indexed: display.clone(),
        display,
    }
}
