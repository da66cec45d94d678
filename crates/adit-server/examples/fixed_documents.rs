//! A server over a handful of documents that it makes itself, without a model: for trying an MCP client,
//! and for `tests/mcp_client.py`. Pass `empty` to serve nothing at all.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "an example may stop at the first trouble")]

use std::sync::Arc;

use adit_catalog::{Catalog, NewVersion};
use adit_core::{
    AccessControl, Chunk, Coverage, DocumentId, DocumentState, Embedder, MediaType, MetadataValue, Scope,
    TenantId, TextRange,
};
use adit_index::{IndexOptions, SearchIndex};
use adit_retrieve::Retriever;
use adit_server::{ServerOptions, serve_stdio};
use adit_testkit::FakeEmbedder;

const DOCUMENTS: &[(&str, &str, &str)] = &[
    (
        "handbook/refunds.md",
        "Refunds",
        "A customer may ask for a refund within 30 days. Rule R-17 names exceptions.",
    ),
    (
        "handbook/travel.md",
        "Travel",
        "Trains are booked in second class. Hotels cost at most 120 euros a night.",
    ),
    ("support/errors.md", "Error codes", "ERR_4021 means that the card was declined by the bank."),
];

fn version(embedder: &FakeEmbedder, (source, title, text): (&str, &str, &str)) -> NewVersion {
    let tenant = TenantId::default_tenant();
    let folder = source.split('/').next().unwrap_or_default();
    let chunk = Chunk {
        index: 0,
        range: TextRange::new(0, text.len()),
        char_start: 0,
        char_end: text.chars().count(),
        heading_path: vec![title.to_owned()],
        page_start: None,
        page_end: None,
        display: text.to_owned(),
        repeated_header: None,
        indexed: format!("{title}\n{text}"),
        token_count: 20,
    };
    NewVersion {
        id: DocumentId::derive(&tenant, source),
        tenant,
        source: source.to_owned(),
        title: title.to_owned(),
        media_type: MediaType::Markdown,
        language: "en".to_owned(),
        access: AccessControl::Tenant,
        metadata: [("folder".to_owned(), vec![MetadataValue::Text(folder.to_owned())])].into(),
        content_hash: source.to_owned(),
        size_bytes: text.len() as u64,
        modified_unix_ms: None,
        state: DocumentState::Searchable,
        coverage: Coverage::default(),
        text: text.to_owned(),
        vectors: embedder.embed_documents(&[&chunk.indexed]).expect("the fake embedder takes short texts"),
        chunks: vec![chunk],
    }
}

#[tokio::main]
async fn main() {
    let folder = tempfile::tempdir().unwrap();
    let embedder = FakeEmbedder::new(64);
    let catalog = Arc::new(Catalog::create_or_open(&folder.path().join("catalog.db")).unwrap());
    catalog.set_fingerprint(&embedder.fingerprint()).unwrap();
    let index =
        SearchIndex::open_writer(&folder.path().join("main"), Arc::clone(&catalog), IndexOptions::default());
    let index = Arc::new(index.unwrap());
    if !std::env::args().any(|argument| argument == "empty") {
        for document in DOCUMENTS {
            catalog.commit(version(&embedder, *document)).unwrap();
        }
        index.catch_up().unwrap();
    }
    let retriever = Arc::new(Retriever::new(index, catalog, Some(Arc::new(embedder))));
    let scope = Scope::new(TenantId::default_tenant(), []);
    serve_stdio(retriever, scope, ServerOptions::default()).await.unwrap();
}
