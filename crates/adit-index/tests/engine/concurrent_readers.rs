use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use adit_core::{
    AccessControl, ChunkId, DenseSearch, DocumentId, Filter, IndexSnapshot, LexicalSearch, Scope, ScoredChunk,
};
use adit_index::{IndexOptions, SearchIndex, Snapshot};
use adit_testkit::{CorpusSettings, TestDocument, corpus};

use crate::support::{DIMENSION, EVERYTHING, Home, fingerprint, new_version, small_options};

const CHUNKS: usize = 3;
const DOCUMENTS: usize = 20;
const REPLACES: usize = 1_000;

/// Which version of which document a chunk belongs to, by the writer's own record.
type Owners = Mutex<HashMap<ChunkId, (DocumentId, u32)>>;

fn documents() -> Vec<TestDocument> {
    let mut documents = corpus(&CorpusSettings {
        documents: DOCUMENTS,
        chunks_per_document: CHUNKS..CHUNKS + 1,
        dimension: DIMENSION,
        tenants: 1,
        restricted_share: 0.0,
        ..CorpusSettings::default()
    });
    for document in &mut documents {
        for chunk in &mut document.chunks {
            chunk.indexed = format!("shared {}", chunk.indexed);
        }
        assert_eq!(document.access, AccessControl::Tenant);
    }
    documents
}

/// Each document with exactly one version, and all chunks of it.
fn assert_whole(hits: &[ScoredChunk], owners: &Owners, retriever: &str) {
    let owners = owners.lock().unwrap();
    let mut seen = HashMap::<&DocumentId, (u32, usize)>::new();
    for hit in hits {
        let (document, version) = &owners[&hit.chunk];
        let (first, chunks) = seen.entry(document).or_insert((*version, 0));
        assert_eq!(first, version, "{retriever}: two versions of {document}");
        *chunks += 1;
    }
    assert_eq!(seen.len(), DOCUMENTS, "{retriever}: a document is missing");
    assert!(seen.values().all(|(_, chunks)| *chunks == CHUNKS), "{retriever}: half a document: {seen:?}");
}

fn check(snapshot: &Snapshot, scope: &Scope, vector: &[f32], owners: &Owners) {
    let filter = Filter::default();
    let query = LexicalSearch { scope, filter: &filter, query: "shared", limit: EVERYTHING };
    let mut lexical = snapshot.search_lexical(query).unwrap();
    let fingerprint = fingerprint();
    let query = DenseSearch {
        scope,
        filter: &filter,
        vector,
        fingerprint: &fingerprint,
        limit: DOCUMENTS * CHUNKS,
        ef_search: None,
    };
    let mut dense = snapshot.search_dense(query).unwrap();
    assert_whole(&lexical, owners, "lexical");
    assert_whole(&dense, owners, "dense");
    for hits in [&mut lexical, &mut dense] {
        hits.sort_by_key(|hit| hit.chunk);
    }
    let ids = |hits: &[ScoredChunk]| hits.iter().map(|hit| hit.chunk).collect::<Vec<_>>();
    assert_eq!(ids(&lexical), ids(&dense), "the retrievers are at two states");
}

#[test]
fn readers_never_see_two_versions_or_half_of_one() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let catalog = home.catalog();
    let options = IndexOptions { background_merges: true, tail_limit_vectors: 50, ..small_options() };
    let index = Arc::new(SearchIndex::open_writer(&home.collection(), catalog.clone(), options).unwrap());
    let documents = documents();
    let owners = Owners::default();
    let commit = |document: &TestDocument| {
        // The lock is held over the commit: no snapshot may name a chunk that is not recorded yet.
        let mut owners = owners.lock().unwrap();
        let committed = catalog.commit(new_version(document)).unwrap();
        let first = committed.first_chunk.unwrap().0;
        for chunk in first..first + committed.chunk_count {
            owners.insert(ChunkId(chunk), (document.id.clone(), committed.version));
        }
    };
    documents.iter().for_each(&commit);
    index.catch_up().unwrap();
    let reader =
        SearchIndex::open_reader(&home.collection(), home.read_only_catalog(), small_options()).unwrap();
    let scope = Scope::new(documents[0].tenant.clone(), []);
    let (done, searches) = (AtomicBool::new(false), AtomicUsize::new(0));
    std::thread::scope(|threads| {
        let work = |other_process: bool| {
            let mut number = 0;
            while !done.load(Ordering::Acquire) {
                let snapshot = if other_process {
                    reader.catch_up().unwrap();
                    reader.snapshot()
                } else {
                    index.snapshot()
                };
                number += 1;
                check(&snapshot, &scope, &documents[number % DOCUMENTS].vectors[0], &owners);
                searches.fetch_add(1, Ordering::Relaxed);
            }
        };
        threads.spawn(move || work(false));
        threads.spawn(move || work(true));
        // The readers must end even if the writer panics.
        struct Done<'a>(&'a AtomicBool);
        impl Drop for Done<'_> {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Release);
            }
        }
        let _done = Done(&done);
        for number in 0..REPLACES {
            commit(&documents[number * 7 % DOCUMENTS]);
            if number % 8 == 7 {
                index.catch_up().unwrap();
            }
        }
    });
    index.catch_up().unwrap();
    index.wait_for_merges().unwrap();
    check(&index.snapshot(), &scope, &documents[0].vectors[0], &owners);
    assert!(searches.load(Ordering::Relaxed) > 10);
    assert!(index.statistics().segments > 0, "{:?}", index.statistics());
}
