use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use adit_core::{
    Calibration, CalibrationCurve, CandidateOutcome, Filter, RerankError, Reranker, RerankerDescription,
    ScoreSource,
};
use adit_retrieve::{
    ExplainTarget, Mode, RerankSettings, RetrieveError, Retriever, SearchRequest, render_explanation,
};

use crate::setting::{Setting, everybody};

type Rule = Box<dyn Fn(&str) -> Result<f32, RerankError> + Send + Sync>;

/// Scores every passage by a rule of the test's.
struct RuleReranker {
    description: RerankerDescription,
    rule: Rule,
}

impl RuleReranker {
    fn boxed(rule: impl Fn(&str) -> Result<f32, RerankError> + Send + Sync + 'static) -> Arc<dyn Reranker> {
        Arc::new(Self { description: description("rules"), rule: Box::new(rule) })
    }
}

impl Reranker for RuleReranker {
    fn description(&self) -> &RerankerDescription {
        &self.description
    }

    fn score(&self, _query: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        passages.iter().map(|passage| (self.rule)(passage)).collect()
    }
}

fn description(model: &str) -> RerankerDescription {
    RerankerDescription {
        model: model.to_owned(),
        revision: "1".to_owned(),
        precision: "f32".to_owned(),
        max_input_tokens: None,
    }
}

/// Twenty notes on the same words; the number of a note is what the rules score by.
fn notes() -> Setting {
    let setting = Setting::new(64);
    for number in 0..20 {
        setting.commit(&format!("note-{number:02}.md"), "Notes", &format!("kiln fired number {number:02}"));
    }
    setting.index.catch_up().unwrap();
    setting
}

fn number_of(passage: &str) -> f32 {
    passage.rsplit(' ').next().unwrap().parse().unwrap()
}

fn by_number() -> Arc<dyn Reranker> {
    RuleReranker::boxed(|passage| Ok(number_of(passage)))
}

fn calibration(source: ScoreSource) -> Calibration {
    Calibration {
        source,
        curve: CalibrationCurve::Isotonic { scores: vec![0.0, 20.0], probabilities: vec![0.0, 1.0] },
        fitted_on: "a test".to_owned(),
        pairs: 100,
        relevant: 20,
        created: String::new(),
    }
}

fn shown(retriever: &Retriever, limit: usize) -> Vec<f32> {
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest { limit, ..SearchRequest::new("kiln fired", &scope, &filter) };
    retriever.search(&request).unwrap().passages.iter().map(|passage| number_of(&passage.text)).collect()
}

#[test]
fn the_best_are_reordered_and_the_rest_stays_behind_in_fused_order() {
    let setting = notes();
    let settings = RerankSettings { top_n: 5, ..RerankSettings::default() };
    let plain = shown(&setting.retriever, 20);
    let retriever =
        setting.retriever.clone().with_reranker(by_number()).with_rerank_settings(settings).unwrap();
    let mut expected = plain.clone();
    expected[..5].sort_by(|left, right| right.total_cmp(left));
    assert_ne!(expected, plain);
    assert_eq!(shown(&retriever, 20), expected);

    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("kiln fired", &scope, &filter);
    let response = retriever.search(&request).unwrap();
    let first = &response.passages[0].scores;
    assert_eq!((first.rank, first.reranker), (1, Some((1, expected[0]))));
    assert!(response.passages[6].scores.reranker.is_none() && first.relevance.is_none());
    let candidates = &response.trace.candidates;
    assert_eq!(candidates.iter().filter(|candidate| candidate.reranked.is_some()).count(), 5);
    let stage = response.trace.stages.iter().find(|stage| stage.stage == "rerank").unwrap();
    assert_eq!((stage.items_in, stage.items_out), (20, 5));
    assert!(stage.detail.contains("rules@1"), "{}", stage.detail);

    // An evaluation sorts by this score, so it must fall with the order.
    let ranking = retriever.rank(&request).unwrap();
    assert!(ranking.chunks.is_sorted_by(|left, right| left.score > right.score));
    let order: Vec<_> = ranking.chunks.iter().map(|chunk| chunk.chunk).collect();
    assert_eq!(order, candidates.iter().map(|candidate| candidate.chunk).collect::<Vec<_>>());
}

#[test]
fn a_reranker_that_fails_or_is_late_leaves_the_fused_order_and_says_so() {
    let setting = notes();
    let plain = shown(&setting.retriever, 20);
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest { limit: 20, ..SearchRequest::new("kiln fired", &scope, &filter) };
    let check = |retriever: &Retriever, word: &str| {
        let response = retriever.search(&request).unwrap();
        assert!(response.notices.iter().any(|notice| notice.contains(word)), "{:?}", response.notices);
        assert!(response.trace.stages.iter().all(|stage| stage.stage != "rerank"));
        let order: Vec<f32> = response.passages.iter().map(|passage| number_of(&passage.text)).collect();
        assert_eq!(order, plain, "{word}");
    };
    let unreachable = RerankError::Unreachable { detail: "no route".to_owned(), retryable: true };
    let failing = RuleReranker::boxed(move |_| Err(unreachable.clone()));
    check(&setting.retriever.clone().with_reranker(failing), "no route");
    check(&setting.retriever.clone().with_reranker(RuleReranker::boxed(|_| Ok(f32::NAN))), "finite");

    // Hangs until the test lets it go.
    let is_over = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&is_over);
    let hanging = RuleReranker::boxed(move |_| {
        while !waits.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(0.0)
    });
    let settings = RerankSettings { deadline: Duration::from_millis(5), ..RerankSettings::default() };
    let late = setting.retriever.clone().with_reranker(hanging).with_rerank_settings(settings).unwrap();
    for _ in 0..4 {
        check(&late, "within 5 ms");
    }
    // Not one more thread while four still hang.
    check(&late, "still works on 4 earlier questions");
    is_over.store(true, Ordering::Release);
}

#[test]
fn a_cut_off_leaves_out_what_is_probably_not_relevant() {
    let setting = notes();
    let source = ScoreSource::Reranker(description("rules"));
    let retriever = setting.retriever.clone().with_reranker(by_number());
    let retriever = retriever.with_calibration(calibration(source)).unwrap();
    let settings = RerankSettings { cut_off: Some(0.75), ..RerankSettings::default() };
    let retriever = retriever.with_rerank_settings(settings).unwrap();
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("kiln fired", &scope, &filter);
    let response = retriever.search(&request).unwrap();
    let shown: Vec<f32> = response.passages.iter().map(|passage| number_of(&passage.text)).collect();
    assert_eq!(shown, [19.0, 18.0, 17.0, 16.0, 15.0]);
    assert_eq!(response.passages[0].scores.relevance, Some(0.95));
    let cut = |outcome| response.trace.candidates.iter().filter(|one| one.outcome == outcome).count();
    assert_eq!(cut(CandidateOutcome::BelowCutoff), 15);
    assert!(response.notices.iter().any(|notice| notice.contains("cut-off of 0.75")));
    let stage = response.trace.stages.iter().find(|stage| stage.stage == "calibrate").unwrap();
    assert!(stage.detail.contains(&retriever.rerank_configuration().unwrap().calibration.unwrap()));

    // What was not scored has no probability to be kept by.
    let few = RerankSettings { top_n: 3, cut_off: Some(0.01), ..RerankSettings::default() };
    let response = retriever.with_rerank_settings(few).unwrap().search(&request).unwrap();
    assert!(response.passages.len() <= 3);
    assert!(response.notices.iter().any(|notice| notice.contains("17 candidates behind the first 3")));
}

#[test]
fn a_calibration_of_something_else_and_a_cut_off_without_one_are_refused() {
    let setting = notes();
    let other = calibration(ScoreSource::Reranker(description("another")));
    let reranking = setting.retriever.clone().with_reranker(by_number());
    let refused = reranking.clone().with_calibration(other.clone()).err().unwrap();
    assert!(matches!(refused, RetrieveError::OtherCalibration { .. }), "{refused}");
    assert!(setting.retriever.clone().with_calibration(other).is_err());
    let settings = RerankSettings { cut_off: Some(0.5), ..RerankSettings::default() };
    let refused = reranking.with_rerank_settings(settings).err().unwrap();
    assert!(matches!(refused, RetrieveError::CutOffWithoutCalibration), "{refused}");
}

#[test]
fn the_fused_score_can_be_calibrated_where_there_is_no_reranker() {
    let setting = notes();
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest::new("kiln fired number 07", &scope, &filter);
    let source = setting.retriever.fused_score_source(&request).unwrap();
    let map =
        Calibration { curve: CalibrationCurve::Platt { slope: 8.0, intercept: -4.0 }, ..calibration(source) };
    let retriever = setting.retriever.clone().with_calibration(map.clone()).unwrap();
    let response = retriever.search(&request).unwrap();
    for passage in &response.passages {
        let expected = map.curve.probability(f64::from(passage.scores.score)) as f32;
        assert_eq!(passage.scores.relevance, Some(expected));
    }
    // Another way to the score is another scale.
    let lexical = SearchRequest { mode: Mode::Lexical, ..request };
    let response = retriever.search(&lexical).unwrap();
    assert!(response.passages.iter().all(|passage| passage.scores.relevance.is_none()));
    assert!(response.notices.iter().any(|notice| notice.starts_with("no probability of relevance")));
}

#[test]
fn an_explanation_tells_the_reranked_place() {
    let setting = notes();
    let source = ScoreSource::Reranker(description("rules"));
    let retriever = setting.retriever.clone().with_reranker(by_number());
    let retriever = retriever.with_calibration(calibration(source)).unwrap();
    let (scope, filter) = (everybody(), Filter::default());
    let request = SearchRequest { limit: 4, ..SearchRequest::new("kiln fired", &scope, &filter) };
    let explanation = retriever.explain(&request, &ExplainTarget::Text("note-03.md".to_owned())).unwrap();
    let text = render_explanation(&explanation);
    assert!(text.contains("reranked: rank 17, score 3.0000"), "{text}");
    assert!(text.contains("probability of relevance: 0.15"), "{text}");
    assert!(
        text.contains("rank 17, below the limit of 4 (score 3.000, the last one shown has 16.000)"),
        "{text}"
    );
}
