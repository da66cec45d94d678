use std::collections::HashMap;

use adit_core::{AccessControl, Classified, DocumentId, ErrorClass, Filter, PassageId, Scope};
use adit_retrieve::{ExplainTarget, Mode, ReadFrom, RetrieveError, SearchRequest};
use adit_testkit::{CorpusSettings, TestDocument, corpus, random_scope};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::setting::Setting;

const DIMENSION: usize = 16;

struct World {
    setting: Setting,
    documents: Vec<TestDocument>,
    by_id: HashMap<DocumentId, TestDocument>,
}

impl World {
    fn new() -> Self {
        let settings = CorpusSettings {
            documents: 80,
            dimension: DIMENSION,
            tenants: 3,
            seed: 7,
            ..CorpusSettings::default()
        };
        let documents = corpus(&settings);
        let setting = Setting::new(DIMENSION);
        setting.add_all(&documents);
        let by_id = documents.iter().map(|document| (document.id.clone(), document.clone())).collect();
        Self { setting, documents, by_id }
    }

    fn may_read(&self, scope: &Scope, document: &DocumentId) -> bool {
        self.by_id.get(document).is_some_and(|one| scope.permits(&one.tenant, &one.access))
    }
}

#[test]
fn five_hundred_random_queries_return_nothing_outside_their_scope() {
    let world = World::new();
    let mut random = StdRng::seed_from_u64(11);
    let filters =
        [Filter::default(), Filter::parse(&["year>=2020"]).unwrap(), Filter::parse(&["team=legal"]).unwrap()];
    let (mut returned, mut restricted, mut hidden) = (0, 0, 0);
    for round in 0..500 {
        let scope = random_scope(&mut random, 3, 4);
        let target = &world.documents[random.random_range(0..world.documents.len())];
        let words: Vec<&str> = target.text.split_whitespace().collect();
        let first = random.random_range(0..words.len());
        let query = words[first..words.len().min(first + 5)].join(" ");
        let filter = &filters[round % filters.len()];
        let mode = [Mode::Hybrid, Mode::Dense, Mode::Lexical][random.random_range(0..3)];
        let request = SearchRequest { mode, limit: 50, ..SearchRequest::new(&query, &scope, filter) };

        let response = world.setting.retriever.search(&request).unwrap();
        for passage in &response.passages {
            let document = &world.by_id[&passage.id.document];
            assert!(scope.permits(&document.tenant, &document.access), "search left the scope: {query}");
            assert!(filter.accepts(&document.metadata), "search left the filter: {query}");
            returned += 1;
            restricted += usize::from(document.access != AccessControl::Tenant);
        }
        for ranked in world.setting.retriever.rank(&request).unwrap().chunks {
            assert!(world.may_read(&scope, &ranked.document), "rank left the scope");
        }
        let may = world.may_read(&scope, &target.id);
        hidden += usize::from(!may);
        check_explain(&world, &request, target, may, round);
        check_grep_and_read(&world, &scope, target, words[first], may);
    }
    // Otherwise the test would prove nothing.
    assert!(returned > 1_000 && restricted > 100 && hidden > 100, "{returned} {restricted} {hidden}");
}

fn check_explain(world: &World, request: &SearchRequest<'_>, target: &TestDocument, may: bool, round: usize) {
    let retriever = &world.setting.retriever;
    let passage = PassageId { document: target.id.clone(), chunk_index: 0 };
    let quote: String = target.chunks[0].display.chars().take(30).collect();
    let targets = [
        ExplainTarget::Passage(passage),
        ExplainTarget::Document(target.id.clone()),
        ExplainTarget::Text(target.source.clone()),
        ExplainTarget::Text(quote),
    ];
    let explained = &targets[round % targets.len()];
    let explanation = retriever.explain(request, explained).unwrap();
    for chunk in &explanation.chunks {
        assert!(
            world.may_read(request.scope, &chunk.passage.document),
            "explain left the scope: {explained}"
        );
    }
    if !matches!(explained, ExplainTarget::Text(_)) {
        assert_eq!(explanation.chunks.is_empty(), !may, "{explained}");
    }
    let unknown = ExplainTarget::Document(DocumentId::from_stored("000000000000"));
    let hidden = ExplainTarget::Document(target.id.clone());
    if !may && round.is_multiple_of(10) {
        let said = |target: &ExplainTarget| {
            let explanation = retriever.explain(request, target).unwrap();
            explanation.notices.join("\n").replace(&target.to_string(), "TARGET")
        };
        assert_eq!(said(&unknown), said(&hidden), "a hidden document must look like one that does not exist");
    }
}

fn check_grep_and_read(world: &World, scope: &Scope, target: &TestDocument, word: &str, may: bool) {
    let retriever = &world.setting.retriever;
    for hit in retriever.grep(word, true, scope, 1_000).unwrap().hits {
        assert!(world.may_read(scope, &hit.document), "grep left the scope");
    }
    match retriever.read_document(&target.id, scope, ReadFrom::default(), 4_000) {
        Ok(excerpt) => assert!(may && target.text.starts_with(&excerpt.text)),
        Err(error) => {
            assert!(!may && matches!(error, RetrieveError::UnknownDocument { .. }), "{error}");
            assert_eq!(error.class(), ErrorClass::User);
        }
    }
}

#[test]
fn withdrawn_rights_hold_before_the_index_has_caught_up() {
    let world = World::new();
    let document = world.documents.iter().find(|one| one.access == AccessControl::Tenant).unwrap();
    let scope = Scope::new(document.tenant.clone(), []);
    let filter = Filter::default();
    let request = SearchRequest {
        limit: 200,
        budget_tokens: 100_000,
        depth: 1_000,
        ..SearchRequest::new(&document.text, &scope, &filter)
    };
    let request = SearchRequest { mode: Mode::Lexical, ..request };
    let finds = || {
        let response = world.setting.retriever.search(&request).unwrap();
        response.passages.iter().any(|passage| passage.id.document == document.id)
    };
    assert!(finds());
    let access = AccessControl::Only(Vec::new());
    world.setting.catalog.update_access(&document.id, access, document.metadata.clone()).unwrap();
    assert!(!finds());
    world.setting.index.catch_up().unwrap();
    assert!(!finds());
}
