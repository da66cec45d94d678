//! The agent's reading tools as tools of the server.

use adit_agent::{TableLimits, Tool, ToolFailure, ToolOutput, reading_tools};
use adit_core::{Filter, Scope, ToolDefinition};
use adit_retrieve::{Retriever, SearchRequest};
use rmcp::model::JsonObject;

use crate::arguments::BadCall;

/// Those that are offered.
const OFFERED: [&str; 2] = ["grep", "list_documents"];

/// How the model is told of them.
pub(crate) fn definitions(retriever: &Retriever, scope: &Scope) -> Vec<ToolDefinition> {
    let filter = Filter::default();
    let tools = reading_tools(retriever, SearchRequest::new("", scope, &filter), TableLimits::default());
    let definitions = tools.iter().map(|tool| tool.definition());
    definitions.filter(|definition| OFFERED.contains(&definition.name.as_str())).collect()
}

/// Answers a call within a token budget.
pub(crate) fn call(
    retriever: &Retriever,
    scope: &Scope,
    name: &str,
    arguments: &JsonObject,
    budget_tokens: usize,
) -> Result<String, BadCall> {
    let filter = Filter::default();
    let tools = reading_tools(retriever, SearchRequest::new("", scope, &filter), TableLimits::default());
    let tool: Option<&Box<dyn Tool + '_>> = tools.iter().find(|tool| tool.definition().name == name);
    let Some(tool) = tool else { return Err(BadCall::new("there is no such tool", "use another")) };
    match tool.call(arguments, budget_tokens) {
        Ok(output) => Ok(text(&output)),
        Err(ToolFailure { problem, hint }) => Err(BadCall::new(problem, hint)),
    }
}

fn text(output: &ToolOutput) -> String {
    let mut text = String::new();
    for (source, words) in &output.quoted {
        let has_place = words.starts_with("[doc:");
        match words.split_once(' ').filter(|_| has_place) {
            Some((place, rest)) => text += &format!("{place} {source}, {rest}\n"),
            None => text += &format!("{}\n", words.trim_end()),
        }
    }
    for note in &output.notes {
        text += &format!("note: {note}\n");
    }
    text
}
