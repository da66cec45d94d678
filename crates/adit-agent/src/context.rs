use adit_answer::estimated_tokens;
use adit_core::{ContentPart, Message, Role, ToolCall, ToolResult};

/// The conversation with the model, of which old results can be cleared.
pub(crate) struct Context {
    /// Before the question, and the question.
    opening: Vec<Message>,
    exchanges: Vec<Exchange>,
    /// Every result, by its number.
    results: Vec<HeldResult>,
}

/// One step of the model and what came of it.
struct Exchange {
    words: String,
    calls: Vec<ToolCall>,
    /// Numbers of the results, one for each call.
    results: Vec<usize>,
}

/// A tool's result as the model sees it.
#[derive(Debug, Clone)]
pub(crate) struct HeldResult {
    pub(crate) text: String,
    pub(crate) is_error: bool,
    /// What its line says once it is cleared.
    pub(crate) summary: String,
    pub(crate) is_cleared: bool,
}

impl HeldResult {
    fn shown(&self) -> String {
        if !self.is_cleared {
            return self.text.clone();
        }
        format!("[cleared to save room: {}; make the same call again to see it]", self.summary)
    }
}

impl Context {
    pub(crate) fn new(history: &[Message], question_turn: String) -> Self {
        let mut opening = history.to_vec();
        opening.push(Message::user(question_turn));
        Self { opening, exchanges: Vec::new(), results: Vec::new() }
    }

    /// The number of the next result.
    pub(crate) fn next_result(&self) -> usize {
        self.results.len()
    }

    pub(crate) fn result(&self, number: usize) -> Option<&HeldResult> {
        self.results.get(number)
    }

    /// Keeps one result; it is shown with the exchange that is added next.
    pub(crate) fn hold(&mut self, result: HeldResult) -> usize {
        self.results.push(result);
        self.results.len() - 1
    }

    pub(crate) fn add(&mut self, words: String, calls: Vec<ToolCall>, results: Vec<usize>) {
        self.exchanges.push(Exchange { words, calls, results });
    }

    /// Clears the oldest results until the whole is below `limit_tokens`, but never the newest `kept`. Gives how many
    /// were cleared.
    pub(crate) fn clear_old(&mut self, limit_tokens: usize, kept: usize) -> usize {
        let mut tokens = self.tokens();
        let clearable = self.results.len().saturating_sub(kept);
        let mut cleared = 0;
        for result in self.results.iter_mut().take(clearable) {
            if tokens <= limit_tokens {
                break;
            }
            if !result.is_cleared {
                let before = estimated_tokens(&result.text);
                result.is_cleared = true;
                tokens = (tokens + estimated_tokens(&result.shown())).saturating_sub(before);
                cleared += 1;
            }
        }
        cleared
    }

    fn tokens(&self) -> usize {
        self.messages(None).iter().map(|message| estimated_tokens(&message.text())).sum()
    }

    /// As the model reads it, with `last` behind the newest results. The newest turn is marked for the provider's
    /// prompt cache, since the next call begins with the same words.
    pub(crate) fn messages(&self, last: Option<&str>) -> Vec<Message> {
        let mut messages = self.opening.clone();
        for exchange in &self.exchanges {
            let mut parts = Vec::new();
            if !exchange.words.is_empty() {
                parts.push(ContentPart::Text(exchange.words.clone()));
            }
            parts.extend(exchange.calls.iter().cloned().map(ContentPart::ToolCall));
            messages.push(Message { role: Role::Assistant, parts, cache_here: false });
            let results = exchange.calls.iter().zip(&exchange.results).filter_map(|(call, number)| {
                let held = self.results.get(*number)?;
                let (call_id, text, is_error) = (call.id.clone(), held.shown(), held.is_error);
                Some(ContentPart::ToolResult(ToolResult { call_id, text, is_error }))
            });
            messages.push(Message { role: Role::User, parts: results.collect(), cache_here: false });
        }
        if let Some(newest) = messages.last_mut() {
            if let Some(last) = last {
                newest.parts.push(ContentPart::Text(last.to_owned()));
            }
            newest.cache_here = true;
        }
        messages
    }
}
