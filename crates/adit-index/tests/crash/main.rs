//! kill -9 at random moments of catch-up, merge and rebuild. The child is this test binary itself.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    clippy::print_stdout,
    missing_docs,
    reason = "a helper of a test fails the test"
)]

#[allow(dead_code, reason = "shared with the other test binary, which uses all of it")]
#[path = "../support/mod.rs"]
mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use adit_core::{
    AccessControl, DenseSearch, DocumentId, Filter, IndexSnapshot, LexicalSearch, ReadScope, Scope,
    ScoredChunk, SequenceNumber,
};
use adit_index::{IndexOptions, SearchIndex, Snapshot};
use adit_testkit::{CorpusSettings, KilledProcess, TestDocument, corpus, crash_rounds};
use support::{DIMENSION, EVERYTHING, Home, fingerprint, new_version, small_options};

const HOME: &str = "ADIT_INDEX_CRASH_HOME";
const WORK: &str = "ADIT_INDEX_CRASH_WORK";
const ROUNDS: usize = 30;

fn documents() -> Vec<TestDocument> {
    let mut documents = corpus(&CorpusSettings {
        documents: 15,
        chunks_per_document: 1..5,
        dimension: DIMENSION,
        tenants: 1,
        restricted_share: 0.0,
        ..CorpusSettings::default()
    });
    for document in &mut documents {
        document.chunks.iter_mut().for_each(|chunk| chunk.indexed = format!("shared {}", chunk.indexed));
        assert_eq!(document.access, AccessControl::Tenant);
    }
    documents
}

/// The child's whole life; without its environment this is no test.
#[test]
fn child_process() {
    let (Ok(home), Ok(work)) = (std::env::var(HOME), std::env::var(WORK)) else { return };
    let home = Home::at(Path::new(&home));
    let catalog = home.catalog();
    let options =
        IndexOptions { background_merges: work == "merge", tail_limit_vectors: 8, ..small_options() };
    let index = SearchIndex::open_writer(&home.collection(), catalog.clone(), options).unwrap();
    println!("open");
    for (number, document) in documents().iter().cycle().enumerate() {
        let committed = catalog.commit(new_version(document)).unwrap();
        println!("committed {}", committed.sequence);
        if number % 11 == 10 {
            catalog.remove(&document.id).unwrap();
        }
        match work.as_str() {
            "rebuild" => index.rebuild(&mut |_| ()).unwrap(),
            _ if number % 3 == 2 => println!("published {}", index.catch_up().unwrap()),
            _ => {}
        }
    }
}

fn start(home: &Path, work: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child_process", "--exact", "--nocapture"]).env(HOME, home).env(WORK, work);
    command
}

fn acknowledged(killed: &KilledProcess, word: &str) -> SequenceNumber {
    let numbers = killed.lines.iter().filter_map(|line| line.strip_prefix(word)?.trim().parse().ok());
    SequenceNumber(numbers.max().unwrap_or(0))
}

fn ids(hits: &[ScoredChunk]) -> Vec<u32> {
    let mut ids: Vec<u32> = hits.iter().map(|hit| hit.chunk.0).collect();
    ids.sort_unstable();
    ids
}

/// Both retrievers hold exactly the living chunks of the catalog at the snapshot's sequence number.
fn assert_whole(snapshot: &Snapshot, home: &Home, documents: &[TestDocument]) {
    let view = home.read_only_catalog();
    let view = view.view().unwrap();
    let living = view.documents_at(snapshot.sequence()).unwrap();
    let expected: BTreeMap<&DocumentId, _> = living.iter().map(|one| (&one.id, one.span())).collect();
    let mut chunks: Vec<u32> =
        expected.values().flat_map(|span| span.first.0..span.first.0 + span.count).collect();
    chunks.sort_unstable();
    let scope = Scope::new(documents[0].tenant.clone(), []);
    let filter = Filter::default();
    let query = LexicalSearch { scope: &scope, filter: &filter, query: "shared", limit: EVERYTHING };
    assert_eq!(ids(&snapshot.search_lexical(query).unwrap()), chunks, "lexical");
    let fingerprint = fingerprint();
    let query = DenseSearch {
        scope: &scope,
        filter: &filter,
        vector: &documents[0].vectors[0],
        fingerprint: &fingerprint,
        limit: EVERYTHING,
        ef_search: None,
    };
    assert_eq!(ids(&snapshot.search_dense_exact(query).unwrap()), chunks, "dense");
    // A reader's snapshot may be behind the catalog, whose newer changes may be removals.
    if view.last_sequence() == snapshot.sequence() {
        assert_eq!(view.documents(ReadScope::Reader(&scope)).unwrap().len(), living.len());
    }
}

fn kill_during(work: &str, longest: Duration) {
    let folder = tempfile::tempdir().unwrap();
    let home_folder: PathBuf = folder.path().to_owned();
    let home = Home::at(&home_folder);
    let documents = documents();
    drop(SearchIndex::open_writer(&home.collection(), home.catalog(), small_options()).unwrap());
    let mut killed_rounds = 0;
    crash_rounds(
        ROUNDS,
        longest,
        |_| start(&home_folder, work),
        |round, killed| {
            killed_rounds += usize::from(killed.was_killed());
            assert!(killed.was_killed(), "round {round} ended by itself: {}", killed.stderr);
            // A reader first: it must find a whole state although nothing was mended yet.
            let reader =
                SearchIndex::open_reader(&home.collection(), home.read_only_catalog(), small_options())
                    .unwrap();
            assert!(reader.snapshot().sequence() >= acknowledged(&killed, "published"), "round {round}");
            assert_whole(&reader.snapshot(), &home, &documents);
            drop(reader);
            let index =
                SearchIndex::open_writer(&home.collection(), home.catalog(), small_options()).unwrap();
            let sequence = index.snapshot().sequence();
            assert!(
                sequence >= acknowledged(&killed, "committed"),
                "round {round}: an acknowledged change is lost"
            );
            assert_whole(&index.snapshot(), &home, &documents);
            assert_eq!(
                index.notices(),
                Vec::<String>::new(),
                "round {round}: a kill must not damage anything"
            );
            assert_eq!(index.verify(), [], "round {round}");
        },
    );
    assert_eq!(killed_rounds, ROUNDS);
}

#[test]
fn a_killed_catch_up_loses_nothing() {
    kill_during("catch_up", Duration::from_millis(600));
}

#[test]
fn a_killed_merge_loses_nothing() {
    kill_during("merge", Duration::from_millis(600));
}

#[test]
fn a_killed_rebuild_loses_nothing() {
    kill_during("rebuild", Duration::from_millis(600));
}
