use adit_answer::estimated_tokens;
use adit_core::{Completion, CompletionRequest, StopReason, ToolChoice};

use crate::AgentSettings;
use crate::context::Context;
use crate::evidence::Evidence;
use crate::model_calls::{ModelCalls, NoCompletion, request_tokens};
use crate::prompt::{LAST_STEP, system_prompt};
use crate::toolbox::Toolbox;
use crate::trace::{Ended, ModelPurpose};

/// Tool calls of one step that are answered; the others are told to wait.
const CALLS_OF_A_STEP: usize = 8;

/// The loop in which the model calls tools until it answers.
pub(crate) struct Steps<'a, 'm> {
    pub(crate) calls: &'a mut ModelCalls<'m>,
    pub(crate) toolbox: Toolbox<'a>,
    pub(crate) context: Context,
    pub(crate) evidence: &'a mut Evidence,
    pub(crate) settings: &'a AgentSettings,
    pub(crate) max_output_tokens: usize,
    pub(crate) notices: Vec<String>,
}

/// What the model wrote in the end.
#[derive(Debug, Default)]
pub(crate) struct Written {
    /// Empty where it wrote nothing.
    pub(crate) text: String,
    pub(crate) is_cut_off: bool,
    /// Why it wrote nothing.
    pub(crate) gave_up: Option<String>,
}

impl Steps<'_, '_> {
    /// Runs to the end.
    pub(crate) fn run(&mut self) -> Written {
        let mut cleared = 0;
        loop {
            cleared += self.context.clear_old(self.settings.clear_above_tokens, self.settings.kept_results);
            let is_last = self.is_last();
            let request = self.request(is_last);
            let asked = self.calls.call(ModelPurpose::Step, request);
            let completion = match asked {
                Ok(completion) => completion,
                Err(NoCompletion::OverBudget) => {
                    return self.ended(Ended::OutOfTokens, "the token budget is used up", cleared);
                }
                Err(NoCompletion::Failed(error)) => {
                    self.notices.push(format!("the language model failed: {error}"));
                    return self.ended(Ended::ModelFailed, "the language model failed", cleared);
                }
            };
            // A model that calls tools though it may not has nothing more to say.
            if completion.tool_calls.is_empty() || is_last {
                self.tell_cleared(cleared);
                self.calls.trace.ended = if is_last { Ended::LastStep } else { Ended::Answered };
                return self.written(&completion);
            }
            self.answer_calls(completion);
        }
    }

    /// Whether the next call must be the answer: no step or tool call is left, or the tokens would not suffice for
    /// one more round and the answer after it.
    fn is_last(&self) -> bool {
        if self.calls.made + 1 >= self.settings.max_steps || self.toolbox.calls_left == 0 {
            return true;
        }
        let now = request_tokens(&self.request(false)) + self.max_output_tokens;
        let next = now + self.settings.tool_result_tokens + estimated_tokens(LAST_STEP);
        !self.calls.fits(now, next)
    }

    fn request(&self, is_last: bool) -> CompletionRequest {
        let messages = self.context.messages(is_last.then_some(LAST_STEP));
        let mut request = CompletionRequest::conversation(system_prompt(), messages, self.max_output_tokens);
        request.cache_system = true;
        // Listed also where none may be called, so that a cached prompt stays the same.
        request.tools = self.toolbox.definitions();
        if is_last {
            request.tool_choice = ToolChoice::None;
        }
        request
    }

    fn answer_calls(&mut self, completion: Completion) {
        let Completion { text, mut tool_calls, .. } = completion;
        let asked = tool_calls.len();
        tool_calls.truncate(CALLS_OF_A_STEP);
        if asked > tool_calls.len() {
            self.notices.push(format!("{} of {asked} tool calls of one step were made", tool_calls.len()));
        }
        let step = self.calls.made;
        let mut results = Vec::new();
        for call in &tool_calls {
            let (number, trace) = self.toolbox.call(call, step, &mut self.context, self.evidence);
            results.push(number);
            self.calls.push(trace);
        }
        self.context.add(text, tool_calls, results);
    }

    fn written(&mut self, completion: &Completion) -> Written {
        let is_cut_off = matches!(completion.stop, StopReason::OutputLimit | StopReason::Stopped);
        if is_cut_off {
            self.notices.push("the answer was cut off at the limit of output tokens".to_owned());
        }
        let is_declined = completion.stop == StopReason::Declined;
        let text = if is_declined { String::new() } else { completion.text.trim().to_owned() };
        let gave_up = text.is_empty().then(|| {
            let what = if is_declined { "declined to answer" } else { "wrote no answer" };
            format!("the language model {what}")
        });
        Written { text, is_cut_off, gave_up }
    }

    fn ended(&mut self, ended: Ended, why: &str, cleared: usize) -> Written {
        self.tell_cleared(cleared);
        self.calls.trace.ended = ended;
        Written { gave_up: Some(why.to_owned()), ..Written::default() }
    }

    fn tell_cleared(&mut self, cleared: usize) {
        if cleared > 0 {
            self.notices.push(format!("{cleared} old tool results were cleared from the context"));
        }
    }
}
