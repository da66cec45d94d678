//! One planted fault at a time: the diagnosis must name its stage.

use adit_core::{
    AccessControl, AdministratorScope, DocumentState, Filter, PipelineStage, Principal, TenantId, TextRange,
};
use adit_quality::{Diagnosis, DiagnosisRequest, Stage, diagnose};
use adit_retrieve::{Mode, SearchRequest};

use crate::setting::{Setting, everybody};

const QUESTION: &str = "how long may the kiln be fired";
const QUOTE: &str = "The kiln may be fired for 14 hours at most.";

/// What differs from an ordinary question.
#[derive(Default)]
struct Asked<'a> {
    question: Option<&'a str>,
    expected: Option<&'a str>,
    source: Option<&'a str>,
    answer: Option<&'a str>,
    mode: Mode,
    filter: Filter,
    limit: Option<usize>,
    budget_tokens: Option<usize>,
    depth: Option<usize>,
}

fn ask(setting: &Setting, asked: &Asked<'_>) -> Diagnosis {
    let scope = everybody();
    let mut search = SearchRequest::new(asked.question.unwrap_or(QUESTION), &scope, &asked.filter);
    search.mode = asked.mode;
    search.limit = asked.limit.unwrap_or(search.limit);
    search.budget_tokens = asked.budget_tokens.unwrap_or(search.budget_tokens);
    search.depth = asked.depth.unwrap_or(search.depth);
    let files = setting.files();
    let request = DiagnosisRequest {
        search,
        expected: asked.expected.unwrap_or(QUOTE),
        source: asked.source,
        base_folder: Some(&files),
        answer: asked.answer,
    };
    diagnose(&setting.retriever, &AdministratorScope::assume("test"), &request).unwrap()
}

#[track_caller]
fn assert_stage(diagnosis: &Diagnosis, stage: Stage, words: &str) {
    let told = serde_json::to_string_pretty(diagnosis).unwrap();
    assert_eq!(diagnosis.stage, stage, "{told}");
    assert!(told.contains(words), "must say `{words}`: {told}");
    assert!(!diagnosis.remedy.is_empty() && !diagnosis.findings.is_empty(), "{told}");
}

#[test]
fn nothing_is_blamed_when_the_words_are_shown() {
    let setting = Setting::new();
    setting.add_others(20);
    setting.add(setting.document("kiln.txt", QUOTE));
    assert_stage(&ask(&setting, &Asked::default()), Stage::None, "passages shown");
    let answered = Asked { answer: Some("At most 14 hours."), ..Asked::default() };
    assert_stage(&ask(&setting, &answered), Stage::None, "agrees");
}

#[test]
fn an_answer_that_ignores_its_context_is_generation() {
    let setting = Setting::new();
    setting.add(setting.document("kiln.txt", QUOTE));
    let answered = Asked { answer: Some("It may be fired for 20 hours."), ..Asked::default() };
    assert_stage(&ask(&setting, &answered), Stage::Generation, "14");
}

#[test]
fn words_that_the_file_has_and_its_text_has_not_are_the_parsers() {
    let setting = Setting::new();
    setting.write_file("kiln.txt", QUOTE);
    let mut version = setting.document("kiln.txt", "The kiln is red.");
    version.size_bytes = QUOTE.len() as u64;
    version.modified_unix_ms = Some(i64::MAX);
    setting.add(version);
    assert_stage(&ask(&setting, &Asked::default()), Stage::Parser, "extracted text does not");
}

#[test]
fn a_document_that_failed_is_the_parsers() {
    let setting = Setting::new();
    setting.add_others(1);
    let mut version = setting.document_cut_at("kiln.pdf", "", &[]);
    version.state = DocumentState::Failed {
        stage: PipelineStage::Parse,
        cause: "the file is encrypted".to_owned(),
        hint: None,
    };
    setting.add(version);
    assert_stage(&ask(&setting, &Asked::default()), Stage::Parser, "encrypted");
}

#[test]
fn a_document_that_was_never_indexed_is_said_to_be_missing() {
    let setting = Setting::new();
    setting.add_others(1);
    let asked = Asked { source: Some("kiln.txt"), ..Asked::default() };
    assert_stage(&ask(&setting, &asked), Stage::Parser, "never indexed");
    assert_stage(&ask(&setting, &Asked::default()), Stage::Parser, "in none");
}

#[test]
fn a_file_that_changed_since_is_the_versions() {
    let setting = Setting::new();
    setting.add(setting.document("kiln.txt", "The kiln may be fired for 12 days."));
    setting.write_file("kiln.txt", &format!("{QUOTE} This is new."));
    assert_stage(&ask(&setting, &Asked::default()), Stage::Version, "older version");
}

#[test]
fn a_snapshot_that_is_behind_is_the_versions() {
    let setting = Setting::new();
    setting.add_others(1);
    setting.commit(setting.document("kiln.txt", QUOTE));
    assert_stage(&ask(&setting, &Asked::default()), Stage::Version, "behind");
}

#[test]
fn words_torn_between_chunks_are_the_chunkers() {
    let setting = Setting::new();
    setting.add_others(20);
    let middle = QUOTE.len() / 2;
    let ranges = [TextRange::new(0, middle), TextRange::new(middle, QUOTE.len())];
    // A limit of one, so that the halves are not shown together.
    setting.add(setting.document_cut_at("kiln.txt", QUOTE, &ranges));
    let asked = Asked { limit: Some(1), ..Asked::default() };
    assert_stage(&ask(&setting, &asked), Stage::Chunker, "longer than a chunk");
    let overlapping =
        format!("{QUOTE} {}", "It cools for two days after that and is opened slowly. ".repeat(3));
    let ranges = [TextRange::new(0, middle), TextRange::new(middle, overlapping.trim_end().len())];
    setting.add(setting.document_cut_at("kiln.txt", &overlapping, &ranges));
    assert_stage(&ask(&setting, &asked), Stage::Chunker, "between two chunks");
}

#[test]
fn words_in_no_chunk_are_the_chunkers() {
    let setting = Setting::new();
    let text = format!("An introduction.\n\n{QUOTE}");
    setting.add(setting.document_cut_at("kiln.txt", &text, &[TextRange::new(0, 16)]));
    assert_stage(&ask(&setting, &Asked::default()), Stage::Chunker, "left this part");
}

#[test]
fn rights_and_tenants_and_filters_are_the_scopes() {
    let setting = Setting::new();
    let mut version = setting.document("kiln.txt", QUOTE);
    version.access = AccessControl::Only(vec![Principal("potters".to_owned())]);
    setting.add(version);
    assert_stage(&ask(&setting, &Asked::default()), Stage::Scope, "potters");

    let setting = Setting::new();
    let mut version = setting.document("kiln.txt", QUOTE);
    version.tenant = TenantId::new("globex").unwrap();
    version.id = adit_core::DocumentId::derive(&version.tenant, "kiln.txt");
    setting.add(version);
    assert_stage(&ask(&setting, &Asked::default()), Stage::Scope, "globex");

    let setting = Setting::new();
    setting.add(setting.document("kiln.txt", QUOTE));
    let asked = Asked { filter: Filter::parse(&["type=pdf"]).unwrap(), ..Asked::default() };
    assert_stage(&ask(&setting, &asked), Stage::Scope, "filter");
}

#[test]
fn no_word_in_common_is_the_lexical_side_when_only_words_are_searched() {
    let setting = Setting::new();
    setting.add_others(5);
    setting.add(setting.document("kiln.txt", QUOTE));
    let asked =
        Asked { question: Some("oven temperature duration"), mode: Mode::Lexical, ..Asked::default() };
    assert_stage(&ask(&setting, &asked), Stage::Lexical, "no word in common");
}

#[test]
fn a_word_inside_another_is_the_analyser() {
    let setting = Setting::new();
    setting.add_others(5);
    let quote = "Brennofenhaube nur mit Handschuhen anfassen.";
    setting.add(setting.document("kiln.txt", quote));
    let asked =
        Asked { question: Some("brennofen"), expected: Some(quote), mode: Mode::Lexical, ..Asked::default() };
    assert_stage(&ask(&setting, &asked), Stage::Lexical, "analyser");
}

#[test]
fn better_matches_by_words_are_the_lexical_side() {
    let setting = Setting::new();
    for number in 0..30 {
        let text = format!("kiln fired long kiln fired long kiln fired long {number}");
        setting.commit(setting.document(&format!("other/{number}.txt"), &text));
    }
    setting.add(setting.document("kiln.txt", &format!("{QUOTE} {}", "Other words follow here. ".repeat(40))));
    let asked = Asked {
        question: Some("kiln fired long"),
        mode: Mode::Lexical,
        limit: Some(3),
        depth: Some(20),
        ..Asked::default()
    };
    assert_stage(&ask(&setting, &asked), Stage::Lexical, "other chunks");
}

#[test]
fn a_vector_of_another_text_is_the_dense_side() {
    let setting = Setting::new();
    setting.add_others(300);
    let mut version = setting.document("kiln.txt", QUOTE);
    version.vectors = vec![adit_testkit::random_unit_vector(&mut seeded(), 64)];
    setting.add(version);
    let asked = Asked { question: Some("harbour oranges"), ..Asked::default() };
    assert_stage(&ask(&setting, &asked), Stage::Dense, "does not belong");
}

fn seeded() -> rand::rngs::StdRng {
    use rand::SeedableRng;
    rand::rngs::StdRng::seed_from_u64(7)
}

#[test]
fn what_only_meaning_connects_is_the_dense_side() {
    let setting = Setting::new();
    setting.add_others(300);
    setting.add(setting.document("kiln.txt", QUOTE));
    let asked = Asked { question: Some("oranges and lemons"), ..Asked::default() };
    assert_stage(&ask(&setting, &asked), Stage::Dense, "meaning");
}

#[test]
fn a_good_rank_lost_in_the_fused_order_is_the_fusions() {
    let setting = Setting::new();
    // Fewer words, so that it is first by words; a vector far away, so that it is nowhere by meaning.
    let mut version = setting.document("kiln.txt", "fired kiln fired kiln");
    let asked_for = setting.document("question", "kiln fired").vectors.remove(0);
    version.vectors = vec![asked_for.iter().map(|value| -value).collect()];
    setting.commit(version);
    setting.add(setting.document("shown.txt", "kiln fired in the long hall of the old town"));
    setting.add_others(200);
    let asked = Asked {
        question: Some("kiln fired"),
        expected: Some("fired kiln fired kiln"),
        limit: Some(1),
        depth: Some(2),
        ..Asked::default()
    };
    assert_stage(&ask(&setting, &asked), Stage::Fusion, "one retriever ranked it 1");
}

#[test]
fn what_does_not_fit_the_budget_is_the_assemblys() {
    let setting = Setting::new();
    for number in 0..3 {
        let text = format!("kiln fired {number} {}", "kiln fired long ".repeat(30));
        setting.commit(setting.document(&format!("long/{number}.txt"), &text));
    }
    let long = format!("{QUOTE} {}", "It is then left alone to cool for days. ".repeat(20));
    setting.add(setting.document("kiln.txt", &long));
    let asked = Asked { budget_tokens: Some(200), ..Asked::default() };
    assert_stage(&ask(&setting, &asked), Stage::Assembly, "budget");
}

#[test]
fn an_index_that_lost_the_text_is_named() {
    let setting = Setting::new();
    setting.add_others(30);
    let mut version = setting.document("kiln.txt", QUOTE);
    // What is indexed for words is not what the chunk shows.
    version.chunks[0].indexed = "entirely different words".to_owned();
    setting.add(version);
    let asked = Asked { mode: Mode::Lexical, limit: Some(3), ..Asked::default() };
    assert_stage(&ask(&setting, &asked), Stage::Lexical, "no word in common");
}
