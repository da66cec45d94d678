use adit_catalog::{Catalog, ChunkSpan, Committed, TextKey};
use adit_core::ChunkId;

use crate::support::{fingerprint, test_catalog, version};

fn key(indexed: &str) -> TextKey {
    TextKey::new(&fingerprint().embedder, indexed)
}

fn codes(catalog: &Catalog, committed: Committed) -> Vec<(u32, Vec<u8>)> {
    let first = committed.first_chunk.unwrap();
    let mut codes = Vec::new();
    let span = ChunkSpan { first, count: committed.chunk_count };
    let view = catalog.view().unwrap();
    view.for_each_token_codes(span, &mut |chunk, row| codes.push((chunk.0 - first.0, row.to_vec()))).unwrap();
    codes
}

#[test]
fn codes_come_with_the_commit_and_are_found_again_for_unchanged_chunks() {
    let home = test_catalog();
    home.start_token_codes("make").unwrap();
    let given = version("a", "one\ntwo\nthree");
    let keys: Vec<_> = given.chunks.iter().map(|chunk| key(&chunk.indexed)).collect();
    home.store_pending_token_codes(&keys[..2], &[vec![1], vec![2]]).unwrap();

    // The process ends here; the next one opens the same file.
    let resumed = Catalog::create_or_open(&home.path).unwrap();
    assert_eq!(resumed.has_token_codes(&keys).unwrap(), [true, true, false]);
    let committed = resumed.commit(given.clone()).unwrap();
    resumed.forget_pending_vectors().unwrap();
    assert_eq!(codes(&resumed, committed), [(0, vec![1]), (1, vec![2])]);
    assert_eq!(resumed.has_token_codes(&keys).unwrap(), [true, true, false]);

    // Another version: the same texts bring their codes, without the model and without a call.
    let committed = resumed.commit(version("a", "one\ntwo\nfour")).unwrap();
    assert_eq!(codes(&resumed, committed), [(0, vec![1]), (1, vec![2])]);
    let coverage = resumed.view().unwrap().token_code_coverage().unwrap();
    assert_eq!((coverage.chunks, coverage.coded, coverage.bytes), (3, 2, 2));
    let missing = resumed.view().unwrap().chunks_without_token_codes(ChunkId(0), 5).unwrap();
    assert_eq!(missing, [(ChunkId(6), version("a", "one\ntwo\nfour").chunks[2].indexed.clone())]);
    resumed.verify().unwrap();
}

#[test]
fn a_purge_takes_the_codes_along() {
    let home = test_catalog();
    home.start_token_codes("make").unwrap();
    let given = version("a", "one");
    home.store_pending_token_codes(&[key(&given.chunks[0].indexed)], &[vec![7; 3]]).unwrap();
    let first = home.commit(given).unwrap();
    let last = home.commit(version("a", "other")).unwrap();
    assert_eq!(codes(&home, first), [(0, vec![7; 3])], "readable until it is purged");
    home.purge_dead(last.sequence).unwrap();
    assert!(codes(&home, first).is_empty());
    home.verify().unwrap();
}

#[test]
fn another_make_or_embedder_begins_anew() {
    let home = test_catalog();
    home.start_token_codes("make").unwrap();
    let given = version("a", "one");
    let keys = [key(&given.chunks[0].indexed)];
    home.store_pending_token_codes(&keys, &[vec![1]]).unwrap();
    home.commit(given.clone()).unwrap();

    // Another chunker keeps the codes by text, as it keeps the vectors.
    let mut other = fingerprint();
    other.chunker = "other".to_owned();
    home.reset_for_fingerprint(&other).unwrap();
    assert_eq!(home.has_token_codes(&keys).unwrap(), [true]);
    assert_eq!(home.view().unwrap().token_code_make().unwrap().as_deref(), Some("make"));

    home.start_token_codes("other make").unwrap();
    assert_eq!(home.has_token_codes(&keys).unwrap(), [false]);
    home.store_pending_token_codes(&keys, &[vec![2]]).unwrap();
    other.embedder.revision = "other".to_owned();
    home.reset_for_fingerprint(&other).unwrap();
    assert_eq!(home.has_token_codes(&keys).unwrap(), [false]);
    assert_eq!(home.view().unwrap().token_code_make().unwrap(), None);
    assert!(home.store_pending_token_codes(&keys, &[]).is_err());
}
