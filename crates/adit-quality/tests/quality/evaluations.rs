use adit_core::Filter;
use adit_eval::{GoldenItem, GoldenSet, GoldenSpan};
use adit_quality::{
    EvaluationRun, GateRule, QualityError, SavedEvaluations, check_gate, compare, evaluate, html_report,
    summarise,
};
use adit_retrieve::{Mode, SearchRequest};

use crate::setting::{Setting, everybody};

fn item(id: &str, question: &str, category: &str, gold: Option<(&str, &str)>) -> GoldenItem {
    let span = |(source, quote): (&str, &str)| GoldenSpan {
        source: source.to_owned(),
        quote: Some(quote.to_owned()),
        char_start: None,
        char_end: None,
    };
    GoldenItem {
        id: id.to_owned(),
        question: question.to_owned(),
        spans: gold.map(span).into_iter().collect(),
        category: Some(category.to_owned()),
        answerable: gold.is_some(),
        expected_answer: None,
    }
}

fn world() -> (Setting, GoldenSet) {
    let setting = Setting::new();
    setting.commit(setting.document("kiln.txt", "The kiln is fired at noon.\n\nThe glaze dries overnight."));
    setting.commit(setting.document("sub/shop.txt", "The shop opens at nine on Mondays."));
    setting.add_others(30);
    let items = vec![
        item("fired", "when is the kiln fired", "words", Some(("kiln.txt", "kiln is fired at noon"))),
        item("glaze", "how long does the glaze dry", "words", Some(("kiln.txt", "glaze dries overnight"))),
        // The folder is left out.
        item("shop", "opening time of the shop", "words", Some(("shop.txt", "opens at nine"))),
        item("gone", "where is the cat", "meaning", Some(("kiln.txt", "the cat sleeps in the wheelbarrow"))),
        item("unanswered", "quarterly turnover forecast", "none", None),
    ];
    (setting, GoldenSet { items })
}

fn run(setting: &Setting, golden: &GoldenSet, mode: Mode) -> EvaluationRun {
    let (scope, filter) = (everybody(), Filter::default());
    let template = SearchRequest { mode, ..SearchRequest::new("", &scope, &filter) };
    evaluate(&setting.retriever, golden, "golden.jsonl", &template, &mut |_, _| ()).unwrap()
}

#[test]
fn questions_are_scored_by_segment_and_lost_gold_counts_as_not_found() {
    let (setting, golden) = world();
    let run = run(&setting, &golden, Mode::Hybrid);
    let found = |id: &str| run.items.iter().find(|item| item.id == id).unwrap();
    assert_eq!(found("fired").first_rank, Some(1));
    assert_eq!(found("shop").metrics["recall@5"], 1.0);
    assert_eq!(found("shop").segments["source"], "sub");
    assert_eq!(found("gone").metrics["recall@100"], 0.0);
    assert!(found("gone").unplaced[0].contains("not in the document's text"));
    assert!(found("unanswered").metrics.is_empty());
    let summary = summarise(&run);
    assert_eq!((summary.answerable, summary.unanswerable, summary.with_unplaced_gold), (4, 1, 1));
    assert_eq!(summary.segments[0].segment, "all");
    assert_eq!(summary.segments[0].metrics["recall@100"].mean, 0.75);
    let words = summary.segments.iter().find(|part| part.segment == "category=words").unwrap();
    assert_eq!((words.questions, words.metrics["recall@100"].mean), (3, 1.0));
    let page = html_report("a <b>", &run, None);
    assert!(page.contains("a &lt;b&gt;") && page.contains("where is the cat"));
}

#[test]
fn a_saved_run_comes_back_and_a_damaged_one_is_refused() {
    let (setting, golden) = world();
    let run = run(&setting, &golden, Mode::Lexical);
    let saved = SavedEvaluations::in_folder(&setting.path().join("evaluations"));
    assert!(saved.names().unwrap().is_empty());
    saved.save("first", &run).unwrap();
    assert_eq!(saved.load("first").unwrap(), run);
    assert_eq!(saved.names().unwrap(), ["first"]);
    let error = saved.load("second").unwrap_err();
    assert!(error.to_string().contains("saved: first"), "{error}");
    assert!(matches!(saved.save("../out", &run), Err(QualityError::Format { .. })));
    std::fs::write(setting.path().join("evaluations/bad.json"), "{}").unwrap();
    assert!(matches!(saved.load("bad"), Err(QualityError::Format { .. })));
}

/// A run with these scores by question: id, segment, value.
fn made(scores: &[(&str, &str, f64)]) -> EvaluationRun {
    let (setting, golden) = world();
    let mut run = run(&setting, &golden, Mode::Lexical);
    let pattern = run.items[0].clone();
    run.items = scores
        .iter()
        .map(|(id, category, value)| {
            let mut item = pattern.clone();
            item.id = (*id).to_owned();
            item.segments = [("category".to_owned(), (*category).to_owned())].into();
            item.metrics = [("ndcg@10".to_owned(), *value)].into();
            item
        })
        .collect();
    run
}

fn many(large: f64, small: f64) -> Vec<(String, &'static str, f64)> {
    let of = |category: &'static str, count: usize, value: f64| {
        (0..count).map(move |number| (format!("{category}{number}"), category, value))
    };
    of("large", 40, large).chain(of("small", 8, small)).collect()
}

fn run_of(scores: &[(String, &'static str, f64)]) -> EvaluationRun {
    let borrowed: Vec<(&str, &str, f64)> =
        scores.iter().map(|(id, category, value)| (id.as_str(), *category, *value)).collect();
    made(&borrowed)
}

#[test]
fn a_mean_that_rises_while_a_segment_falls_is_called_out() {
    let (before, after) = (run_of(&many(0.5, 0.8)), run_of(&many(0.7, 0.4)));
    let comparison = compare(("a", &before), ("b", &after)).unwrap();
    let all = &comparison.segments[0].metrics[0];
    assert!(all.after > all.before && all.better == 40 && all.worse == 8);
    assert!(all.p_randomisation.unwrap() < 0.05);
    assert!(all.difference_low > 0.0);
    let warning = comparison.warnings.iter().find(|warning| warning.contains("category=small")).unwrap();
    assert!(warning.contains("rises from 0.5500 to 0.6500") && warning.contains("from 0.8000 to 0.4000"));
    let same = compare(("a", &before), ("b", &before)).unwrap();
    assert!(same.warnings.is_empty(), "{:?}", same.warnings);
}

#[test]
fn runs_over_other_questions_are_not_compared_in_silence() {
    let (left, right) =
        (made(&[("a", "x", 1.0), ("b", "x", 1.0)]), made(&[("b", "x", 0.0), ("c", "x", 0.0)]));
    let comparison = compare(("l", &left), ("r", &right)).unwrap();
    assert_eq!(comparison.left_out, ["a", "c"]);
    assert!(comparison.warnings.iter().any(|warning| warning.contains("in one run only")));
    let error = compare(("l", &left), ("r", &made(&[("z", "x", 0.0)]))).unwrap_err();
    assert!(matches!(error, QualityError::NothingInCommon { .. }));
}

fn rule(segment: &str, at_least: Option<f64>, most_loss: Option<f64>) -> GateRule {
    GateRule { metric: "ndcg@10".to_owned(), segment: segment.to_owned(), at_least, most_loss }
}

#[test]
fn a_gate_cannot_be_fooled() {
    let accepted = made(&[("a", "x", 1.0), ("b", "x", 0.5)]);
    let passed = |rules: &[GateRule], run: &EvaluationRun| -> Vec<bool> {
        let outcomes = check_gate(rules, run, Some(&accepted)).unwrap();
        outcomes.iter().map(|outcome| outcome.passed).collect()
    };
    let rules = [rule("all", Some(0.7), None), rule("category=x", None, Some(0.05))];
    assert_eq!(passed(&rules, &accepted), [true, true]);
    // The question that scored badly is left out: it counts as 0.
    assert_eq!(passed(&rules, &made(&[("a", "x", 1.0)])), [false, false]);
    // No question in the segment.
    assert_eq!(passed(&[rule("category=y", Some(0.0), None)], &accepted), [false]);
    // Nothing was accepted yet.
    assert!(!check_gate(&rules[1..], &accepted, None).unwrap()[0].passed);
    assert!(matches!(check_gate(&[], &accepted, None), Err(QualityError::Nothing { .. })));
    for wrong in [
        GateRule { metric: "accuracy".into(), ..rule("all", Some(0.5), None) },
        rule("all", None, None),
        rule("all", Some(f64::NAN), None),
        rule("all", Some(70.0), None),
    ] {
        assert!(matches!(check_gate(&[wrong], &accepted, None), Err(QualityError::Gate { number: 1, .. })));
    }
}

#[test]
fn an_empty_set_or_collection_is_an_error() {
    let (scope, filter) = (everybody(), Filter::default());
    let template = SearchRequest::new("", &scope, &filter);
    let (setting, golden) = world();
    let empty = GoldenSet { items: Vec::new() };
    let error = evaluate(&setting.retriever, &empty, "g", &template, &mut |_, _| ()).unwrap_err();
    assert!(error.to_string().contains("no question"), "{error}");
    let nothing = Setting::new();
    let error = evaluate(&nothing.retriever, &golden, "g", &template, &mut |_, _| ()).unwrap_err();
    assert!(error.to_string().contains("no document"), "{error}");
}
