use adit_answer::Fence;
use adit_core::{Passage, ToolCall, ToolDefinition};
use serde_json::{Map, Value};

/// What a tool may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Privilege {
    /// It only reads, and only what the reader may see.
    Read,
    /// It changes something or sends something out. After the model has seen text of a document, each call
    /// needs a [`Confirmation`]: the wish may be the document's.
    Act,
}

/// What a model may call. The arguments come from a model that may have read anything: check them all.
pub trait Tool: Send + Sync {
    /// How the model is told of it. The texts must not hold words of a document.
    fn definition(&self) -> ToolDefinition;

    /// What it may do.
    fn privilege(&self) -> Privilege;

    /// Answers a call within about `budget_tokens`.
    ///
    /// # Errors
    /// [`ToolFailure`], which the model is shown.
    fn call(&self, arguments: &Map<String, Value>, budget_tokens: usize) -> Result<ToolOutput, ToolFailure>;
}

/// Asks a person whether a tool may act.
pub trait Confirmation: Send + Sync {
    /// Whether `call` may run. `seen` are the sources of the passages that the model has read until now.
    fn confirm(&self, call: &ToolCall, seen: &[String]) -> bool;
}

/// What a tool gives. Everything that comes from outside the program is data and is fenced before a model sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolOutput {
    /// Passages; they may be cited in the answer.
    pub passages: Vec<Passage>,
    /// Other words from documents, each with a name for them.
    pub quoted: Vec<(String, String)>,
    /// The program's own sentences: what was cut, how to go on. Never words of a document.
    pub notes: Vec<String>,
    /// What models that the tool called are billed for.
    pub usage: adit_core::TokenUsage,
}

impl ToolOutput {
    /// As the model is shown it; `None` when a part of it holds the fence's marker.
    pub(crate) fn fenced(&self, fence: &Fence) -> Option<String> {
        let holds = |text: &str| fence.occurs_in(text);
        let passages = self.passages.iter().flat_map(|passage| {
            let texts = [passage.text.as_str(), passage.source.as_str()].into_iter();
            texts
                .chain(passage.heading_path.iter().map(String::as_str))
                .chain(passage.table_header.as_deref())
        });
        let quoted = self.quoted.iter().flat_map(|(name, words)| [name.as_str(), words.as_str()]);
        if passages.chain(quoted).any(holds) {
            return None;
        }
        let mut parts: Vec<String> = self.passages.iter().map(|passage| fence.wrap(passage).text).collect();
        parts.extend(self.quoted.iter().map(|(name, words)| fence.wrap_text(name, words)));
        parts.extend(self.notes.iter().map(|note| format!("note: {note}")));
        Some(parts.join("\n"))
    }
}

/// A call that was not answered; the model can mend it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolFailure {
    /// What is wrong.
    pub problem: String,
    /// What to do instead.
    pub hint: String,
}

impl ToolFailure {
    /// A failure and what to do instead.
    #[must_use]
    pub fn new(problem: impl Into<String>, hint: impl Into<String>) -> Self {
        Self { problem: problem.into(), hint: hint.into() }
    }
}
