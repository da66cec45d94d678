use adit_core::Filter;
use adit_eval::{GoldenItem, GoldenSet, GoldenSpan};
use adit_quality::{RankerTraining, train_ranker};
use adit_retrieve::{Mode, SearchRequest};

use crate::setting::{Setting, everybody};

/// Each answer stands in a short note; a longer text repeats the question's word and is found first, when
/// `misled`. Otherwise words alone find the note.
fn world(misled: bool) -> (Setting, GoldenSet) {
    let setting = Setting::new();
    let mut items = Vec::new();
    for number in 0..60 {
        let word = format!("zaku{number}");
        let note = format!("note/{number}.txt");
        setting.commit(setting.document(&note, &format!("The {word} opens at nine.")));
        let repeated =
            if misled { format!("{word} {word} {word} and {word}.") } else { "Nothing.".to_owned() };
        setting.commit(setting.document(&format!("list/{number}.txt"), &repeated));
        let span = GoldenSpan::quoted(&note, "opens at nine");
        items.push(GoldenItem {
            id: format!("q{number}"),
            question: format!("When does {word} open?"),
            spans: vec![span],
            category: None,
            answerable: true,
            expected_answer: None,
        });
    }
    setting.index.catch_up().unwrap();
    (setting, GoldenSet { items })
}

fn trained(setting: &Setting, golden: &GoldenSet) -> RankerTraining {
    let (scope, filter) = (everybody(), Filter::default());
    let template = SearchRequest { mode: Mode::Lexical, depth: 5, ..SearchRequest::new("", &scope, &filter) };
    train_ranker(&setting.retriever, golden, "golden.jsonl", &template, 5, &mut |_, _| ()).unwrap()
}

#[test]
fn a_ranker_that_beats_the_default_order_on_unseen_questions_is_accepted() {
    let (setting, golden) = world(true);
    let training = trained(&setting, &golden);
    assert_eq!(training.refused, None);
    assert_eq!((training.questions, training.folds), (60, 5));
    let all = &training.comparison.segments[0];
    let ndcg = all.metrics.iter().find(|metric| metric.metric == "ndcg@10").unwrap();
    assert!(ndcg.after > ndcg.before + 0.1 && ndcg.worse == 0, "{ndcg:?}");
    assert!(!training.ranker.fingerprint().is_empty());
}

#[test]
fn a_ranker_that_gains_nothing_is_refused_with_the_figures() {
    let (setting, golden) = world(false);
    let (scope, filter) = (everybody(), Filter::default());
    let template = SearchRequest { mode: Mode::Hybrid, depth: 20, ..SearchRequest::new("", &scope, &filter) };
    let training =
        train_ranker(&setting.retriever, &golden, "golden.jsonl", &template, 5, &mut |_, _| ()).unwrap();
    let reason = training.refused.unwrap();
    assert!(reason.contains("no gain beyond chance"), "{reason}");
}

#[test]
fn too_few_questions_are_an_error() {
    let (setting, golden) = world(true);
    let golden = GoldenSet { items: golden.items.into_iter().take(3).collect() };
    let (scope, filter) = (everybody(), Filter::default());
    let template = SearchRequest { mode: Mode::Lexical, ..SearchRequest::new("", &scope, &filter) };
    let error = train_ranker(&setting.retriever, &golden, "golden.jsonl", &template, 5, &mut |_, _| ());
    assert!(error.unwrap_err().to_string().contains("10 are needed"));
}
