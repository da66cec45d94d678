use adit_answer::{AnswerSettings, ConfidenceLevel, REFUSAL};
use adit_testkit::IndexedCollection;

use crate::setting::{QUESTION, ask, collection};

#[test]
fn without_a_model_the_best_sentence_answers_with_its_citation() {
    let collection = collection();
    let outcome = ask(&collection, None, QUESTION, &AnswerSettings::default());
    let id = collection.passage_id("people/leave.md", 0);
    let expected = format!("Staff receive 28 days of paid leave a year. [doc:{id}]");
    assert!(outcome.answer.starts_with(&expected), "{}", outcome.answer);
    assert!(outcome.extractive && outcome.model.is_none() && outcome.model_calls == 0);
    assert_eq!(outcome.faithfulness, Some(1.0), "{:#?}", outcome.claims);
}

#[test]
fn what_the_documents_do_not_answer_is_refused_with_the_next_step() {
    let collection = collection();
    let outcome = ask(&collection, None, "penguin incubation zoology lecture", &AnswerSettings::default());
    assert!(outcome.refused && outcome.answer == REFUSAL && outcome.claims.is_empty(), "{outcome:#?}");
    assert_eq!(outcome.confidence.level, ConfidenceLevel::Low);
    let refusal = outcome.refusal.unwrap();
    assert!(refusal.reason.contains("`penguin`") && !refusal.next_steps.is_empty(), "{refusal:?}");
    let empty = ask(&IndexedCollection::new(), None, QUESTION, &AnswerSettings::default());
    assert!(empty.refused && empty.refusal.unwrap().reason == "no passage was found");
}

#[test]
fn the_gate_can_be_opened() {
    let collection = collection();
    let settings = AnswerSettings { refuse_on_weak_evidence: false, ..AnswerSettings::default() };
    let outcome = ask(&collection, None, "penguin lecture about leave", &settings);
    assert!(!outcome.refused, "{outcome:#?}");
    assert_eq!(outcome.confidence.level, ConfidenceLevel::Low);
}

#[test]
fn another_tenants_words_are_neither_shown_nor_cited() {
    let collection = collection();
    let other = adit_core::TenantId::new("globex").unwrap();
    collection.add_for(&other, "secret.md", "Leave", "Staff receive 99 days of paid leave in secret.");
    let outcome = ask(&collection, None, QUESTION, &AnswerSettings::default());
    assert!(!outcome.answer.contains("99"), "{}", outcome.answer);
    assert!(outcome.response.passages.iter().all(|passage| passage.source != "secret.md"));
}
