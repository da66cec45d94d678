use std::ops::ControlFlow;
use std::time::Duration;

use adit_core::{Chunk, LanguageModelError, TextRange};
use adit_cost::PriceTable;
use adit_enrich::{
    DocumentToEnrich, EnrichBudget, EnrichError, EnrichKind, EnrichOutcome, Enricher, EnrichmentKey,
    EnrichmentStore, StopCause, enriched_indexed, estimate,
};
use adit_testkit::ScriptedModel;

fn documents() -> Vec<DocumentToEnrich> {
    let chunks: Vec<String> = ["alpha rises", "beta falls", "gamma rests"].map(str::to_owned).to_vec();
    vec![DocumentToEnrich { text: chunks.join("\n"), chunks }]
}

fn model() -> ScriptedModel {
    ScriptedModel::new()
        .answer("<part>\nalpha", "  About alpha. ")
        .answer("<part>\nbeta", "About beta.")
        .answer("<part>\ngamma", "About gamma.")
}

fn store(folder: &tempfile::TempDir) -> EnrichmentStore {
    EnrichmentStore::create_or_open(&folder.path().join("enrichment.db")).unwrap()
}

fn run(model: &ScriptedModel, store: &EnrichmentStore, budget: EnrichBudget) -> EnrichOutcome {
    let enricher = Enricher::new(model, store, EnrichKind::Context, budget);
    enricher.run(&documents(), &mut |_| ControlFlow::Continue(())).unwrap()
}

#[test]
fn a_second_run_pays_for_nothing() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let first = run(&model, &store(&folder), EnrichBudget::default());
    assert_eq!((first.written, first.left, &first.stopped), (3, 0, &None));
    let again = run(&model, &store(&folder), EnrichBudget::default());
    assert_eq!((again.kept, again.written, again.usage.read_tokens()), (3, 0, 0));
    assert_eq!(model.requests().len(), 3);
    let key = EnrichmentKey::of(&documents()[0].text, "alpha rises", EnrichKind::Context, "scripted");
    let kept = store(&folder).get(&key).unwrap().unwrap();
    assert_eq!(kept.text.as_deref(), Some("About alpha."));
    assert!(kept.usage.output_tokens > 0);
    let requests = model.requests();
    assert!(requests.iter().all(|request| request.messages[0].cache_here));
    assert!(requests.iter().all(|request| request.messages[0] == requests[0].messages[0]));
}

#[test]
fn a_failing_model_costs_only_the_call_that_failed() {
    let detail = || "x".to_owned();
    let stopping = [
        LanguageModelError::RateLimited { detail: detail(), retry_after: Some(Duration::from_secs(1)) },
        LanguageModelError::Unreachable { detail: detail() },
        LanguageModelError::Interrupted { detail: detail(), may_be_billed: true },
    ];
    for error in stopping {
        let (folder, model) = (tempfile::tempdir().unwrap(), model());
        model.fail_next(error.clone());
        let outcome = run(&model, &store(&folder), EnrichBudget::default());
        assert_eq!((outcome.left, outcome.stopped), (3, Some(StopCause::Model(error))));
        assert_eq!(run(&model, &store(&folder), EnrichBudget::default()).written, 3);
    }
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    model.fail_next(LanguageModelError::UnreadableAnswer { detail: detail() });
    let outcome = run(&model, &store(&folder), EnrichBudget::default());
    assert_eq!((outcome.failed, outcome.written, outcome.stopped), (1, 2, None));
    assert!(outcome.unconfirmed_usage.output_tokens > 0);
    let resumed = run(&model, &store(&folder), EnrichBudget::default());
    assert_eq!((resumed.kept, resumed.written), (2, 1));
}

#[test]
fn a_document_that_is_too_long_is_passed_over_whole() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    model.fail_next(LanguageModelError::TooLong { detail: "413".to_owned() });
    let outcome = run(&model, &store(&folder), EnrichBudget::default());
    assert_eq!((outcome.failed, outcome.left, model.requests().len()), (3, 0, 1));
}

#[test]
fn a_refused_answer_is_paid_once_and_never_used() {
    let folder = tempfile::tempdir().unwrap();
    let model = ScriptedModel::new()
        .answer("<part>\nalpha", " \n")
        .answer("<part>\nbeta", "<part> beta falls")
        .answer("<part>\ngamma", &"long ".repeat(1000));
    let outcome = run(&model, &store(&folder), EnrichBudget::default());
    assert_eq!((outcome.refused, outcome.written), (3, 0));
    assert_eq!(run(&model, &store(&folder), EnrichBudget::default()).kept, 3);
    assert_eq!(model.requests().len(), 3);
}

#[test]
fn a_budget_stops_before_the_call_that_might_break_it() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let budget = EnrichBudget { max_tokens: Some(400), max_usd: None };
    let outcome = run(&model, &store(&folder), budget);
    assert_eq!(outcome.stopped, Some(StopCause::Budget));
    assert!(outcome.written >= 1 && outcome.left >= 1, "{outcome:?}");
    assert!(outcome.usage.read_tokens() + outcome.usage.output_tokens <= 400);
    let price = PriceTable::built_in().unwrap().price("claude-haiku-4-5").unwrap().clone();
    let whole = estimate(&documents(), EnrichKind::Context, &price).unwrap();
    assert_eq!(whole.calls, 3);
    assert!(whole.cost_usd > 0.0);
    let nothing = EnrichBudget { max_tokens: None, max_usd: Some((0.0, price)) };
    assert_eq!(run(&model, &store(&folder), nothing).written, 0);
}

#[test]
fn a_cancelled_run_keeps_what_it_has() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let store = store(&folder);
    let enricher = Enricher::new(&model, &store, EnrichKind::Context, EnrichBudget::default());
    let outcome = enricher.run(&documents(), &mut |_| ControlFlow::Break(())).unwrap();
    assert_eq!((outcome.written, outcome.left, outcome.stopped), (1, 2, Some(StopCause::Cancelled)));
    assert_eq!(store.count().unwrap(), 1);
}

#[test]
fn another_programs_file_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("enrichment.db");
    std::fs::write(&path, "").unwrap();
    drop(EnrichmentStore::create_or_open(&path).unwrap());
    make_foreign_database(&folder);
    let foreign = EnrichmentStore::create_or_open(&folder.path().join("foreign.db"));
    assert!(matches!(foreign, Err(EnrichError::NotEnrichments { .. })), "{foreign:?}");
}

fn make_foreign_database(folder: &tempfile::TempDir) {
    let connection = rusqlite::Connection::open(folder.path().join("foreign.db")).unwrap();
    connection.execute_batch("CREATE TABLE theirs (a)").unwrap();
}

#[test]
fn an_enrichment_stands_before_the_indexed_words_only() {
    let chunk = Chunk {
        index: 0,
        range: TextRange { start: 0, end: 3 },
        char_start: 0,
        char_end: 3,
        heading_path: Vec::new(),
        page_start: None,
        page_end: None,
        display: "own".to_owned(),
        repeated_header: None,
        indexed: "Head\nown".to_owned(),
        token_count: 4,
    };
    assert_eq!(enriched_indexed(&chunk, " About it. "), "About it.\n\nHead\nown");
    assert_eq!(enriched_indexed(&chunk, " "), "Head\nown");
}

#[test]
fn three_unreadable_answers_in_a_row_end_the_run() {
    let (folder, model) = (tempfile::tempdir().unwrap(), model());
    let error = LanguageModelError::UnreadableAnswer { detail: "x".to_owned() };
    for _ in 0..3 {
        model.fail_next(error.clone());
    }
    let outcome = run(&model, &store(&folder), EnrichBudget::default());
    assert_eq!((outcome.failed, outcome.left, outcome.stopped), (2, 1, Some(StopCause::Model(error))));
    assert_eq!(store(&folder).count().unwrap(), 0);
}
