use std::sync::Arc;
use std::time::Instant;

use adit_agent::{Agent, AgentOutcome, AgentRequest, AgentSettings, CallTrace, Called, Policy, ToolStatus};
use adit_answer::{AnswerSettings, Answerer, AskRequest};
use adit_core::LanguageModel;
use adit_ingest::{Home, Settings};
use adit_log::{Door, SearchId};
use adit_retrieve::SearchRequest;
use adit_server::{LoggedRequest, log_search};
use serde::Serialize;

use super::ask::rest_of;
use crate::arguments::{AgentArgument, AskArguments};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note, print};
use crate::search_log;

/// What `ask --agent --json` prints.
#[derive(Serialize)]
struct Asked {
    #[serde(flatten)]
    outcome: AgentOutcome,
    trace_id: Option<SearchId>,
}

/// One question to an agent.
pub(super) struct AgentQuestion<'a> {
    pub(super) home: &'a Home,
    pub(super) settings: &'a Settings,
    pub(super) answerer: Answerer,
    pub(super) model: Arc<dyn LanguageModel>,
    pub(super) search: SearchRequest<'a>,
    pub(super) answering: &'a AnswerSettings,
}

pub(super) fn run(
    question: AgentQuestion<'_>,
    wanted: AgentArgument,
    arguments: &AskArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let AgentQuestion { home, settings, answerer, model, search, answering } = question;
    let limits = agent_settings(settings);
    let policy = match wanted {
        AgentArgument::Auto => Policy::Auto,
        AgentArgument::Loop => Policy::Loop,
        AgentArgument::Graph => Policy::Graph,
    };
    let request = AgentRequest { ask: AskRequest::new(search, answering), settings: &limits, policy };
    let started = Instant::now();
    let outcome = Agent::new(answerer, model).ask_watched(&request, &mut |call| {
        if !output.json {
            note(&line(call));
        }
    })?;
    let logged = LoggedRequest::of(&search, Door::CommandLine, started.elapsed());
    let trace_id =
        search_log::record(home, settings, |log| log_search(log, &logged, &outcome.answer.response));
    if output.json {
        output.result(&Asked { outcome, trace_id }, |_| String::new())?;
        return Ok(Exit::Done);
    }
    print(&rest_of(&outcome.answer, arguments.claims))?;
    for notice in &outcome.answer.notices {
        note(&format!("note: {notice}"));
    }
    let usage = outcome.answer.usage;
    note(&format!(
        "{} calls of the model, {} tokens read, {} written; {}",
        outcome.answer.model_calls,
        usage.read_tokens(),
        usage.output_tokens,
        outcome.agent.route
    ));
    if let Some(id) = &trace_id {
        note(&format!("search id: {id}"));
    }
    Ok(Exit::Done)
}

/// How far an agent may go.
pub(super) fn agent_settings(settings: &Settings) -> AgentSettings {
    AgentSettings {
        max_steps: settings.agent.max_steps,
        max_tool_calls: settings.agent.max_tool_calls,
        max_total_tokens: settings.agent.max_total_tokens,
        ..AgentSettings::default()
    }
}

/// A call as it is told while the agent works.
fn line(call: &CallTrace) -> String {
    let tokens = call.usage.read_tokens() + call.usage.output_tokens;
    match &call.called {
        Called::Model { purpose } => {
            let purpose = serde_json::to_value(purpose).ok();
            let purpose = purpose.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
            format!("step {}: {purpose}, {tokens} tokens: {}", call.step, call.result)
        }
        Called::Tool { name, arguments, status } => {
            let failed = if *status == ToolStatus::Ran { "" } else { " (not run)" };
            let failed = if *status == ToolStatus::FromMemory { " (from memory)" } else { failed };
            format!("  {name} {arguments}{failed}: {}", call.result.lines().next().unwrap_or_default())
        }
    }
}
