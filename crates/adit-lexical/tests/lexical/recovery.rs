use std::sync::atomic::{AtomicBool, Ordering};

use adit_core::{ChunkId, Classified, ErrorClass, SequenceNumber};
use adit_lexical::{Bm25Parameters, LexicalError, LexicalIndex, open_searcher};
use roaring::RoaringBitmap;

use crate::found;

#[test]
fn only_what_was_committed_comes_back() {
    let folder = tempfile::tempdir().unwrap();
    {
        let index = LexicalIndex::open_or_create(folder.path()).unwrap();
        assert_eq!(index.sequence(), SequenceNumber(0));
        index.add(ChunkId(1), "en", "apples").unwrap();
        index.commit(SequenceNumber(5)).unwrap();
        index.add(ChunkId(2), "en", "apples and pears").unwrap();
        index.delete_chunks(ChunkId(1), 1);
    }
    let index = LexicalIndex::open_or_create(folder.path()).unwrap();
    assert_eq!(index.sequence(), SequenceNumber(5));
    assert_eq!(found(&index.searcher().unwrap(), "apples", &["en"]), [1]);
    index.add(ChunkId(3), "en", "apples").unwrap();
    index.rollback().unwrap();
    index.add(ChunkId(4), "en", "apples").unwrap();
    index.delete_chunks(ChunkId(1), 3);
    index.commit(SequenceNumber(6)).unwrap();
    assert_eq!(index.sequence(), SequenceNumber(6));
    assert_eq!(found(&index.searcher().unwrap(), "apples", &["en"]), [4]);
}

#[test]
fn a_reader_keeps_its_state_while_the_writer_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open_or_create(folder.path()).unwrap();
    for round in 0..30_u32 {
        index.add(ChunkId(round), "en", "apples").unwrap();
        index.commit(SequenceNumber(u64::from(round) + 1)).unwrap();
        let reader = open_searcher(folder.path()).unwrap();
        assert_eq!(reader.sequence(), SequenceNumber(u64::from(round) + 1));
        assert_eq!(found(&reader, "apple", &["en"]).len(), round as usize + 1);
    }
    let old = open_searcher(folder.path()).unwrap();
    index.delete_chunks(ChunkId(0), 29);
    index.commit(SequenceNumber(31)).unwrap();
    index.merge_all().unwrap();
    assert_eq!(found(&old, "apple", &["en"]).len(), 30);
    let new = old.refresh().unwrap();
    assert_eq!(found(&new, "apple", &["en"]), [29]);
    assert_eq!(new.sequence(), SequenceNumber(31));
    assert_eq!(new.chunk_count(), 1);
    assert_eq!(index.sequence(), SequenceNumber(31), "a merge keeps the sequence number");
}

#[test]
fn merged_and_fresh_indexes_score_alike() {
    let texts: Vec<String> =
        (0..200).map(|number| format!("apple w{} w{} w{}", number % 7, number % 11, number % 3)).collect();
    let build = |deleted_first: bool| {
        let folder = tempfile::tempdir().unwrap();
        let index = LexicalIndex::open_or_create(folder.path()).unwrap();
        for (id, text) in (0..).zip(&texts) {
            if deleted_first || id >= 50 {
                index.add(ChunkId(id), "en", text).unwrap();
            }
            if id % 40 == 39 {
                index.commit(SequenceNumber(1)).unwrap();
            }
        }
        index.delete_chunks(ChunkId(0), 50);
        index.commit(SequenceNumber(2)).unwrap();
        index.merge_all().unwrap();
        let all: RoaringBitmap = (0..200).collect();
        index.searcher().unwrap().search("apple w3 w10", &[], &all, Bm25Parameters::default(), 50).unwrap()
    };
    assert_eq!(build(true), build(false));
}

#[test]
fn a_second_writer_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let _first = LexicalIndex::open_or_create(folder.path()).unwrap();
    let error = LexicalIndex::open_or_create(folder.path()).unwrap_err();
    assert!(matches!(error, LexicalError::Locked { .. }), "{error}");
    assert_eq!(error.class(), ErrorClass::Refused);
    assert!(error.is_retryable());
}

#[test]
fn a_damaged_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    {
        let index = LexicalIndex::open_or_create(folder.path()).unwrap();
        for chunk in 0..500 {
            index.add(ChunkId(chunk), "en", &format!("apples number {chunk}")).unwrap();
        }
        index.commit(SequenceNumber(1)).unwrap();
    }
    LexicalIndex::verify(folder.path()).unwrap();
    let terms = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .find(|path| path.extension().is_some_and(|extension| extension == "idx"))
        .unwrap();
    let mut bytes = std::fs::read(&terms).unwrap();
    bytes[20] ^= 0xFF;
    std::fs::write(&terms, bytes).unwrap();
    let error = LexicalIndex::verify(folder.path()).unwrap_err();
    let name = terms.file_name().unwrap().to_str().unwrap();
    assert!(error.to_string().contains(name), "{error}");
    assert!(error.hint().unwrap().contains("adit rebuild"));

    std::fs::remove_file(&terms).unwrap();
    assert!(matches!(open_searcher(folder.path()).unwrap_err(), LexicalError::Damaged { .. }));
}

#[test]
fn no_index_is_an_error_and_not_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    assert!(open_searcher(folder.path()).is_err());
}

#[test]
fn a_merge_under_a_verification_is_no_damage() {
    let folder = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open_or_create(folder.path()).unwrap();
    index.commit(SequenceNumber(0)).unwrap();
    let is_done = AtomicBool::new(false);
    let verified = std::thread::scope(|scope| {
        let verifying = scope.spawn(|| {
            let mut count = 0;
            while !is_done.load(Ordering::Relaxed) {
                LexicalIndex::verify(folder.path()).unwrap();
                count += 1;
            }
            count
        });
        // Every eighth segment starts a merge, which removes the files of the eight.
        for commit in 1..=200_u32 {
            index.add(ChunkId(commit), "en", &format!("apples number {commit}")).unwrap();
            index.commit(SequenceNumber(u64::from(commit))).unwrap();
        }
        is_done.store(true, Ordering::Relaxed);
        verifying.join().unwrap()
    });
    assert!(verified > 0);
}
