//! A home with a catalog and an index, filled from generated documents, beside the naive model of both.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adit_catalog::{Catalog, NewVersion};
use adit_core::{
    ChunkId, Coverage, DenseSearch, DocumentId, DocumentState, EmbedderDescription, Filter, Fingerprint,
    IndexSnapshot, LexicalSearch, MediaType, MetadataValue, ReadScope, Scope, ScoredChunk,
};
use adit_index::{IndexOptions, Snapshot};
use adit_testkit::{NaiveDocument, NaiveIndex, TestDocument};

pub(crate) const DIMENSION: usize = 16;
pub(crate) const EVERYTHING: usize = 10_000;

pub(crate) fn fingerprint() -> Fingerprint {
    Fingerprint {
        embedder: EmbedderDescription {
            model: "random".into(),
            revision: "1".into(),
            dimension: DIMENSION,
            precision: "f32".into(),
            pooling: "mean".into(),
            max_input_tokens: 512,
            query_template: "{text}".into(),
            document_template: "{text}".into(),
        },
        chunker: "lines/1".into(),
        enrichment: "none".into(),
        analyser: "1".into(),
    }
}

/// Small limits, so that few documents already cause merges.
pub(crate) fn small_options() -> IndexOptions {
    IndexOptions {
        tail_limit_vectors: 20,
        merge_factor: 3,
        background_merges: false,
        ..IndexOptions::default()
    }
}

pub(crate) struct Home {
    pub(crate) folder: PathBuf,
}

impl Home {
    pub(crate) fn at(folder: &Path) -> Self {
        Self { folder: folder.to_owned() }
    }

    pub(crate) fn catalog(&self) -> Arc<Catalog> {
        let catalog = Catalog::create_or_open(&self.folder.join("catalog.db")).unwrap();
        catalog.set_fingerprint(&fingerprint()).unwrap();
        Arc::new(catalog)
    }

    pub(crate) fn read_only_catalog(&self) -> Arc<Catalog> {
        Arc::new(Catalog::open_read_only(&self.folder.join("catalog.db")).unwrap())
    }

    pub(crate) fn collection(&self) -> PathBuf {
        self.folder.join("collections").join("main")
    }
}

pub(crate) fn new_version(document: &TestDocument) -> NewVersion {
    NewVersion {
        id: document.id.clone(),
        tenant: document.tenant.clone(),
        source: document.source.clone(),
        title: document.title.clone(),
        media_type: MediaType::Markdown,
        language: document.language.clone(),
        access: document.access.clone(),
        metadata: document.metadata.clone(),
        content_hash: String::new(),
        size_bytes: document.text.len() as u64,
        modified_unix_ms: None,
        state: DocumentState::Searchable,
        coverage: Coverage::default(),
        text: document.text.clone(),
        chunks: document.chunks.clone(),
        vectors: document.vectors.clone(),
    }
}

/// What the catalog holds, as the model sees it.
#[derive(Default, Clone)]
pub(crate) struct Model {
    pub(crate) documents: BTreeMap<DocumentId, NaiveDocument>,
}

impl Model {
    pub(crate) fn commit(&mut self, catalog: &Catalog, document: &TestDocument) {
        let committed = catalog.commit(new_version(document)).unwrap();
        match committed.first_chunk {
            Some(first) => {
                let mut naive = NaiveDocument::from_test_document(document, first);
                for (key, value) in [
                    ("source", document.source.as_str()),
                    ("type", "markdown"),
                    ("language", document.language.as_str()),
                    ("title", document.title.as_str()),
                ] {
                    let values = naive.metadata.entry(key.to_owned()).or_default();
                    values.push(MetadataValue::Text(value.to_owned()));
                }
                self.documents.insert(document.id.clone(), naive);
            }
            None => drop(self.documents.remove(&document.id)),
        }
    }

    pub(crate) fn index(&self) -> NaiveIndex {
        let mut index = NaiveIndex::default();
        self.documents.values().for_each(|document| index.insert(document.clone()));
        index
    }
}

fn sorted(hits: &[ScoredChunk]) -> Vec<u32> {
    let mut ids: Vec<u32> = hits.iter().map(|hit| hit.chunk.0).collect();
    ids.sort_unstable();
    ids
}

/// Both retrievers and the bitmaps against the model, for one reader and one question. BM25's values are
/// `adit-lexical`'s affair; here every chunk with one of the words must be found, and no other.
pub(crate) fn assert_equal_to_model(
    snapshot: &Snapshot,
    model: &NaiveIndex,
    scope: &Scope,
    filter: &Filter,
    query: &str,
    vector: &[f32],
) {
    let allowed: Vec<ChunkId> = model.allowed(ReadScope::Reader(scope), filter);
    let found: Vec<ChunkId> = snapshot.allowed(scope, filter).iter().map(ChunkId).collect();
    assert_eq!(found, allowed, "allowed chunks of {scope:?} {filter:?}");
    for document in model.documents() {
        for (chunk, _, _) in &document.chunks {
            assert_eq!(snapshot.is_allowed(scope, filter, *chunk), allowed.contains(chunk));
        }
    }

    let lexical = LexicalSearch { scope, filter, query, limit: EVERYTHING };
    let expected = model.search_lexical(
        scope,
        filter,
        query,
        (0.9, 0.4),
        adit_testkit::LengthNorm::LuceneQuantised,
        EVERYTHING,
    );
    assert_eq!(sorted(&snapshot.search_lexical(lexical).unwrap()), sorted(&expected), "lexical `{query}`");

    let fingerprint = fingerprint();
    let dense = DenseSearch { scope, filter, vector, fingerprint: &fingerprint, limit: 10, ef_search: None };
    let expected = model.search_dense(scope, filter, vector, 10);
    let exact = snapshot.search_dense_exact(dense).unwrap();
    assert_close(&exact, &expected);
    let answer = snapshot.search_dense_with_plan(dense).unwrap();
    assert_eq!(answer.hits.len(), expected.len(), "{}", answer.plan);
    assert!(answer.hits.iter().all(|hit| allowed.contains(&hit.chunk)), "{}", answer.plan);
    if let (Some(hit), Some(best)) = (answer.hits.first(), expected.first()) {
        assert!((hit.score - best.score).abs() < 1e-3, "{hit:?} {best:?} {}", answer.plan);
    }
}

fn assert_close(found: &[ScoredChunk], expected: &[ScoredChunk]) {
    assert_eq!(found.len(), expected.len(), "{found:?}\n{expected:?}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found.score - expected.score).abs() < 1e-4, "{found:?} {expected:?}");
    }
}
