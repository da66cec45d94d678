use std::time::Instant;

use adit_answer::estimated_tokens;
use adit_core::{Completion, CompletionRequest, LanguageModel, LanguageModelError, TokenUsage};

use crate::trace::{AgentTrace, CallTrace, Called, ModelPurpose};

/// Every call of the model for one question, under one token budget.
pub(crate) struct ModelCalls<'a> {
    model: &'a dyn LanguageModel,
    pub(crate) trace: AgentTrace,
    on_call: &'a mut dyn FnMut(&CallTrace),
    max_total_tokens: u64,
    /// Calls of the model, failed ones included.
    pub(crate) made: usize,
}

/// Why there is no completion.
pub(crate) enum NoCompletion {
    /// The token budget leaves no room.
    OverBudget,
    /// The model failed.
    Failed(LanguageModelError),
}

impl<'a> ModelCalls<'a> {
    pub(crate) fn new(
        model: &'a dyn LanguageModel,
        trace: AgentTrace,
        max_total_tokens: u64,
        on_call: &'a mut dyn FnMut(&CallTrace),
    ) -> Self {
        Self { model, trace, on_call, max_total_tokens, made: 0 }
    }

    /// Tokens that are left, as billed so far.
    pub(crate) fn room_tokens(&self) -> u64 {
        let used = self.trace.usage();
        self.max_total_tokens.saturating_sub(used.read_tokens().saturating_add(used.output_tokens))
    }

    /// Whether a call of so many tokens fits, with so many more kept back.
    pub(crate) fn fits(&self, needed_tokens: usize, kept_back_tokens: usize) -> bool {
        let needed = u64::try_from(needed_tokens.saturating_add(kept_back_tokens)).unwrap_or(u64::MAX);
        needed <= self.room_tokens()
    }

    /// Makes one call. Its answer is cut to what the budget leaves.
    pub(crate) fn call(
        &mut self,
        purpose: ModelPurpose,
        mut request: CompletionRequest,
    ) -> Result<Completion, NoCompletion> {
        let input = u64::try_from(request_tokens(&request)).unwrap_or(u64::MAX);
        let left = usize::try_from(self.room_tokens().saturating_sub(input)).unwrap_or(usize::MAX);
        if left == 0 {
            return Err(NoCompletion::OverBudget);
        }
        request.max_output_tokens = request.max_output_tokens.min(left);
        self.made += 1;
        let started = Instant::now();
        let answered = self.model.complete(&request);
        let (usage, result) = match &answered {
            Ok(completion) if completion.tool_calls.is_empty() => (completion.usage, "text".to_owned()),
            Ok(completion) => (completion.usage, format!("{} tool calls", completion.tool_calls.len())),
            Err(error) => (TokenUsage::default(), error.to_string()),
        };
        let called = Called::Model { purpose };
        let elapsed_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
        self.record(called, usage, elapsed_us, result);
        answered.map_err(NoCompletion::Failed)
    }

    /// Records what was not called through here but belongs to the question.
    pub(crate) fn record(&mut self, called: Called, usage: TokenUsage, elapsed_us: u64, result: String) {
        let step = self.made;
        let (passages, warnings) = (Vec::new(), Vec::new());
        self.push(CallTrace { step, called, usage, elapsed_us, result, passages, warnings });
    }

    pub(crate) fn push(&mut self, call: CallTrace) {
        (self.on_call)(&call);
        self.trace.calls.push(call);
    }

    pub(crate) fn model_name(&self) -> &str {
        &self.model.description().model
    }
}

/// An estimate of what a request's input is billed for.
pub(crate) fn request_tokens(request: &CompletionRequest) -> usize {
    let messages: usize = request.messages.iter().map(|message| estimated_tokens(&message.text())).sum();
    let tools: usize = request
        .tools
        .iter()
        .map(|tool| estimated_tokens(&tool.description) + estimated_tokens(&tool.input_schema.to_string()))
        .sum();
    estimated_tokens(&request.system) + messages + tools
}
