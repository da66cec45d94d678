//! Synthetic logs with known themes: the themes come back, whatever the order of the log.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

use adit_eval::gaps::{AskedQuestion, GapKind, GapOptions, GapReport, Outcome, TermStanding, find_gaps};
use proptest::prelude::*;

fn term(term: &str, chunks: u64, in_passages: bool) -> TermStanding {
    TermStanding { term: term.to_owned(), chunks, in_passages }
}

fn options() -> GapOptions {
    GapOptions { collection_chunks: 1000, ..GapOptions::default() }
}

/// A vector of length 1 near axis `theme`, turned a little by `member`.
fn vector(theme: usize, member: usize) -> Vec<f32> {
    let mut vector = [0.0f32; 8];
    vector[theme] = 1.0;
    vector[4 + member % 4] = 0.4;
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    vector.iter().map(|value| value / length).collect()
}

/// The diabetes coach of the literature: pumps are in no document; drug interactions are, and are not found.
fn log(with_vectors: bool) -> Vec<AskedQuestion> {
    let pump =
        ["omnipod pump recalibrate", "recalibrate omnipod pump site", "insulin pump omnipod recalibrate"];
    let drugs = ["metformin with lisinopril", "metformin lisinopril together", "take metformin lisinopril"];
    let mut questions = Vec::new();
    for (theme, texts) in [pump, drugs].iter().enumerate() {
        for member in 0..6 + 3 * (1 - theme) {
            let text = texts[member % 3];
            questions.push(AskedQuestion {
                id: format!("{theme}-{member}"),
                question: text.to_owned(),
                asker: format!("reader {}", member % 4),
                vector: with_vectors.then(|| vector(theme, member % 3)),
                then: Outcome { passages: 5, is_weak: Some(true), top_cosine: Some(0.3) },
                terms: match theme {
                    0 => vec![term("omnipod", 0, false), term("recalibrate", 0, false)],
                    _ => vec![term("metformin", 9, true), term("lisinopril", 4, false)],
                },
                ..AskedQuestion::default()
            });
        }
    }
    questions.push(AskedQuestion {
        id: "good".to_owned(),
        question: "what is type 2 diabetes".to_owned(),
        asker: "reader 0".to_owned(),
        then: Outcome { passages: 5, is_weak: Some(false), top_cosine: Some(0.8) },
        terms: vec![term("diabetes", 600, true)],
        ..AskedQuestion::default()
    });
    questions
}

fn check_two_themes(report: &GapReport) {
    assert_eq!((report.searches, report.troubled, report.answered_since), (16, 15, 0));
    assert_eq!((report.topic_gaps, report.capability_gaps), (9, 6));
    let [pump, drugs] = report.groups.as_slice() else { panic!("{report:#?}") };
    assert_eq!((pump.kind, pump.count, pump.askers), (GapKind::Topic, 9, 4));
    assert_eq!((drugs.kind, drugs.count, drugs.askers), (GapKind::Capability, 6, 4));
    assert!(pump.examples.len() == 3 && pump.examples.iter().all(|one| one.question.contains("omnipod")));
    assert!(pump.next_step.contains("`omnipod`") && pump.next_step.contains("add documents"));
    assert!(drugs.next_step.contains("`lisinopril`") && drugs.next_step.contains("adit diagnose"));
    assert!(!drugs.next_step.contains("metformin"), "what was found is not hidden");
    assert_eq!(report.absent_terms[0].term, "omnipod");
    assert_eq!((report.absent_terms[0].searches, report.absent_terms[0].askers), (9, 4));
}

#[test]
fn themes_come_back_by_vectors_and_by_words() {
    check_two_themes(&find_gaps(&log(true), &options()));
    check_two_themes(&find_gaps(&log(false), &options()));
}

#[test]
fn feedback_decides_what_failed() {
    let mut questions = log(true);
    for question in &mut questions[..9] {
        question.answered = Some(true);
    }
    let good = questions.last_mut().unwrap();
    good.answered = Some(false);
    good.note = Some("wanted the diet plan".to_owned());
    let report = find_gaps(&questions, &options());
    assert_eq!((report.topic_gaps, report.capability_gaps), (0, 7));
    let disappointed = report.groups.iter().find(|group| group.feedback_no == 1).unwrap();
    assert_eq!((disappointed.kind, disappointed.weak_evidence), (GapKind::Capability, 0));
    assert_eq!(disappointed.notes, ["wanted the diet plan"]);
    assert!(disappointed.next_step.contains("notes"));
}

#[test]
fn what_would_be_answered_today_is_no_gap() {
    let mut questions = log(true);
    let now = Outcome { passages: 5, is_weak: Some(false), top_cosine: Some(0.7) };
    questions[..9].iter_mut().for_each(|question| question.now = Some(now));
    questions.last_mut().unwrap().now = Some(now);
    let report = find_gaps(&questions, &options());
    assert_eq!((report.answered_since, report.troubled, report.topic_gaps), (9, 6, 0));
    questions.last_mut().unwrap().answered = Some(false);
    let report = find_gaps(&questions, &options());
    assert_eq!(report.troubled, 7, "good evidence that did not satisfy then does not mend it now");
}

#[test]
fn evidence_that_was_not_weighed_then_is_weighed_now() {
    let unknown = AskedQuestion {
        question: "x1".to_owned(),
        then: Outcome { passages: 3, is_weak: None, top_cosine: None },
        ..AskedQuestion::default()
    };
    assert_eq!(unknown.trouble(), None);
    let weak = Outcome { passages: 3, is_weak: Some(true), top_cosine: Some(0.1) };
    let weighed = AskedQuestion { now: Some(weak), ..unknown };
    assert_eq!(find_gaps(&[weighed], &options()).troubled, 1);
}

#[test]
fn repetitions_are_one_question_and_small_groups_are_counted_when_left_out() {
    let mut questions = log(true);
    questions[0].question = "  Omnipod   PUMP recalibrate?".to_owned();
    let report = find_gaps(&questions, &GapOptions { groups: 1, ..options() });
    assert_eq!((report.groups.len(), report.groups_left_out), (1, 1));
    assert_eq!(report.groups[0].examples[0].count, 3);
    assert_eq!((report.topic_gaps, report.capability_gaps), (9, 6), "sums are over all groups");
    let empty = find_gaps(&[], &options());
    assert!(empty.groups.is_empty() && empty.absent_terms.is_empty());
}

proptest! {
    #[test]
    fn the_order_of_the_log_does_not_matter(
        order in Just((0..16).collect::<Vec<usize>>()).prop_shuffle(),
        with_vectors in any::<bool>(),
    ) {
        let sorted = log(with_vectors);
        let shuffled: Vec<_> = order.iter().map(|index| sorted[*index].clone()).collect();
        let shape = |report: GapReport| -> Vec<_> {
            let shape = |group: &adit_eval::gaps::GapGroup| {
                let questions: Vec<_> =
                    group.examples.iter().map(|one| (one.question.clone(), one.count)).collect();
                (group.kind, group.count, group.askers, questions, group.absent_terms.clone())
            };
            report.groups.iter().map(shape).collect()
        };
        prop_assert_eq!(shape(find_gaps(&shuffled, &options())), shape(find_gaps(&sorted, &options())));
    }
}
