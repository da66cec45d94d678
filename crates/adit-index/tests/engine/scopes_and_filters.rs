use adit_core::{AccessControl, Filter, Principal, Scope, TenantId};
use adit_index::SearchIndex;
use adit_testkit::{CorpusSettings, corpus};

use crate::support::{DIMENSION, Home, Model, small_options};

fn filled() -> (tempfile::TempDir, SearchIndex, Model) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::at(folder.path());
    let catalog = home.catalog();
    let mut model = Model::default();
    for document in corpus(&CorpusSettings { dimension: DIMENSION, ..CorpusSettings::default() }) {
        model.commit(&catalog, &document);
    }
    let index = SearchIndex::open_writer(&home.collection(), catalog, small_options()).unwrap();
    (folder, index, model)
}

fn scope(principals: &[&str]) -> Scope {
    let principals = principals.iter().map(|name| Principal((*name).to_owned()));
    Scope::new(TenantId::new("tenant-0").unwrap(), principals)
}

#[test]
fn facets_count_only_what_the_reader_may_see() {
    let (_folder, index, model) = filled();
    let snapshot = index.snapshot();
    for scope in [scope(&[]), scope(&["group-1", "group-2"])] {
        let facets = snapshot.facets(&scope);
        let team = facets.iter().find(|facet| facet.key == "team").unwrap();
        let readable = model.documents.values().filter(|one| scope.permits(&one.tenant, &one.access)).count();
        assert_eq!(team.documents, readable as u64);
        for value in &team.values {
            let filter = Filter::parse(&[format!("team={}", value.value)]).unwrap();
            let having = model
                .documents
                .values()
                .filter(|one| scope.permits(&one.tenant, &one.access) && filter.accepts(&one.metadata));
            assert_eq!(value.documents, having.count() as u64, "{}", value.value);
        }
        let source = facets.iter().find(|facet| facet.key == "source").unwrap();
        assert_eq!(source.distinct_values, readable);
    }
    let nowhere = Scope::new(TenantId::new("tenant-9").unwrap(), []);
    assert_eq!(snapshot.facets(&nowhere), []);
}

#[test]
fn unknown_keys_are_named_within_the_scope() {
    let (_folder, index, _model) = filled();
    let snapshot = index.snapshot();
    let filter = Filter::parse(&["colour=red", "team=sales", "colour=blue"]).unwrap();
    assert_eq!(snapshot.unknown_filter_keys(&scope(&[]), &filter), ["colour"]);
    assert_eq!(snapshot.allowed_count(&scope(&[]), &filter), 0);
    let nowhere = Scope::new(TenantId::new("tenant-9").unwrap(), []);
    assert_eq!(snapshot.unknown_filter_keys(&nowhere, &filter), ["colour", "team"]);
}

#[test]
fn a_chunks_document_is_told_only_inside_the_scope() {
    let (_folder, index, model) = filled();
    let snapshot = index.snapshot();
    let scope = scope(&["group-0"]);
    let mut hidden = 0;
    for document in model.documents.values() {
        let permitted = scope.permits(&document.tenant, &document.access);
        for (chunk, _, _) in &document.chunks {
            let found = snapshot.document_of(&scope, *chunk);
            assert_eq!(found.map(|entry| &entry.id), permitted.then_some(&document.id));
            hidden += usize::from(!permitted && document.access != AccessControl::Tenant);
        }
    }
    assert!(hidden > 0);
}
