use std::sync::Arc;

use adit_agent::{Ended, ToolStatus};
use adit_core::{LanguageModelError, Role};
use adit_testkit::ScriptedModel;
use serde_json::json;

use crate::setting::{Asking, calling, collection, first_tool_call, results, tool_calls};

#[test]
fn a_question_over_two_documents_is_answered_by_two_searches() {
    let collection = collection();
    let (team, approval) =
        (collection.passage_id("teams/kestrel.md", 0), collection.passage_id("teams/approval.md", 0));
    let answer = format!(
        "The kestrel team belongs to the department of Ornithology [doc:{team}]. Its travel is approved by Oriane \
         Kessler [doc:{approval}]."
    );
    let model = calling(
        &[
            ("search_docs", json!({"query": "kestrel team department", "limit": 1})),
            ("search_docs", json!({"query": "travel of Ornithology approved", "limit": 1})),
        ],
        &answer,
    );
    let outcome = Asking::default().of(&collection, &model);
    assert!(!outcome.answer.refused, "{outcome:#?}");
    assert_eq!(outcome.answer.faithfulness, Some(1.0), "{:#?}", outcome.answer.claims);
    assert_eq!(outcome.answer.citations.len(), 2);
    assert_eq!(outcome.agent.ended, Ended::Answered);
    assert_eq!(outcome.answer.rewrites, ["kestrel team department", "travel of Ornithology approved"]);
    assert_eq!(first_tool_call(&outcome).passages, [team]);
    // Each turn of the model and its results stand in the next request, in pairs.
    let last = model.requests().pop().unwrap();
    let roles: Vec<Role> = last.messages.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::User, Role::Assistant, Role::User, Role::Assistant, Role::User]);
    assert!(last.messages.last().unwrap().cache_here && last.cache_system);
    assert!(!last.system.contains("Ornithology"));
}

#[test]
fn every_tool_answers_with_fenced_text() {
    let collection = collection();
    let id = collection.passage_id("policies/leave.md", 1);
    let model = calling(
        &[
            ("read_document", json!({"id": format!("[doc:{id}]")})),
            ("grep", json!({"words": "Oriane"})),
            ("list_documents", json!({"contains": "TEAMS"})),
            ("sql", json!({"query": "SELECT region, sum(total) AS total FROM t1_orders GROUP BY region"})),
        ],
        "done",
    );
    let outcome = Asking::default().of(&collection, &model);
    assert!(tool_calls(&outcome).iter().all(|(_, status)| *status == ToolStatus::Ran), "{outcome:#?}");
    let given = results(&model, 4);
    assert!(given[0].contains("in writing") && !given[0].contains("28 days"), "{}", given[0]);
    assert!(given[1].contains("approved by Oriane Kessler") && given[1].contains("1 hits"), "{}", given[1]);
    assert!(given[2].contains("teams/kestrel.md") && given[2].contains("2 documents in all"), "{}", given[2]);
    assert!(!given[2].contains("orders"), "{}", given[2]);
    assert!(given[3].contains("North | 1250"), "{}", given[3]);
    let opening = model.requests()[0].messages[0].text();
    let marker = opening.split("marker ").nth(1).unwrap().split('.').next().unwrap().to_owned();
    for result in &given {
        assert!(result.starts_with(&format!("<passage-{marker}")), "{result}");
    }
}

#[test]
fn a_search_that_was_made_before_is_answered_from_memory() {
    let collection = collection();
    let model = calling(
        &[
            ("search_docs", json!({"query": "Paid leave"})),
            ("search_docs", json!({"query": " paid LEAVE? "})),
        ],
        "done",
    );
    let outcome = Asking::default().of(&collection, &model);
    assert_eq!(tool_calls(&outcome)[1].1, ToolStatus::FromMemory);
    assert!(results(&model, 2)[1].contains("above"), "{:?}", results(&model, 2));
}

#[test]
fn old_results_are_cleared_with_a_line_and_come_back_when_asked_for_again() {
    let collection = collection();
    let mut asking = Asking::default();
    asking.settings.clear_above_tokens = 1;
    asking.settings.kept_results = 1;
    let search = |query: &str| ("search_docs", json!({"query": query}));
    let model = calling(&[search("paid leave"), search("kestrel"), search("paid leave")], "done");
    let outcome = asking.of(&collection, &model);
    let given = results(&model, 2);
    assert!(given[0].starts_with("[cleared to save room") && given[0].contains("passages of `search_docs`"));
    assert!(given[1].contains("Ornithology"));
    let given = results(&model, 3);
    assert!(given[2].contains("28 days"), "{}", given[2]);
    assert_eq!(tool_calls(&outcome)[2].1, ToolStatus::FromMemory);
    assert!(outcome.answer.notices.iter().any(|notice| notice.contains("were cleared")));
}

#[test]
fn wrong_calls_are_mended_and_never_end_the_loop() {
    let collection = collection();
    let id = collection.passage_id("policies/leave.md", 0);
    let model = calling(
        &[
            ("delete_everything", json!({})),
            ("search_docs", json!({"query": 7})),
            ("search_docs", json!({"query": "leave", "tenant": "other"})),
            ("search_docs", json!("not an object")),
            ("read_document", json!({"id": "ffffffffffff"})),
            ("search_docs", json!("{\"query\": \"paid leave\"}")),
        ],
        &format!("Staff receive 28 days of paid leave a year [doc:{id}]."),
    );
    let outcome =
        Asking { question: "How many days of paid leave?", ..Asking::default() }.of(&collection, &model);
    let statuses: Vec<ToolStatus> = tool_calls(&outcome).into_iter().map(|(_, status)| status).collect();
    let failed = ToolStatus::Failed;
    assert_eq!(statuses, [ToolStatus::Unknown, failed, failed, failed, failed, ToolStatus::Ran]);
    assert_eq!(outcome.answer.faithfulness, Some(1.0), "{outcome:#?}");
}

#[test]
fn a_model_that_fails_is_replaced_by_the_documents_own_sentences() {
    let collection = collection();
    let model = Arc::new(
        ScriptedModel::new().call_tools_once("Question:", &[("search_docs", json!({"query": "leave"}))]),
    );
    let asking = Asking { question: "How many days of paid leave do staff receive?", ..Asking::default() };
    // The script has no second answer, so the second call is rejected.
    let outcome = asking.of(&collection, &model);
    assert_eq!(outcome.agent.ended, Ended::ModelFailed);
    assert!(outcome.answer.extractive && outcome.answer.answer.contains("28 days"), "{outcome:#?}");
    assert_eq!(outcome.answer.model_calls, 2);
    assert_eq!(outcome.answer.usage, outcome.agent.usage());
    let model = Arc::new(ScriptedModel::new());
    model.fail_next(LanguageModelError::Unreachable { detail: "cable".to_owned() });
    let outcome = asking.of(&collection, &model);
    assert!(
        outcome.answer.notices.iter().any(|notice| notice.contains("cable")),
        "{:?}",
        outcome.answer.notices
    );
}
