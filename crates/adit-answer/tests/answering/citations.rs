use adit_answer::{AnswerSettings, ClaimProblem, ConfidenceLevel, Unsupported};

use crate::setting::{QUESTION, answerer, ask, ask_in, collection, saying};

#[test]
fn a_supported_answer_is_resolved_to_its_place() {
    let collection = collection();
    let id = collection.passage_id("people/leave.md", 0);
    let model = saying(&format!("Staff receive 28 days of paid leave a year [doc:{id}]."));
    let outcome = ask(&collection, Some(model.clone()), QUESTION, &AnswerSettings::default());
    assert!(!outcome.refused && !outcome.extractive, "{outcome:#?}");
    assert_eq!(outcome.faithfulness, Some(1.0), "{:#?}", outcome.claims);
    let [citation] = outcome.citations.as_slice() else { panic!("{:?}", outcome.citations) };
    assert_eq!(
        (citation.source.as_str(), &citation.heading_path),
        ("people/leave.md", &vec!["Leave".to_owned()])
    );
    assert_eq!(adit_answer::citation_line(citation), format!("[doc:{id}] people/leave.md > Leave"));
    assert_eq!((outcome.model_calls, outcome.model.as_deref()), (1, Some("scripted")));
    assert!(outcome.usage.input_tokens > 0 && outcome.usage.output_tokens > 0);
    assert_eq!(model.requests().len(), 1);
}

#[test]
fn what_is_invented_changed_or_negated_is_marked_and_lowers_the_confidence() {
    let collection = collection();
    let leave = collection.passage_id("people/leave.md", 0);
    let settings = AnswerSettings::default();
    type Expected = fn(&ClaimProblem) -> bool;
    let cases: [(String, Expected); 6] = [
        (format!("Staff receive 28 days of paid leave a year [doc:{}].", "0123456789ab#0"), |problem| {
            matches!(problem, ClaimProblem::InventedCitation(_))
        }),
        (
            format!("Staff receive 30 days of paid leave a year [doc:{leave}]."),
            |problem| matches!(problem, ClaimProblem::NumberMissing(number) if number == "30 days"),
        ),
        (format!("Leave may be carried over to the next year [doc:{leave}]."), |problem| {
            matches!(problem, ClaimProblem::Negation(_))
        }),
        (format!("Tomasz Bielak pays leave a year [doc:{leave}]."), |problem| {
            matches!(problem, ClaimProblem::NameMissing(_))
        }),
        ("Staff receive 28 days of paid leave a year.".to_owned(), |problem| {
            matches!(problem, ClaimProblem::Uncited)
        }),
        (format!("Kestrels breed in church towers [doc:{leave}]."), |problem| {
            matches!(problem, ClaimProblem::WordsMissing)
        }),
    ];
    for (answer, expected) in cases {
        let outcome = ask(&collection, Some(saying(&answer)), QUESTION, &settings);
        let [claim] = outcome.claims.as_slice() else { panic!("{:#?}", outcome.claims) };
        assert!(claim.problems.iter().any(expected), "{answer}: {:?}", claim.problems);
        assert!(!claim.is_supported && outcome.answer.ends_with("[unsupported]"), "{}", outcome.answer);
        assert_eq!((outcome.confidence.level, outcome.faithfulness), (ConfidenceLevel::Low, Some(0.0)));
    }
}

#[test]
fn a_passage_that_exists_but_was_not_shown_is_told_apart_from_an_invented_one() {
    let collection = collection();
    let errors = collection.passage_id("support/errors.md", 0);
    let model = saying(&format!("Staff receive 28 days of paid leave a year [doc:{errors}]."));
    let (scope, filter) = (adit_testkit::IndexedCollection::reader(), adit_core::Filter::default());
    let search = adit_retrieve::SearchRequest {
        limit: 1,
        ..adit_retrieve::SearchRequest::new(QUESTION, &scope, &filter)
    };
    let settings = AnswerSettings::default();
    let outcome =
        answerer(&collection, Some(model)).ask(&adit_answer::AskRequest::new(search, &settings)).unwrap();
    assert_eq!(outcome.claims[0].problems, [ClaimProblem::NotShown(errors)]);
    assert!(outcome.citations.is_empty(), "a passage that was not shown is no source");
}

#[test]
fn passages_that_may_not_be_cited_support_nothing() {
    let collection = collection();
    let id = collection.passage_id("people/leave.md", 0);
    let model = saying(&format!("Staff receive 28 days of paid leave a year [doc:{id}]."));
    let rule = |passage: &adit_core::Passage| {
        passage.source.ends_with("leave.md").then(|| "its words are hidden from readers".to_owned())
    };
    let answerer = answerer(&collection, Some(model)).with_citation_rule(std::sync::Arc::new(rule));
    let outcome = ask_in(&answerer, QUESTION, &[], &AnswerSettings::default());
    assert!(
        matches!(outcome.claims[0].problems.as_slice(), [ClaimProblem::MayNotBeCited(_, reason)] if reason.contains("hidden")),
        "{:?}",
        outcome.claims
    );
}

#[test]
fn unsupported_claims_are_removed_by_setting_and_nothing_left_is_a_refusal() {
    let collection = collection();
    let id = collection.passage_id("people/leave.md", 0);
    let settings = AnswerSettings { unsupported: Unsupported::Remove, ..AnswerSettings::default() };
    let half =
        format!("Staff receive 28 days of paid leave a year [doc:{id}]. They receive 99 cars [doc:{id}].");
    let outcome = ask(&collection, Some(saying(&half)), QUESTION, &settings);
    assert_eq!(outcome.answer, format!("Staff receive 28 days of paid leave a year [doc:{id}]."));
    assert!(outcome.notices.iter().any(|notice| notice.starts_with("1 claim")), "{:?}", outcome.notices);
    assert_eq!((outcome.claims.len(), outcome.faithfulness), (2, Some(0.5)));
    let none = ask(&collection, Some(saying("They receive 99 cars.")), QUESTION, &settings);
    assert!(none.refused && none.refusal.unwrap().reason.contains("no claim"), "{}", none.answer);
}
