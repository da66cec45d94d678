use std::sync::Arc;
use std::time::Instant;

use adit_answer::Fence;
use adit_core::{TokenUsage, ToolCall, ToolDefinition};
use adit_retrieve::warning_line;
use serde_json::{Map, Value};

use crate::context::{Context, HeldResult};
use crate::evidence::Evidence;
use crate::memory::Memory;
use crate::trace::{CallTrace, Called, ToolStatus};
use crate::{Confirmation, Privilege, Tool, ToolOutput};

/// Arguments that a trace shows.
const TRACED_CHARACTERS: usize = 500;

/// The tools of one question, and the only way to call one.
pub(crate) struct Toolbox<'a> {
    pub(crate) built_in: Vec<Box<dyn Tool + 'a>>,
    pub(crate) own: &'a [Arc<dyn Tool>],
    pub(crate) confirmation: Option<&'a dyn Confirmation>,
    pub(crate) fence: Fence,
    pub(crate) memory: Memory,
    pub(crate) calls_left: usize,
    pub(crate) result_tokens: usize,
}

impl Toolbox<'_> {
    pub(crate) fn definitions(&self) -> Vec<ToolDefinition> {
        self.tools().map(Tool::definition).collect()
    }

    fn tools(&self) -> impl Iterator<Item = &dyn Tool> {
        let built_in = self.built_in.iter().map(|tool| tool.as_ref() as &dyn Tool);
        built_in.chain(self.own.iter().map(|tool| tool.as_ref() as &dyn Tool))
    }

    /// Answers one call of the model, whatever it asks for. Gives the number of the result in `context`.
    pub(crate) fn call(
        &mut self,
        call: &ToolCall,
        step: usize,
        context: &mut Context,
        evidence: &mut Evidence,
    ) -> (usize, CallTrace) {
        let started = Instant::now();
        let Answered { number, status, result, output } = self.answer(call, context, evidence);
        let arguments: String = call.arguments.to_string().chars().take(TRACED_CHARACTERS).collect();
        let name: String = call.name.chars().take(TRACED_CHARACTERS).collect();
        let warned = output.passages.iter().filter_map(|passage| {
            warning_line(passage).map(|warning| format!("[doc:{}] {warning}", passage.id))
        });
        let trace = CallTrace {
            step,
            called: Called::Tool { name, arguments, status },
            usage: output.usage,
            elapsed_us: u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX),
            result,
            passages: output.passages.iter().map(|passage| passage.id.clone()).collect(),
            warnings: warned.collect(),
        };
        tracing::info!(
            step,
            tool = %call.name.chars().take(40).collect::<String>(),
            ?status,
            passages = trace.passages.len(),
            warnings = trace.warnings.len(),
            "tool call"
        );
        (number, trace)
    }

    fn answer(&mut self, call: &ToolCall, context: &mut Context, evidence: &mut Evidence) -> Answered {
        if self.calls_left == 0 {
            return Answered::refused(context, ToolStatus::OverBudget, "no tool call is left; answer now");
        }
        self.calls_left -= 1;
        let Some(privilege) = self.privilege(&call.name) else {
            let names: Vec<String> = self.definitions().into_iter().map(|tool| tool.name).collect();
            // The name that was asked for is not repeated: it may be a document's.
            let text = format!("there is no such tool; the tools are {}", names.join(", "));
            return Answered::refused(context, ToolStatus::Unknown, &text);
        };
        let Some(arguments) = arguments(&call.arguments) else {
            return Answered::refused(context, ToolStatus::Failed, "the arguments are no JSON object");
        };
        if privilege == Privilege::Act && evidence.saw_untrusted && !self.is_confirmed(call, evidence) {
            let text = "the user did not confirm this call, so it was not made; do not try it again";
            return Answered::refused(context, ToolStatus::NotConfirmed, text);
        }
        if privilege == Privilege::Read
            && let Some(number) = self.memory.result_of(&call.name, &arguments)
        {
            return remembered(context, number);
        }
        self.run(call, privilege, &arguments, context, evidence)
    }

    fn privilege(&self, name: &str) -> Option<Privilege> {
        self.tools().find(|tool| tool.definition().name == name).map(Tool::privilege)
    }

    /// Without anybody to ask, nothing is confirmed.
    fn is_confirmed(&self, call: &ToolCall, evidence: &Evidence) -> bool {
        let confirmed =
            self.confirmation.is_some_and(|confirmation| confirmation.confirm(call, evidence.sources()));
        tracing::warn!(tool = %call.name, confirmed, "a tool that acts was asked for after text of documents was read");
        confirmed
    }

    fn run(
        &mut self,
        call: &ToolCall,
        privilege: Privilege,
        arguments: &Map<String, Value>,
        context: &mut Context,
        evidence: &mut Evidence,
    ) -> Answered {
        let found = self.tools().find(|tool| tool.definition().name == call.name);
        let Some(result) = found.map(|tool| tool.call(arguments, self.result_tokens)) else {
            return Answered::refused(context, ToolStatus::Unknown, "there is no such tool");
        };
        let output = match result {
            Ok(output) => output,
            Err(failure) => {
                // An error may quote a document, such as the name of a column.
                let text = self.fence.wrap_text("error", &format!("{}\n{}", failure.problem, failure.hint));
                evidence.saw_untrusted = true;
                return Answered::refused(context, ToolStatus::Failed, &text);
            }
        };
        let Some(text) = output.fenced(&self.fence) else {
            let text = "the result was withheld: it holds the marker of this conversation";
            return Answered::refused(context, ToolStatus::Failed, text);
        };
        evidence.saw_untrusted |= !output.quoted.is_empty();
        evidence.add(&output.passages);
        let summary = summary(&call.name, &output);
        let number = context.next_result();
        if privilege == Privilege::Read {
            self.memory.remember(&call.name, arguments, number);
        }
        context.hold(HeldResult { text, is_error: false, summary: summary.clone(), is_cleared: false });
        Answered { number, status: ToolStatus::Ran, result: summary, output }
    }
}

/// What came of a call.
struct Answered {
    number: usize,
    status: ToolStatus,
    /// For the trace.
    result: String,
    output: ToolOutput,
}

impl Answered {
    fn refused(context: &mut Context, status: ToolStatus, text: &str) -> Self {
        let held = HeldResult {
            text: text.to_owned(),
            is_error: true,
            summary: "an error".to_owned(),
            is_cleared: false,
        };
        let number = context.hold(held);
        Self { number, status, result: text.to_owned(), output: ToolOutput::default() }
    }
}

/// The result of an earlier call, where it was cleared; otherwise that it is still there.
fn remembered(context: &mut Context, number: usize) -> Answered {
    let (text, summary) = match context.result(number) {
        Some(held) if held.is_cleared => (held.text.clone(), held.summary.clone()),
        _ => (
            "the same call was made before and its result is above; use other words, or answer".to_owned(),
            "a remark".to_owned(),
        ),
    };
    let result = format!("from memory: {summary}");
    let number = context.hold(HeldResult { text, is_error: false, summary, is_cleared: false });
    Answered { number, status: ToolStatus::FromMemory, result, output: ToolOutput::default() }
}

fn summary(name: &str, output: &ToolOutput) -> String {
    let mut said = vec![format!("{} passages", output.passages.len())];
    if !output.quoted.is_empty() {
        said.push(format!("{} other pieces", output.quoted.len()));
    }
    let usage = if output.usage == TokenUsage::default() { "" } else { ", with a model's help" };
    format!("{} of `{name}`{usage}", said.join(" and "))
}

/// Some providers hand arguments over as text.
fn arguments(given: &Value) -> Option<Map<String, Value>> {
    match given {
        Value::Object(arguments) => Some(arguments.clone()),
        Value::Null => Some(Map::new()),
        Value::String(text) => serde_json::from_str(text).ok(),
        _ => None,
    }
}
