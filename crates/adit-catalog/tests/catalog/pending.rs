use adit_catalog::{Catalog, CatalogError, TextKey};

use crate::support::{DIMENSION, fingerprint, test_catalog, version};

fn key(indexed: &str) -> TextKey {
    TextKey::new(&fingerprint().embedder, indexed)
}

#[test]
fn an_interrupted_document_resumes_where_it_was() {
    let home = test_catalog();
    let given = version("a", "one\ntwo\nthree");
    let keys: Vec<_> = given.chunks.iter().map(|chunk| key(&chunk.indexed)).collect();
    home.store_pending_vectors(&keys[..2], &given.vectors[..2]).unwrap();

    // The process ends here; the next one opens the same file.
    let resumed = Catalog::create_or_open(&home.path).unwrap();
    let known = resumed.pending_vectors(&keys).unwrap();
    assert_eq!(known, [Some(given.vectors[0].clone()), Some(given.vectors[1].clone()), None]);
    resumed.commit(given.clone()).unwrap();
    resumed.forget_pending_vectors().unwrap();

    // Now the stored chunks answer, also after a replacement, in the order asked.
    resumed.commit(version("a", "other")).unwrap();
    let backwards: Vec<_> = keys.iter().rev().copied().collect();
    let known: Vec<_> = resumed.pending_vectors(&backwards).unwrap().into_iter().flatten().collect();
    assert_eq!(known, given.vectors.iter().rev().cloned().collect::<Vec<_>>());
}

#[test]
fn another_embedder_finds_nothing() {
    let catalog = test_catalog();
    catalog.store_pending_vectors(&[key("words")], &[vec![0.5; DIMENSION]]).unwrap();
    let mut other = fingerprint().embedder;
    other.precision = "int8".to_owned();
    assert_eq!(catalog.pending_vectors(&[TextKey::new(&other, "words")]).unwrap(), [None]);
    other = fingerprint().embedder;
    other.query_template = "query: {text}".to_owned();
    assert!(catalog.pending_vectors(&[TextKey::new(&other, "words")]).unwrap()[0].is_some());
}

#[test]
fn a_reset_keeps_the_vectors_of_the_same_embedder_only() {
    let catalog = test_catalog();
    let given = version("a", "one");
    let keys = [key(&given.chunks[0].indexed)];
    catalog.commit(given.clone()).unwrap();
    let mut other = fingerprint();
    other.chunker = "other".to_owned();
    catalog.reset_for_fingerprint(&other).unwrap();
    assert_eq!(catalog.pending_vectors(&keys).unwrap(), [Some(given.vectors[0].clone())]);
    other.embedder.revision = "other".to_owned();
    catalog.reset_for_fingerprint(&other).unwrap();
    assert_eq!(catalog.pending_vectors(&keys).unwrap(), [None]);
}

#[test]
fn vectors_that_do_not_fit_are_refused() {
    let catalog = test_catalog();
    let wrong = catalog.store_pending_vectors(&[key("a"), key("b")], &[vec![0.5; DIMENSION], vec![0.5; 3]]);
    assert!(matches!(wrong, Err(CatalogError::Vector { index: 1, .. })));
    assert!(catalog.store_pending_vectors(&[key("a")], &[]).is_err());
    assert_eq!(catalog.pending_vectors(&[key("a")]).unwrap(), [None], "nothing half done");
}
