//! Token vectors as a third voice: what they change, and what happens where they are missing.

use adit_catalog::TokenCodeRow;
use adit_core::{ChunkId, Filter, StageTrace, TokenEmbedder};
use adit_retrieve::{ExplainTarget, Fusion, LateInteractionDefault, Mode, SearchRequest, SearchResponse};
use adit_testkit::FakeEmbedder;
use adit_token_vector::{CodeBits, TokenCodeMake, encode};

use crate::setting::{Setting, everybody};

const DIMENSION: usize = 64;

fn make() -> TokenCodeMake {
    TokenCodeMake { embedder: "fake".to_owned(), bits: CodeBits::One, pooling: 1, mean: vec![0.0; DIMENSION] }
}

/// Codes of the chunks for which `wanted` says yes.
fn fill(setting: &Setting, wanted: impl Fn(usize) -> bool) {
    let embedder = FakeEmbedder::with_window(DIMENSION, 10_000).giving_token_vectors();
    let make = make();
    setting.catalog.start_token_codes(&make.to_stored().unwrap()).unwrap();
    let chunks = setting.catalog.view().unwrap().chunks_without_token_codes(ChunkId(0), 1_000).unwrap();
    let rows: Vec<TokenCodeRow> = chunks
        .iter()
        .enumerate()
        .filter(|(at, _)| wanted(*at))
        .map(|(_, (chunk, text))| {
            let embedded = embedder.embed_documents_with_tokens(&[text.as_str()]).unwrap().pop().unwrap();
            TokenCodeRow { chunk: *chunk, codes: encode(&make, &embedded.token_vectors).unwrap() }
        })
        .collect();
    setting.catalog.store_token_codes(&rows).unwrap();
    setting.add("late.md", "Other", "published so that a snapshot has the codes");
}

fn library() -> Setting {
    let setting = Setting::with_tokens(DIMENSION);
    setting.commit("a.md", "A", "refund policy refund policy refund policy and days");
    setting.commit("b.md", "B", "the refund of a ticket after thirty days by post");
    setting.commit("c.md", "C", "a policy for travel with nothing else in it");
    setting.add("d.md", "D", "zebra giraffe elephant");
    setting
}

fn late_stage(stages: &[StageTrace]) -> Option<&StageTrace> {
    stages.iter().find(|stage| stage.stage == "late_interaction")
}

fn search(setting: &Setting, request: &SearchRequest<'_>) -> SearchResponse {
    setting.retriever.search(request).unwrap()
}

#[test]
fn candidates_get_their_max_sim_and_the_trace_tells_it() {
    let setting = library();
    fill(&setting, |_| true);
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("refund thirty days", &scope, &filter);
    let found = search(&setting, &request);
    let stage = late_stage(&found.trace.stages).unwrap();
    assert!(stage.detail.starts_with("MaxSim of 3 query tokens, weight 0.5"), "{}", stage.detail);
    let best = &found.passages[0];
    assert_eq!(best.source, "b.md");
    // Every query word stands in the passage with the very direction it has in the question, so each token's
    // best row is its own: the sum of its absolute values over the square root of the dimension.
    let embedder = FakeEmbedder::new(DIMENSION).giving_token_vectors();
    let question = embedder.embed_query_with_tokens(request.query).unwrap().token_vectors;
    let expected: f32 = question.iter().map(|value| value.abs()).sum::<f32>() / (DIMENSION as f32).sqrt();
    let (rank, score) = best.scores.late_interaction.unwrap();
    assert_eq!(rank, 1);
    assert!((score - expected).abs() < 0.02 * expected, "{score} {expected}");
    let candidate = found.trace.candidates.iter().find(|one| one.passage.as_ref() == Some(&best.id)).unwrap();
    assert_eq!(candidate.late_interaction.map(|rank| rank.rank), Some(1));
    let explained = setting.retriever.explain(&request, &ExplainTarget::Text("b.md".to_owned())).unwrap();
    assert_eq!(explained.chunks[0].late_interaction.map(|rank| rank.rank), Some(1));
    assert!(adit_retrieve::render_explanation(&explained).contains("late interaction: rank 1"));
}

#[test]
fn weight_0_other_modes_and_a_catalog_without_codes_are_searched_as_before() {
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("refund thirty days", &scope, &filter);
    let setting = library();
    let before = setting.retriever.rank(&request).unwrap();
    assert!(late_stage(&before.stages).is_none());
    fill(&setting, |_| true);
    let off = SearchRequest { late_interaction_weight: Some(0.0), ..request };
    let plain = setting.retriever.rank(&off).unwrap();
    assert!(late_stage(&plain.stages).is_none());
    for mode in [Mode::Dense, Mode::Lexical] {
        let ranked = setting.retriever.rank(&SearchRequest { mode, ..request }).unwrap();
        assert!(late_stage(&ranked.stages).is_none());
    }
    let silent = setting.retriever.clone().with_late_interaction(LateInteractionDefault { weight: 0.0 });
    assert_eq!(silent.rank(&request).unwrap().chunks, plain.chunks);
    let asked = SearchRequest { late_interaction_weight: Some(2.0), ..request };
    assert!(late_stage(&silent.rank(&asked).unwrap().stages).is_some());
}

#[test]
fn candidates_without_codes_count_as_the_average_and_are_counted() {
    let setting = library();
    fill(&setting, |at| at % 2 == 0);
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("refund thirty days", &scope, &filter);
    let found = search(&setting, &request);
    let stage = late_stage(&found.trace.stages).unwrap();
    assert!(stage.items_out < stage.items_in);
    let without = stage.items_in - stage.items_out;
    assert!(
        stage.detail.contains(&format!("; {without} candidates have no token codes")),
        "{}",
        stage.detail
    );
    let candidates = found.trace.candidates.iter();
    assert_eq!(candidates.filter(|one| one.late_interaction.is_none()).count(), without);
}

#[test]
fn by_rank_it_is_a_third_list() {
    let setting = library();
    fill(&setting, |_| true);
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest {
        fusion: Fusion::ReciprocalRank,
        late_interaction_weight: Some(1.0),
        ..SearchRequest::new("refund thirty days", &scope, &filter)
    };
    let found = search(&setting, &request);
    assert!(late_stage(&found.trace.stages).is_some());
    for one in &found.trace.candidates {
        let ranks = [one.lexical, one.dense, one.late_interaction];
        let shares = ranks.into_iter().flatten().map(|rank| 1.0 / (60.0 + rank.rank as f32));
        // The largest there is: first in all three lists.
        let expected = shares.sum::<f32>() / (3.0 / 61.0);
        assert!((one.fused.unwrap().score - expected).abs() < 1e-5);
    }
}

#[test]
fn a_question_that_is_nothing_but_codes_is_left_to_words_unless_a_call_says_otherwise() {
    let setting = library();
    fill(&setting, |_| true);
    let (scope, filter) = (everybody(), Filter::default());
    let weighed = |question: &str, weight: Option<f32>| {
        let request = SearchRequest {
            late_interaction_weight: weight,
            ..SearchRequest::new(question, &scope, &filter)
        };
        late_stage(&search(&setting, &request).trace.stages).is_some()
    };
    assert!(!weighed("LK-WV-007", None) && !weighed("ERR_4021, R-17", None));
    assert!(weighed("refund LK-WV-007", None) && weighed("LK-WV-007", Some(1.0)));
}
