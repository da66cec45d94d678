use std::sync::Arc;

use adit_agent::{Agent, AgentOutcome, AgentRequest, AgentSettings, CallTrace, Called, Policy, ToolStatus};
use adit_answer::{AnswerSettings, Answerer, AskRequest};
use adit_core::{ContentPart, Filter, LanguageModel, Message, Role, Scope};
use adit_retrieve::SearchRequest;
use adit_testkit::{IndexedCollection, ScriptedModel};

pub(crate) const QUESTION: &str = "Who approves the travel of the kestrel team?";

pub(crate) fn collection() -> IndexedCollection {
    IndexedCollection::of(&[
        ("teams/kestrel.md", "Kestrel team", "The kestrel team belongs to the department of Ornithology."),
        (
            "teams/approval.md",
            "Approval",
            "Travel of the department of Ornithology is approved by Oriane Kessler.",
        ),
        ("data/orders.csv", "Orders", "Region | Total\nNorth | 1,200\nSouth | 300\nNorth | 50"),
        (
            "policies/leave.md",
            "Leave",
            "Staff receive 28 days of paid leave a year.\n\nLeave is requested in writing.",
        ),
    ])
}

/// How a test asks.
pub(crate) struct Asking<'a> {
    pub(crate) question: &'a str,
    pub(crate) history: &'a [Message],
    pub(crate) scope: Scope,
    pub(crate) filter: Filter,
    pub(crate) settings: AgentSettings,
    pub(crate) answers: AnswerSettings,
    pub(crate) policy: Policy,
}

impl Default for Asking<'_> {
    fn default() -> Self {
        Self {
            question: QUESTION,
            history: &[],
            scope: IndexedCollection::reader(),
            filter: Filter::default(),
            settings: AgentSettings::default(),
            answers: AnswerSettings::default(),
            policy: Policy::Loop,
        }
    }
}

impl Asking<'_> {
    pub(crate) fn of(&self, collection: &IndexedCollection, model: &Arc<ScriptedModel>) -> AgentOutcome {
        self.by(&agent(collection, model))
    }

    pub(crate) fn by(&self, agent: &Agent) -> AgentOutcome {
        let search = SearchRequest::new(self.question, &self.scope, &self.filter);
        let ask = AskRequest { search, history: self.history, settings: &self.answers };
        agent.ask(&AgentRequest { ask, settings: &self.settings, policy: self.policy }).unwrap()
    }
}

pub(crate) fn agent(collection: &IndexedCollection, model: &Arc<ScriptedModel>) -> Agent {
    let model: Arc<dyn LanguageModel> = model.clone();
    Agent::new(Answerer::new(collection.retriever.clone()).with_model(Some(Arc::clone(&model))), model)
}

/// Asks for one tool with each of `calls` in turn, a step each, then answers.
pub(crate) fn calling(calls: &[(&str, serde_json::Value)], answer: &str) -> Arc<ScriptedModel> {
    let mut model = ScriptedModel::new();
    for call in calls {
        model = model.call_tools_once("Question:", std::slice::from_ref(call));
    }
    Arc::new(model.answer("Question:", answer))
}

/// The tool calls of an outcome with how they ended.
pub(crate) fn tool_calls(outcome: &AgentOutcome) -> Vec<(String, ToolStatus)> {
    let calls = outcome.agent.calls.iter().filter_map(|call| match &call.called {
        Called::Tool { name, status, .. } => Some((name.clone(), *status)),
        Called::Model { .. } => None,
    });
    calls.collect()
}

pub(crate) fn first_tool_call(outcome: &AgentOutcome) -> &CallTrace {
    outcome.agent.calls.iter().find(|call| matches!(call.called, Called::Tool { .. })).unwrap()
}

/// What the model was given as tool results in its `request`th call, from 0.
pub(crate) fn results(model: &ScriptedModel, request: usize) -> Vec<String> {
    let requests = model.requests();
    let turns = requests[request].messages.iter().filter(|message| message.role == Role::User);
    let parts = turns.flat_map(|message| &message.parts).filter_map(|part| match part {
        ContentPart::ToolResult(result) => Some(result.text.clone()),
        _ => None,
    });
    parts.collect()
}
