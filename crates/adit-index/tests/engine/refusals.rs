use adit_core::{
    Classified, DenseSearch, ErrorClass, Filter, IndexError, IndexSnapshot, LexicalSearch, Scope, TenantId,
};
use adit_index::{IndexOptions, SearchIndex};
use adit_testkit::{CorpusSettings, corpus};

use crate::support::{DIMENSION, Home, fingerprint, new_version, small_options};

#[test]
fn a_second_writer_is_refused_and_a_reader_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let catalog = home.catalog();
    let first = SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap();
    let error = SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap_err();
    match &error {
        IndexError::Locked { process, .. } => assert_eq!(process, &std::process::id().to_string()),
        other => panic!("{other}"),
    }
    assert_eq!(error.class(), ErrorClass::Refused);
    let reader = SearchIndex::open_reader(&home.collection(), catalog.clone(), small_options()).unwrap();
    assert!(reader.rebuild(&mut |_| ()).is_err());
    drop(first);
    SearchIndex::open_writer(&home.collection(), catalog, small_options()).unwrap();
}

#[test]
fn another_fingerprint_is_refused_on_open_and_on_every_search() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let catalog = home.catalog();
    let mut other = fingerprint();
    other.embedder.revision = "2".to_owned();
    let options = IndexOptions { fingerprint: Some(other.clone()), ..small_options() };
    let open = SearchIndex::open_writer(&home.collection(), catalog.clone(), options);
    assert!(matches!(open, Err(IndexError::FingerprintMismatch { .. })));

    let index = SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap();
    let scope = Scope::new(TenantId::default_tenant(), []);
    let own = fingerprint();
    let search = |vector: &[f32], fingerprint| {
        let filter = Filter::default();
        let search =
            DenseSearch { scope: &scope, filter: &filter, vector, fingerprint, limit: 3, ef_search: None };
        index.snapshot().search_dense(search)
    };
    assert!(matches!(search(&[0.0; DIMENSION], &other), Err(IndexError::FingerprintMismatch { .. })));
    assert!(matches!(search(&[0.0; 3], &own), Err(IndexError::Dimension { given: 3, .. })));
    assert_eq!(search(&[0.0; DIMENSION], &own).unwrap(), []);
}

#[test]
fn a_newer_format_is_refused_by_writer_and_reader_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let catalog = home.catalog();
    drop(SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap());
    let manifest = home.collection().join("generations/000001/manifest.json");
    let text = fs_err::read_to_string(&manifest).unwrap().replacen("adit-manifest 1", "adit-manifest 9", 1);
    fs_err::write(&manifest, &text).unwrap();
    for opened in [
        SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()),
        SearchIndex::open_reader(&home.collection(), catalog.clone(), small_options()),
    ] {
        match opened {
            Err(IndexError::NewerFormat { found: 9, .. }) => {}
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(fs_err::read_to_string(&manifest).unwrap(), text);
}

#[test]
fn after_a_reset_the_writer_starts_anew_and_a_reader_is_refused_until_then() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let catalog = home.catalog();
    let settings = CorpusSettings { dimension: DIMENSION, tenants: 1, ..CorpusSettings::default() };
    let documents = corpus(&CorpusSettings { restricted_share: 0.0, ..settings });
    let index = SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap();
    for document in &documents {
        catalog.commit(new_version(document)).unwrap();
    }
    index.catch_up().unwrap();
    drop(index);
    let mut other = fingerprint();
    other.chunker = "lines/2".to_owned();
    catalog.reset_for_fingerprint(&other).unwrap();
    let reader = SearchIndex::open_reader(&home.collection(), catalog.clone(), small_options());
    assert!(matches!(reader, Err(IndexError::FingerprintMismatch { .. })));
    let index = SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap();
    assert_eq!(index.statistics().live_chunks, 0);
    assert_eq!(index.notices().len(), 1);
    catalog.commit(new_version(&documents[0])).unwrap();
    index.catch_up().unwrap();
    let snapshot = index.snapshot();
    assert_eq!(snapshot.fingerprint(), &other);
    let tenant = TenantId::new("tenant-0").unwrap();
    let scope = Scope::new(tenant, []);
    let query = documents[0].text.split_whitespace().next().unwrap();
    let search = LexicalSearch { scope: &scope, filter: &Filter::default(), query, limit: 10 };
    assert!(!snapshot.search_lexical(search).unwrap().is_empty());
}

#[test]
fn another_catalog_under_the_same_index_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let documents = corpus(&CorpusSettings { dimension: DIMENSION, ..CorpusSettings::default() });
    for round in 0..2 {
        let catalog = home.catalog();
        for document in documents.iter().skip(round * 20).take(20) {
            catalog.commit(new_version(document)).unwrap();
        }
        let index = SearchIndex::open_writer(&home.collection(), catalog.clone(), small_options()).unwrap();
        let snapshot = index.snapshot();
        for (number, document) in documents.iter().enumerate() {
            let expected = (round * 20..round * 20 + 20).contains(&number);
            assert_eq!(snapshot.chunk_span_of(&document.id).is_some(), expected);
        }
        assert_eq!(index.notices().len(), 1, "{:?}", index.notices());
        drop((index, catalog));
        for name in ["catalog.db", "catalog.db-wal", "catalog.db-shm"] {
            drop(fs_err::remove_file(home.folder.join(name)));
        }
    }
}
