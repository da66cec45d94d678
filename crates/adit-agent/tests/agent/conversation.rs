use adit_agent::Ended;
use adit_core::Message;
use adit_testkit::IndexedCollection;

use crate::setting::{Asking, calling, collection, tool_calls};

#[test]
fn a_question_that_the_conversation_answers_needs_no_search() {
    let collection = collection();
    let id = collection.passage_id("policies/leave.md", 0);
    let history = [
        Message::user("How many days of paid leave do staff receive? I am from the Lisbon office."),
        Message::assistant(format!("Staff receive 28 days of paid leave a year [doc:{id}].")),
    ];
    let answer = format!(
        "Staff receive 28 days of paid leave a year [doc:{id}]. You are from the Lisbon office [doc:conversation#1]."
    );
    let model = calling(&[], &answer);
    let asking =
        Asking { question: "Repeat that, and where am I from?", history: &history, ..Asking::default() };
    let outcome = asking.of(&collection, &model);
    assert!(tool_calls(&outcome).is_empty());
    assert_eq!(outcome.agent.ended, Ended::Answered);
    assert_eq!(outcome.answer.faithfulness, Some(1.0), "{:#?}", outcome.answer.claims);
    assert_eq!(model.requests()[0].messages.len(), 3);
}

#[test]
fn what_the_model_said_before_is_no_evidence() {
    let collection = collection();
    let other = adit_core::TenantId::new("other").unwrap();
    collection.add_for(&other, "secret.md", "Secret", "The vault opens with 4711.");
    let secret =
        adit_core::PassageId { document: adit_core::DocumentId::derive(&other, "secret.md"), chunk_index: 0 };
    let history = [
        Message::user("How does the vault open?"),
        Message::assistant(format!("The vault opens with 4711 [doc:{secret}].")),
    ];
    for cited in [secret.to_string(), "conversation#1".to_owned(), "conversation#2".to_owned()] {
        let model = calling(&[], &format!("The vault opens with 4711 [doc:{cited}]."));
        let asking = Asking { question: "Once more?", history: &history, ..Asking::default() };
        let outcome = asking.of(&collection, &model);
        assert_eq!(outcome.answer.faithfulness, Some(0.0), "{cited}: {:#?}", outcome.answer.claims);
    }
    assert_eq!(IndexedCollection::reader().tenant().as_str(), "default");
}
