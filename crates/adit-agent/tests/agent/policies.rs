use std::sync::Arc;

use adit_agent::{Called, Ended, ModelPurpose, Policy};
use adit_testkit::ScriptedModel;
use serde_json::json;

use crate::setting::{Asking, calling, collection, tool_calls};

const LEAVE: &str = "How many days of paid leave do staff receive?";

fn purposes(outcome: &adit_agent::AgentOutcome) -> Vec<ModelPurpose> {
    let calls = outcome.agent.calls.iter().filter_map(|call| match call.called {
        Called::Model { purpose } => Some(purpose),
        Called::Tool { .. } => None,
    });
    calls.collect()
}

#[test]
fn auto_searches_once_where_that_is_enough() {
    let collection = collection();
    let id = collection.passage_id("policies/leave.md", 0);
    let model = calling(&[], &format!("Staff receive 28 days of paid leave a year [doc:{id}]."));
    let outcome =
        Asking { question: LEAVE, policy: Policy::Auto, ..Asking::default() }.of(&collection, &model);
    assert_eq!(outcome.agent.policy, Policy::Auto);
    assert_eq!(purposes(&outcome), [ModelPurpose::OneShot]);
    assert_eq!(model.requests().len(), 1);
    assert_eq!(outcome.answer.usage, outcome.agent.usage());
}

#[test]
fn auto_loops_where_the_question_has_parts_or_the_first_pass_is_refused() {
    let collection = collection();
    let question = "How many days of paid leave do staff receive? Who approves travel of Ornithology?";
    let model = calling(&[("search_docs", json!({"query": "paid leave"}))], "done");
    let outcome = Asking { question, policy: Policy::Auto, ..Asking::default() }.of(&collection, &model);
    assert_eq!(outcome.agent.policy, Policy::Loop);
    assert!(outcome.agent.route.contains("2 parts"), "{}", outcome.agent.route);
    let model = calling(&[("grep", json!({"words": "zeppelin"}))], adit_answer::REFUSAL);
    let question = "Which zeppelin hangar stores helium?";
    let outcome = Asking { question, policy: Policy::Auto, ..Asking::default() }.of(&collection, &model);
    assert!(outcome.agent.route.contains("did not answer"), "{}", outcome.agent.route);
    assert_eq!(tool_calls(&outcome).len(), 1);
    assert!(outcome.answer.refused);
    assert_eq!(outcome.answer.usage, outcome.agent.usage());
}

#[test]
fn the_graph_generates_from_what_was_graded_relevant() {
    let collection = collection();
    let id = collection.passage_id("policies/leave.md", 0);
    let model = Arc::new(
        ScriptedModel::new()
            .answer_once("Question to grade", &json!({"relevant": [id], "sufficient": true}).to_string())
            .answer("Question:", &format!("Staff receive 28 days of paid leave a year [doc:{id}].")),
    );
    let asking = Asking { question: LEAVE, policy: Policy::Graph, ..Asking::default() };
    let outcome = asking.of(&collection, &model);
    assert_eq!(purposes(&outcome), [ModelPurpose::Grade, ModelPurpose::Generate]);
    assert_eq!(outcome.answer.faithfulness, Some(1.0), "{outcome:#?}");
    let generate = model.requests().pop().unwrap().user_text();
    assert!(generate.contains("28 days") && !generate.contains("Ornithology"), "{generate}");
    assert_eq!(outcome.answer.usage, outcome.agent.usage());
}

#[test]
fn the_graph_rewrites_twice_and_gives_up() {
    let collection = collection();
    let model = Arc::new(
        ScriptedModel::new()
            .answer("Question to grade", "{\"relevant\": [], \"sufficient\": false}")
            .answer_once("Question:", "{\"query\": \"holiday entitlement\"}")
            .answer("Question:", "{\"query\": \"vacation allowance\"}"),
    );
    let asking = Asking { question: LEAVE, policy: Policy::Graph, ..Asking::default() };
    let outcome = asking.of(&collection, &model);
    let (grade, rewrite) = (ModelPurpose::Grade, ModelPurpose::Rewrite);
    assert_eq!(purposes(&outcome), [grade, rewrite, grade, rewrite, grade]);
    assert_eq!(outcome.answer.rewrites, ["holiday entitlement", "vacation allowance"]);
    assert_eq!(outcome.agent.ended, Ended::GaveUp);
    assert!(outcome.answer.refused && outcome.answer.answer == adit_answer::REFUSAL);
}

#[test]
fn a_grade_that_cannot_be_read_leaves_it_to_the_evidence() {
    let collection = collection();
    let id = collection.passage_id("policies/leave.md", 0);
    let answer = format!("Staff receive 28 days of paid leave a year [doc:{id}].");
    let model =
        Arc::new(ScriptedModel::new().answer("Question to grade", "fine!").answer("Question:", &answer));
    let asking = Asking { question: LEAVE, policy: Policy::Graph, ..Asking::default() };
    let outcome = asking.of(&collection, &model);
    assert!(outcome.answer.answer.contains("28 days"), "{outcome:#?}");
}
