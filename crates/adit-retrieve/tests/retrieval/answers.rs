use adit_core::{CandidateOutcome, Classified, Embedder, ErrorClass, Filter};
use adit_retrieve::{
    Fusion, Mode, PassageOrder, RetrieveError, SearchRequest, Understanding, render_passages,
};
use adit_testkit::FakeEmbedder;

use crate::setting::{Setting, everybody};

fn filled() -> Setting {
    let setting = Setting::new(64);
    setting.add(
        "refunds.md",
        "Refunds",
        "A customer may ask for a refund within thirty days.\n\nRule R-17 names the exceptions.",
    );
    setting.add(
        "travel.md",
        "Travel",
        "Trains are booked in second class.\n\nHotels cost at most 120 euros.",
    );
    setting.add("errors.md", "Errors", "ERR_4021 means that the bank declined the card.");
    setting
}

#[test]
fn first_in_both_lists_is_above_the_average_and_the_trace_tells_every_stage() {
    let setting = filled();
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("refund within thirty days", &scope, &filter);
    let by_rank =
        setting.retriever.search(&SearchRequest { fusion: Fusion::ReciprocalRank, ..request }).unwrap();
    assert_eq!(by_rank.passages[0].scores.score, 1.0);
    let response = setting.retriever.search(&request).unwrap();
    let best = &response.passages[0];
    assert_eq!(best.source.as_str(), "refunds.md");
    assert!(best.scores.score > 0.5 && best.scores.score < 1.0, "{}", best.scores.score);
    assert!(response.passages.last().unwrap().scores.score < 0.5);
    assert_eq!((best.scores.lexical.unwrap().0, best.scores.dense.unwrap().0), (1, 1));
    let stages: Vec<&str> = response.trace.stages.iter().map(|stage| stage.stage.as_str()).collect();
    assert_eq!(stages, ["understand", "embed_query", "lexical", "dense", "fuse", "read_texts", "assemble"]);
    assert!(response.notices.is_empty(), "{:?}", response.notices);
    assert!(response.trace.candidates.iter().any(|one| one.outcome == CandidateOutcome::Returned));
}

#[test]
fn modes_ask_only_their_own_retriever() {
    let setting = filled();
    let (scope, filter) = (everybody(), Filter::default());
    for (mode, lexical, dense) in [(Mode::Lexical, true, false), (Mode::Dense, false, true)] {
        let request = SearchRequest { mode, ..SearchRequest::new("ERR_4021", &scope, &filter) };
        let response = setting.retriever.search(&request).unwrap();
        let best = &response.passages[0].scores;
        assert_eq!((best.lexical.is_some(), best.dense.is_some()), (lexical, dense));
        let others = response.passages.iter().skip(1);
        assert!(best.score >= 0.5 && others.clone().all(|other| other.scores.score <= best.score));
    }
}

#[test]
fn without_a_model_hybrid_falls_back_with_a_notice_and_dense_is_an_error() {
    let setting = filled();
    let retriever = setting.without_embedder();
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("refund", &scope, &filter);
    let response = retriever.search(&request).unwrap();
    assert_eq!(response.passages[0].source, "refunds.md");
    assert!(response.notices[0].contains("searched by words only"));
    let error = retriever.search(&SearchRequest { mode: Mode::Dense, ..request }).unwrap_err();
    assert!(matches!(error, RetrieveError::NoEmbedder) && error.hint().is_some());
}

#[test]
fn a_question_beyond_the_window_is_embedded_in_parts_or_searched_by_words_or_refused() {
    let setting = filled();
    let (scope, filter) = (everybody(), Filter::default());
    let long = "refund ".repeat(300);
    let request = SearchRequest::new(&long, &scope, &filter);
    let response = setting.retriever.search(&request).unwrap();
    assert!(response.trace.stages.iter().any(|stage| stage.stage == "embed_parts" && stage.items_out == 2));
    assert!(response.passages[0].scores.dense.is_some() && response.notices.is_empty());
    let request = SearchRequest { understanding: Understanding::OFF, ..request };
    let response = setting.retriever.search(&request).unwrap();
    assert!(
        response.notices[0].contains("302 tokens") && response.notices[0].contains("256"),
        "{:?}",
        response.notices
    );
    let error = setting.retriever.search(&SearchRequest { mode: Mode::Dense, ..request }).unwrap_err();
    assert_eq!(error.class(), ErrorClass::User);
}

#[test]
fn unknown_filter_keys_and_weak_evidence_are_told() {
    let setting = filled();
    let scope = everybody();
    let filter = Filter::parse(&["typ=markdown"]).unwrap();
    let response = setting.retriever.search(&SearchRequest::new("refund", &scope, &filter)).unwrap();
    assert!(response.passages.is_empty() && response.notices[0].contains("did you mean `type`?"));
    assert!(render_passages(&response).starts_with("No matching documents."));
    let filter = Filter::default();
    let response =
        setting.retriever.search(&SearchRequest::new("penguin zoology lecture", &scope, &filter)).unwrap();
    assert_eq!(response.evidence.missing_terms, ["penguin", "zoology", "lecture"]);
    assert!(response.notices[0].starts_with("weak evidence") && !response.passages.is_empty());
    let response = setting
        .retriever
        .search(&SearchRequest::new("the customers asked for refunds", &scope, &filter))
        .unwrap();
    assert!(response.evidence.missing_terms.is_empty(), "inflected words count: {:?}", response.evidence);
}

#[test]
fn the_rendered_text_never_exceeds_the_budget() {
    let setting = Setting::new(64);
    for number in 0..12 {
        let words = format!("refund policy {number} ") + &"word ".repeat(20 + 40 * number);
        setting.commit(&format!("policy-{number}.md"), "Policies", words.trim());
    }
    setting.index.catch_up().unwrap();
    let embedder = FakeEmbedder::new(64);
    let (scope, filter) = (everybody(), Filter::default());
    let (mut cut, mut omitted) = (0, 0);
    for budget_tokens in [200, 230, 300, 400, 700, 1_500, 6_000] {
        for limit in [1, 3, 12] {
            let request = SearchRequest {
                budget_tokens,
                limit,
                ..SearchRequest::new("refund policy word", &scope, &filter)
            };
            let response = setting.retriever.search(&request).unwrap();
            let text = render_passages(&response);
            let tokens =
                embedder.tokenizer().count_tokens(&text).unwrap() - embedder.tokenizer().special_tokens();
            assert!(tokens <= budget_tokens, "{tokens} of {budget_tokens} with limit {limit}");
            assert_eq!(response.passages.len() + response.omitted, limit);
            assert_eq!(text.contains("omitted for length]"), response.omitted > 0);
            cut += text.matches("[passage cut: ").count();
            omitted += response.omitted;
        }
    }
    assert!(cut > 0 && omitted > 0, "{cut} {omitted}");
    let request = SearchRequest { budget_tokens: 10, ..SearchRequest::new("x", &scope, &filter) };
    assert!(matches!(setting.retriever.search(&request), Err(RetrieveError::BudgetTooSmall { .. })));
}

#[test]
fn bookend_puts_the_second_best_last() {
    let setting = filled();
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("refund exceptions card", &scope, &filter);
    let ranked = setting.retriever.search(&request).unwrap();
    let bookend =
        setting.retriever.search(&SearchRequest { order: PassageOrder::Bookend, ..request }).unwrap();
    let ranks: Vec<usize> = bookend.passages.iter().map(|passage| passage.scores.rank).collect();
    assert_eq!(ranks, [1, 3, 5, 4, 2]);
    assert_eq!(ranked.passages.len(), 5);
}
