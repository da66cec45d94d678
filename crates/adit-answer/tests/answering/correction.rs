use std::sync::Arc;

use adit_answer::{AnswerSettings, ConfidenceLevel, ModelRewriter, OutsideSearch, OutsideSearchError};
use adit_core::Passage;
use adit_testkit::ScriptedModel;

use crate::setting::{QUESTION, answerer, ask, ask_in, collection};

const UNKNOWN: &str = "penguin incubation zoology lecture";

#[test]
fn weak_evidence_is_searched_again_at_most_twice_and_a_narrower_question_proves_nothing() {
    let collection = collection();
    let question = "Does the Penguin Institute of Antarctica lecture staff about zoology and incubation?";
    let outcome = ask(&collection, None, question, &AnswerSettings::default());
    assert!(outcome.refused, "{outcome:#?}");
    assert!((1..=2).contains(&outcome.rewrites.len()), "{:?}", outcome.rewrites);
    assert!(outcome.rewrites.iter().all(|query| !query.contains("Penguin")), "{:?}", outcome.rewrites);
    let none = AnswerSettings { max_rewrites: 0, ..AnswerSettings::default() };
    assert!(ask(&collection, None, question, &none).rewrites.is_empty());
}

#[test]
fn a_model_may_word_the_question_differently() {
    let collection = collection();
    let rewriter = Arc::new(ScriptedModel::new().answer("Question:", "{\"query\": \"paid leave staff\"}"));
    let answerer = answerer(&collection, None).with_rewriter(Arc::new(ModelRewriter::new(rewriter.clone())));
    let outcome = ask_in(&answerer, UNKNOWN, &[], &AnswerSettings::default());
    assert_eq!(outcome.rewrites[0], "paid leave staff");
    assert_eq!(outcome.model_calls, rewriter.requests().len());
    assert!(rewriter.requests()[0].user_text().contains("Words that no document has: penguin"));
    // What the rewrite finds is weighed against the question as it was asked.
    assert!(outcome.refused, "{outcome:#?}");
}

struct Elsewhere {
    found: Vec<Passage>,
}

impl OutsideSearch for Elsewhere {
    fn name(&self) -> &str {
        "the zoo"
    }

    fn search(&self, _query: &str, _limit: usize) -> Result<Vec<Passage>, OutsideSearchError> {
        if self.found.is_empty() {
            return Err(OutsideSearchError { detail: "closed".to_owned(), is_passing: true });
        }
        Ok(self.found.clone())
    }
}

#[test]
fn an_outside_search_answers_with_low_confidence_and_its_failure_is_told() {
    let collection = collection();
    let inside = ask(&collection, None, QUESTION, &AnswerSettings::default()).response.passages.remove(0);
    let text = "The incubation of a penguin egg takes 65 days.".to_owned();
    let found = Passage { id: "zoo#1".parse().unwrap(), source: "zoo".to_owned(), text, ..inside };
    let outside = Elsewhere { found: vec![found] };
    let answering = answerer(&collection, None).with_outside_search(Arc::new(outside));
    let outcome = ask_in(&answering, UNKNOWN, &[], &AnswerSettings::default());
    assert!(!outcome.refused && outcome.answer.contains("65 days"), "{outcome:#?}");
    assert_eq!(
        (outcome.confidence.level, outcome.citations[0].source.as_str()),
        (ConfidenceLevel::Low, "zoo")
    );
    let broken = answerer(&collection, None).with_outside_search(Arc::new(Elsewhere { found: Vec::new() }));
    let outcome = ask_in(&broken, UNKNOWN, &[], &AnswerSettings::default());
    assert!(outcome.refused && outcome.notices.iter().any(|notice| notice.contains("closed")));
    // Nothing leaves the house for a question that the documents answer.
    let outcome = ask_in(&answering, QUESTION, &[], &AnswerSettings::default());
    assert!(outcome.answer.contains("28 days"));
}
