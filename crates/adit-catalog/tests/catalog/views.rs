use std::sync::atomic::{AtomicBool, Ordering};

use adit_catalog::{CatalogError, ChunkSpan};
use adit_core::{ChunkId, ReadScope, SequenceNumber};

use crate::support::{administrator, test_catalog, version};

#[test]
fn a_view_keeps_its_state_while_the_writer_goes_on() {
    let catalog = test_catalog();
    let id = version("a", "").id;
    catalog.commit(version("a", "old")).unwrap();
    let everybody = administrator();
    let scope = ReadScope::Administrator(&everybody);
    let view = catalog.view().unwrap();
    catalog.commit(version("a", "new")).unwrap();
    catalog.commit(version("b", "more")).unwrap();
    catalog.purge_dead(SequenceNumber(3)).unwrap();
    assert_eq!(view.last_sequence(), SequenceNumber(1));
    assert_eq!(view.document_text(&id, scope).unwrap().as_deref(), Some("old"));
    assert_eq!(view.documents(scope).unwrap().len(), 1);
    assert_eq!(view.chunk(ChunkId(1)).unwrap().unwrap().chunk.display, "old");
    let later = catalog.view().unwrap();
    assert_eq!(later.document_text(&id, scope).unwrap().as_deref(), Some("new"));
    assert_eq!(later.chunk(ChunkId(1)).unwrap(), None);
}

#[test]
fn a_callback_may_read_through_the_same_view() {
    let catalog = test_catalog();
    catalog.commit(version("a", "one\ntwo\nthree")).unwrap();
    let view = catalog.view().unwrap();
    let mut seen = Vec::new();
    view.for_each_indexed_chunk(ChunkSpan { first: ChunkId(2), count: 9 }, &mut |id, language, indexed| {
        let stored = view.chunk(id)?.unwrap();
        assert_eq!((language, indexed), ("en", stored.chunk.indexed.as_str()));
        view.for_each_vector(ChunkSpan { first: id, count: 1 }, &mut |same, _| seen.push(same))?;
        Ok::<_, CatalogError>(())
    })
    .unwrap();
    assert_eq!(seen, [ChunkId(2), ChunkId(3)]);
    let stopped = view.for_each_indexed_chunk(ChunkSpan { first: ChunkId(1), count: 3 }, &mut |_, _, _| {
        Err(CatalogError::ReadOnly)
    });
    assert!(matches!(stopped, Err(CatalogError::ReadOnly)));
}

#[test]
fn purged_states_are_refused_and_the_others_stay_whole() {
    let catalog = test_catalog();
    catalog.commit(version("a", "one\ntwo")).unwrap();
    catalog.commit(version("a", "three")).unwrap();
    catalog.commit(version("a", "four")).unwrap();
    assert_eq!(catalog.purge_dead(SequenceNumber(2)).unwrap(), 2);
    let view = catalog.view().unwrap();
    assert!(matches!(
        view.documents_at(SequenceNumber(1)),
        Err(CatalogError::Purged { asked: SequenceNumber(1), oldest: SequenceNumber(2) })
    ));
    assert_eq!(view.documents_at(SequenceNumber(2)).unwrap()[0].first_chunk, ChunkId(3));
    assert_eq!(catalog.purge_dead(SequenceNumber(2)).unwrap(), 0);
    assert_eq!(catalog.purge_dead(SequenceNumber(1000)).unwrap(), 1);
    assert_eq!(
        catalog.view().unwrap().purged_up_to().unwrap(),
        SequenceNumber(3),
        "never beyond the last change"
    );
    catalog.verify().unwrap();
}

#[test]
fn readers_never_see_half_a_replacement() {
    let catalog = test_catalog();
    let text = |round: usize| vec![format!("round {round}"); 1 + round % 7].join("\n");
    catalog.commit(version("a", &text(0))).unwrap();
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let reader = || {
            let everybody = administrator();
            let scope = ReadScope::Administrator(&everybody);
            let mut reads = 0;
            while !done.load(Ordering::Acquire) || reads == 0 {
                let view = catalog.view().unwrap();
                let records = view.documents(scope).unwrap();
                assert_eq!(records.len(), 1);
                let whole = view.document_text(&records[0].id, scope).unwrap().unwrap();
                assert_eq!(whole, text(records[0].version as usize - 1));
                let chunks = view.chunks_of(&records[0].id, scope).unwrap();
                assert_eq!(chunks.len(), whole.lines().count());
                let mut vectors = 0;
                let span =
                    ChunkSpan { first: records[0].first_chunk.unwrap(), count: records[0].chunk_count };
                view.for_each_vector(span, &mut |_, _| vectors += 1).unwrap();
                assert_eq!(vectors, chunks.len());
                reads += 1;
            }
        };
        threads.spawn(reader);
        threads.spawn(reader);
        for round in 1..200 {
            catalog.commit(version("a", &text(round))).unwrap();
            if round % 50 == 0 {
                catalog.purge_dead(SequenceNumber(round as u64)).unwrap();
            }
        }
        done.store(true, Ordering::Release);
    });
    assert_eq!(catalog.last_sequence().unwrap(), SequenceNumber(200));
}
