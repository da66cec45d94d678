use adit_catalog::{Catalog, CatalogError, Change, ChangeKind, ChunkSpan};
use adit_core::{
    ChunkId, DocumentId, DocumentState, MetadataValue, ReadScope, SequenceNumber, StateCounts, TenantId,
};

use crate::support::{DIMENSION, administrator, failed, fingerprint, only, test_catalog, version};

fn span(first: u32, count: u32) -> Option<ChunkSpan> {
    Some(ChunkSpan { first: ChunkId(first), count })
}

#[test]
fn everything_committed_comes_back() {
    let catalog = test_catalog();
    let mut given = version("folder/a.md", "Name | Days\nRefund — ödegård 中文 | 14\n\nlast");
    given.metadata.insert("year".to_owned(), vec![MetadataValue::Number(2026.5), MetadataValue::Bool(true)]);
    given.access = only(&["payroll", "board"]);
    given.coverage.warnings.push("one".to_owned());
    let committed = catalog.commit(given.clone()).unwrap();
    assert_eq!((committed.sequence, committed.version), (SequenceNumber(1), 1));
    assert_eq!((committed.first_chunk, committed.chunk_count), (Some(ChunkId(1)), 4));

    let view = catalog.view().unwrap();
    let everybody = administrator();
    let record = view.document(&given.id, ReadScope::Administrator(&everybody)).unwrap().unwrap();
    assert_eq!(record.source, given.source);
    assert_eq!(record.title, given.title);
    assert_eq!(record.media_type, given.media_type);
    assert_eq!(record.access, given.access);
    assert_eq!(record.metadata, given.metadata);
    assert_eq!(record.coverage, given.coverage);
    assert_eq!(record.state, given.state);
    assert_eq!((record.size_bytes, record.modified_unix_ms), (given.size_bytes, given.modified_unix_ms));
    assert_eq!((record.sequence, record.version), (committed.sequence, 1));
    assert!(record.committed_unix_ms > 1_700_000_000_000);

    let text = view.document_text(&given.id, ReadScope::Administrator(&everybody)).unwrap();
    assert_eq!(text.as_ref(), Some(&given.text));
    let chunks = view.chunks_of(&given.id, ReadScope::Administrator(&everybody)).unwrap();
    assert_eq!(chunks.iter().map(|stored| stored.chunk.clone()).collect::<Vec<_>>(), given.chunks);
    assert_eq!(chunks[1].header_text.as_deref(), Some("Name | Days"));
    assert_eq!(chunks[0].header_text, None);
    assert_eq!(view.chunk(ChunkId(2)).unwrap().as_ref(), Some(&chunks[1]));
    assert_eq!(view.chunk(ChunkId(5)).unwrap(), None);

    let mut vectors = Vec::new();
    view.for_each_vector(span(1, 4).unwrap(), &mut |id, vector| vectors.push((id, vector.to_vec()))).unwrap();
    assert_eq!(vectors, (1..5).map(ChunkId).zip(given.vectors).collect::<Vec<_>>());
    catalog.verify().unwrap();
}

#[test]
fn a_replacement_takes_new_chunk_ids_and_logs_both_spans() {
    let catalog = test_catalog();
    catalog.commit(version("a", "one\ntwo")).unwrap();
    catalog.commit(version("b", "three")).unwrap();
    let replaced = catalog.commit(version("a", "new")).unwrap();
    assert_eq!((replaced.version, replaced.first_chunk), (2, Some(ChunkId(4))));
    let id = DocumentId::derive(&TenantId::default_tenant(), "a");
    assert_eq!(catalog.remove(&id).unwrap(), Some(SequenceNumber(4)));
    assert_eq!(catalog.remove(&id).unwrap(), None);
    assert_eq!(catalog.commit(version("a", "again")).unwrap().version, 1);

    let view = catalog.view().unwrap();
    let change = |sequence, kind, born, dead| Change {
        sequence: SequenceNumber(sequence),
        document: id.clone(),
        kind,
        born,
        dead,
    };
    assert_eq!(
        view.changes(SequenceNumber(2), SequenceNumber(9)).unwrap(),
        [
            change(3, ChangeKind::Committed, span(4, 1), span(1, 2)),
            change(4, ChangeKind::Removed, None, span(4, 1)),
            change(5, ChangeKind::Committed, span(5, 1), None),
        ]
    );
    assert_eq!(view.changes(SequenceNumber(2), SequenceNumber(3)).unwrap().len(), 1);
    let dead = view.chunk(ChunkId(2)).unwrap().unwrap();
    assert_eq!((dead.chunk.display.as_str(), dead.version), ("two", 1));
}

#[test]
fn a_failed_version_replaces_the_text_and_is_counted() {
    let catalog = test_catalog();
    let id = catalog.commit(version("a", "old words")).map(|_| version("a", "").id).unwrap();
    let committed = catalog.commit(failed("a")).unwrap();
    assert_eq!((committed.first_chunk, committed.chunk_count, committed.version), (None, 0, 2));
    let everybody = administrator();
    let scope = ReadScope::Administrator(&everybody);
    let view = catalog.view().unwrap();
    assert_eq!(view.state_counts(scope).unwrap(), StateCounts { failed: 1, ..StateCounts::default() });
    assert_eq!(view.document_text(&id, scope).unwrap().as_deref(), Some(""));
    assert!(view.documents_at(view.last_sequence()).unwrap().is_empty());
    assert_eq!(view.documents_at(SequenceNumber(1)).unwrap().len(), 1);
    let state = catalog.content_state(&TenantId::default_tenant(), "a").unwrap().unwrap();
    assert_eq!((state.state_name.as_str(), state.content_hash.as_str()), ("failed", "hash of "));
    assert!(catalog.remove(&id).unwrap().is_some(), "a document in any state can be removed");
    assert_eq!(catalog.content_state(&TenantId::default_tenant(), "a").unwrap(), None);
}

#[test]
fn what_is_not_whole_is_refused_and_leaves_nothing() {
    let catalog = test_catalog();
    let mut few = version("a", "one\ntwo");
    few.vectors.pop();
    let mut other_words = version("a", "one\ntwo");
    other_words.chunks[1].display = "three".to_owned();
    let mut outside = version("a", "one\ntwo");
    outside.chunks[1].range.end = 100;
    let mut wrong_index = version("a", "one\ntwo");
    wrong_index.chunks[1].index = 2;
    let mut failed_with_chunks = version("a", "one");
    failed_with_chunks.state = DocumentState::Skipped { reason: "x".to_owned() };
    for broken in [few, other_words, outside, wrong_index, failed_with_chunks] {
        assert!(matches!(catalog.commit(broken), Err(CatalogError::InvalidVersion { .. })));
    }
    let mut long = version("a", "one\ntwo");
    long.vectors[1] = vec![0.5; DIMENSION + 1];
    assert!(matches!(catalog.commit(long), Err(CatalogError::Vector { index: 1, .. })));
    let mut no_number = version("a", "one\ntwo");
    no_number.vectors[1][0] = f32::NAN;
    assert!(matches!(catalog.commit(no_number), Err(CatalogError::Vector { index: 1, .. })));

    assert_eq!(catalog.last_sequence().unwrap(), SequenceNumber(0));
    let good = catalog.commit(version("a", "one")).unwrap();
    assert_eq!((good.sequence, good.first_chunk), (SequenceNumber(1), Some(ChunkId(1))));
}

#[test]
fn a_text_longer_than_a_row_comes_back_and_so_does_any_part_of_it() {
    let catalog = test_catalog();
    // Lines of 3-byte characters, so that row ends fall inside characters unless care is taken.
    let text = (0..40).map(|i| format!("{i}{}", "語".repeat(1000 + i))).collect::<Vec<_>>().join("\n");
    let given = version("long", &text);
    catalog.commit(given.clone()).unwrap();
    let everybody = administrator();
    let scope = ReadScope::Administrator(&everybody);
    let view = catalog.view().unwrap();
    assert_eq!(view.document_text(&given.id, scope).unwrap(), Some(text));
    let chunks = view.chunks_of(&given.id, scope).unwrap();
    assert_eq!(chunks.into_iter().map(|stored| stored.chunk).collect::<Vec<_>>(), given.chunks);
}

#[test]
fn rights_change_without_touching_chunks() {
    let catalog = test_catalog();
    let given = version("a", "one\ntwo");
    catalog.commit(given.clone()).unwrap();
    let sequence = catalog.update_access(&given.id, only(&["board"]), given.metadata.clone()).unwrap();
    assert_eq!(sequence, Some(SequenceNumber(2)));
    catalog.update_access_and_hash(&given.id, only(&[]), given.metadata.clone(), "new hash").unwrap();
    let unknown = DocumentId::from_stored("unknown");
    assert_eq!(catalog.update_access(&unknown, only(&[]), given.metadata).unwrap(), None);

    let view = catalog.view().unwrap();
    let accesses: Vec<_> = (1..4)
        .map(|sequence| {
            let documents = view.documents_at(SequenceNumber(sequence)).unwrap();
            assert_eq!((documents.len(), documents[0].span()), (1, span(1, 2).unwrap()));
            documents[0].access.clone()
        })
        .collect();
    assert_eq!(accesses, [given.access, only(&["board"]), only(&[])]);
    let changes = view.changes(SequenceNumber(1), SequenceNumber(3)).unwrap();
    assert!(
        changes.iter().all(|one| one.kind == ChangeKind::AccessChanged && one.born.or(one.dead).is_none())
    );
    assert_eq!(view.chunk(ChunkId(1)).unwrap().unwrap().access, only(&[]));
    let state = catalog.content_state(&TenantId::default_tenant(), "a").unwrap().unwrap();
    assert_eq!(state.content_hash, "new hash");
}

#[test]
fn a_fingerprint_holds_as_long_as_chunks_live() {
    let catalog = test_catalog();
    assert_eq!(catalog.fingerprint().unwrap(), Some(fingerprint()));
    let mut other = fingerprint();
    other.chunker = "other/2".to_owned();
    catalog.set_fingerprint(&other).unwrap();
    let given = version("a", "one\ntwo");
    catalog.commit(given.clone()).unwrap();
    assert!(matches!(
        catalog.set_fingerprint(&fingerprint()),
        Err(CatalogError::FingerprintMismatch { catalog, .. }) if *catalog == other
    ));
    catalog.set_fingerprint(&other).unwrap();

    catalog.reset_for_fingerprint(&fingerprint()).unwrap();
    let view = catalog.view().unwrap();
    assert_eq!(view.fingerprint().unwrap(), Some(fingerprint()));
    assert!(view.documents_at(view.last_sequence()).unwrap().is_empty());
    let changes = view.changes(SequenceNumber(0), view.last_sequence()).unwrap();
    let spans: Vec<_> = changes.iter().map(|change| (change.born, change.dead)).collect();
    assert_eq!(spans, [(None, None), (None, span(1, 2))], "a replay asks for nothing that is gone");
    let again = catalog.commit(given).unwrap();
    assert_eq!(
        (again.sequence, again.first_chunk),
        (SequenceNumber(3), Some(ChunkId(3))),
        "no id comes twice"
    );
}

#[test]
fn settings_are_kept() {
    let catalog = test_catalog();
    assert_eq!(catalog.setting("root").unwrap(), None);
    catalog.set_setting("root", "a").unwrap();
    catalog.set_setting("root", "b").unwrap();
    assert_eq!(catalog.setting("root").unwrap().as_deref(), Some("b"));
}

#[test]
fn odd_values_are_kept_and_poison_nothing() {
    let catalog = test_catalog();
    let mut given = version("odd\u{0}name \u{202e}.md", "nul \u{0} inside\nsecond \u{10ffff}");
    let odd = [f64::INFINITY, f64::NAN, -0.0, 1e300].map(MetadataValue::Number);
    given.metadata.insert("odd".to_owned(), odd.to_vec());
    catalog.commit(given.clone()).unwrap();
    let view = catalog.view().unwrap();
    let documents = view.documents_at(SequenceNumber(1)).unwrap();
    assert_eq!(documents[0].source, given.source);
    let texts: Vec<_> = documents[0].metadata["odd"].iter().map(MetadataValue::to_text).collect();
    assert_eq!(texts, odd.each_ref().map(MetadataValue::to_text));
    let everybody = administrator();
    let chunks = view.chunks_of(&given.id, ReadScope::Administrator(&everybody)).unwrap();
    assert_eq!(chunks.into_iter().map(|one| one.chunk).collect::<Vec<_>>(), given.chunks);
}

#[test]
fn two_writers_take_turns_and_the_log_has_no_holes() {
    let home = test_catalog();
    let second = Catalog::create_or_open(&home.path).unwrap();
    std::thread::scope(|threads| {
        for (catalog, name) in [(&home.catalog, "first"), (&second, "second")] {
            threads.spawn(move || {
                for number in 0..50 {
                    catalog.commit(version(&format!("{name}-{}.md", number % 5), "one\ntwo")).unwrap();
                }
            });
        }
    });
    let view = home.view().unwrap();
    let changes = view.changes(SequenceNumber(0), SequenceNumber(1000)).unwrap();
    assert_eq!(changes.iter().map(|one| one.sequence.0).collect::<Vec<_>>(), (1..=100).collect::<Vec<_>>());
    let firsts: Vec<_> = changes.iter().map(|one| one.born.unwrap().first.0).collect();
    assert_eq!(firsts, (0..100).map(|number| 1 + 2 * number).collect::<Vec<_>>());
    home.verify().unwrap();
}
