use std::sync::Arc;

use adit_agent::{Agent, AgentError, AgentRequest, AgentSettings, Ended, Policy, ToolStatus};
use adit_answer::{AnswerSettings, AskRequest};
use adit_core::{Filter, ToolChoice};
use adit_retrieve::SearchRequest;
use adit_testkit::{IndexedCollection, ScriptedModel};
use serde_json::json;

use crate::setting::{Asking, QUESTION, agent, collection, tool_calls};

/// A model that never stops searching by itself, each time for something else.
fn insatiable() -> Arc<ScriptedModel> {
    let mut model = ScriptedModel::new();
    for number in 0..50 {
        let call = ("search_docs", json!({"query": format!("kestrel {number}")}));
        model = model.call_tools_once("Question:", &[call]);
    }
    Arc::new(model)
}

#[test]
fn steps_end_at_the_limit() {
    let collection = collection();
    let model = insatiable();
    let mut asking = Asking::default();
    asking.settings.max_steps = 4;
    let outcome = asking.of(&collection, &model);
    assert_eq!(model.requests().len(), 4);
    assert_eq!(tool_calls(&outcome).len(), 3);
    assert_eq!(outcome.agent.ended, Ended::LastStep);
    let last = model.requests().pop().unwrap();
    assert_eq!(last.tool_choice, ToolChoice::None);
    assert!(last.user_text().contains("Answer now"));
    assert!(outcome.answer.refused && outcome.answer.refusal.unwrap().reason.contains("wrote no answer"));
}

#[test]
fn tool_calls_end_at_the_limit_also_within_a_step() {
    let collection = collection();
    let calls: Vec<_> =
        (0..7).map(|number| ("search_docs", json!({"query": format!("kestrel {number}")}))).collect();
    let model = Arc::new(ScriptedModel::new().call_tools_once("Question:", &calls).answer("Question:", "x"));
    let mut asking = Asking::default();
    asking.settings.max_tool_calls = 5;
    let outcome = asking.of(&collection, &model);
    let statuses: Vec<ToolStatus> = tool_calls(&outcome).into_iter().map(|(_, status)| status).collect();
    assert_eq!(statuses.iter().filter(|status| **status == ToolStatus::Ran).count(), 5);
    assert_eq!(statuses.iter().filter(|status| **status == ToolStatus::OverBudget).count(), 2);
    assert_eq!(model.requests().len(), 2);
}

#[test]
fn tokens_never_exceed_the_budget_whatever_it_is() {
    let collection = collection();
    for max_total_tokens in [1, 500, 1_500, 4_000, 9_000, 20_000] {
        let settings =
            AgentSettings { max_total_tokens, max_steps: 40, max_tool_calls: 40, ..AgentSettings::default() };
        let answers = AnswerSettings { max_output_tokens: 100, ..AnswerSettings::default() };
        let asking = Asking { settings, answers, ..Asking::default() };
        let outcome = asking.of(&collection, &insatiable());
        let used = outcome.agent.usage();
        assert!(used.read_tokens() + used.output_tokens <= max_total_tokens, "{max_total_tokens}: {used:?}");
        if max_total_tokens == 1 {
            assert_eq!(outcome.agent.ended, Ended::OutOfTokens);
            assert_eq!(outcome.answer.model_calls, 0);
        }
    }
}

#[test]
fn settings_that_cannot_be_meant_are_refused() {
    let collection = collection();
    let (scope, filter, answers) =
        (IndexedCollection::reader(), Filter::default(), AnswerSettings::default());
    let ask = AskRequest::new(SearchRequest::new(QUESTION, &scope, &filter), &answers);
    let agent: Agent = agent(&collection, &insatiable());
    for settings in [
        AgentSettings { max_steps: 0, ..AgentSettings::default() },
        AgentSettings { max_total_tokens: 0, ..AgentSettings::default() },
        AgentSettings { tool_result_tokens: 10, ..AgentSettings::default() },
        AgentSettings { max_rewrites: 3, ..AgentSettings::default() },
    ] {
        let request = AgentRequest { ask, settings: &settings, policy: Policy::Loop };
        let error = agent.ask(&request).unwrap_err();
        assert!(matches!(error, AgentError::Setting { .. }), "{error}");
    }
}
