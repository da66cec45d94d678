use std::collections::VecDeque;
use std::sync::Mutex;

use adit_core::{
    Completion, CompletionRequest, LanguageModel, LanguageModelDescription, LanguageModelError, StopReason,
    TokenUsage, ToolCall,
};

/// A language model without a model: answers by a script and remembers what it was asked.
///
/// The first entry whose text occurs in the request (system or user text) answers; an entry added with
/// [`ScriptedModel::answer_once`] is used up by that. Tokens are counted as words.
#[derive(Debug, Default)]
pub struct ScriptedModel {
    description: LanguageModelDescription,
    script: Mutex<Vec<ScriptEntry>>,
    failures: Mutex<VecDeque<LanguageModelError>>,
    requests: Mutex<Vec<CompletionRequest>>,
}

#[derive(Debug)]
struct ScriptEntry {
    contained: String,
    answer: ScriptedAnswer,
    once: bool,
}

#[derive(Debug, Clone)]
enum ScriptedAnswer {
    Text(String),
    Calls(Vec<ToolCall>),
}

impl ScriptedModel {
    /// A model that knows no answer yet.
    #[must_use]
    pub fn new() -> Self {
        let description = LanguageModelDescription {
            provider: "scripted".to_owned(),
            model: "scripted".to_owned(),
            calls_tools: true,
            ..LanguageModelDescription::default()
        };
        Self { description, ..Self::default() }
    }

    /// Answers every request that contains `contained` with `answer`.
    #[must_use]
    pub fn answer(self, contained: &str, answer: &str) -> Self {
        self.with_entry(contained, ScriptedAnswer::Text(answer.to_owned()), false)
    }

    /// Answers the next request that contains `contained` with `answer`, then forgets it.
    #[must_use]
    pub fn answer_once(self, contained: &str, answer: &str) -> Self {
        self.with_entry(contained, ScriptedAnswer::Text(answer.to_owned()), true)
    }

    /// Asks once for these tools, with their arguments, when a request contains `contained`.
    #[must_use]
    pub fn call_tools_once(self, contained: &str, calls: &[(&str, serde_json::Value)]) -> Self {
        let calls = (1..).zip(calls).map(|(number, (name, arguments))| ToolCall {
            id: format!("call-{contained}-{number}"),
            name: (*name).to_owned(),
            arguments: arguments.clone(),
        });
        let calls = ScriptedAnswer::Calls(calls.collect());
        self.with_entry(contained, calls, true)
    }

    /// Lets the next call fail with `error`; several failures are used up in order.
    pub fn fail_next(&self, error: LanguageModelError) {
        self.failures.lock().unwrap().push_back(error);
    }

    /// Everything it was asked, failed calls included, in order.
    #[must_use]
    pub fn requests(&self) -> Vec<CompletionRequest> {
        self.requests.lock().unwrap().clone()
    }

    fn with_entry(self, contained: &str, answer: ScriptedAnswer, once: bool) -> Self {
        let entry = ScriptEntry { contained: contained.to_owned(), answer, once };
        self.script.lock().unwrap().push(entry);
        self
    }

    fn look_up(&self, request: &CompletionRequest) -> Option<ScriptedAnswer> {
        let mut script = self.script.lock().unwrap();
        let user = request.user_text();
        let index = script
            .iter()
            .position(|entry| user.contains(&entry.contained) || request.system.contains(&entry.contained))?;
        if script[index].once {
            return Some(script.remove(index).answer);
        }
        Some(script[index].answer.clone())
    }
}

impl LanguageModel for ScriptedModel {
    fn description(&self) -> &LanguageModelDescription {
        &self.description
    }

    fn complete(&self, request: &CompletionRequest) -> Result<Completion, LanguageModelError> {
        self.requests.lock().unwrap().push(request.clone());
        if let Some(error) = self.failures.lock().unwrap().pop_front() {
            return Err(error);
        }
        let answer = self.look_up(request).ok_or_else(|| LanguageModelError::Rejected {
            detail: format!("the script has no answer for: {}", request.user_text()),
        })?;
        let read: usize = request.messages.iter().map(|message| words(&message.text())).sum();
        let input_tokens = (words(&request.system) + read) as u64;
        let (text, tool_calls, stop) = match answer {
            ScriptedAnswer::Text(text) => (text, Vec::new(), StopReason::Done),
            ScriptedAnswer::Calls(calls) => (String::new(), calls, StopReason::ToolCalls),
        };
        let written: usize = tool_calls.iter().map(|call| words(&call.arguments.to_string())).sum();
        let output_tokens = (words(&text) + written) as u64;
        let usage = TokenUsage { input_tokens, output_tokens, ..TokenUsage::default() };
        Ok(Completion { text, tool_calls, stop, usage, ..Completion::default() })
    }
}

fn words(text: &str) -> usize {
    text.split_whitespace().count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(model: &ScriptedModel, user: &str) -> Result<Completion, LanguageModelError> {
        model.complete(&CompletionRequest::question("be brief", user, 10))
    }

    #[test]
    fn answers_by_the_script_and_fails_on_demand() {
        let model = ScriptedModel::new().answer_once("bee", "one two").answer("bee", "three");
        assert_eq!(ask(&model, "a bee").unwrap().usage.output_tokens, 2);
        assert_eq!(ask(&model, "a bee").unwrap().text, "three");
        model.fail_next(LanguageModelError::Unreachable { detail: "cable".to_owned() });
        assert!(ask(&model, "a bee").is_err());
        assert_eq!(ask(&model, "a bee").unwrap().usage.input_tokens, 4);
        assert!(matches!(ask(&model, "an ant"), Err(LanguageModelError::Rejected { .. })));
        assert_eq!(model.requests().len(), 5);
    }
}
