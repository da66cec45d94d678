use serde_json::Value;

use super::Message;

/// One question to a language model.
#[derive(Debug, Clone, PartialEq)]
pub struct CompletionRequest {
    /// What the model is and how it answers. Never holds text of a document.
    pub system: String,
    /// Whether the system text and the tools are to be kept in the provider's prompt cache.
    pub cache_system: bool,
    /// The conversation, oldest first; begins and ends with a user's turn.
    pub messages: Vec<Message>,
    /// The tools the model may ask for.
    pub tools: Vec<ToolDefinition>,
    /// Whether it must.
    pub tool_choice: ToolChoice,
    /// The form of its answer.
    pub output: OutputFormat,
    /// The most tokens the answer may have.
    pub max_output_tokens: usize,
    /// Sampling temperature; none takes the provider's own.
    pub temperature: Option<f32>,
    /// Whether the probability of each written token is wanted.
    pub token_probabilities: bool,
}

impl CompletionRequest {
    /// One user's turn without tools, answered in plain text at temperature 0.
    #[must_use]
    pub fn question(system: impl Into<String>, user: impl Into<String>, max_output_tokens: usize) -> Self {
        Self::conversation(system, vec![Message::user(user)], max_output_tokens)
    }

    /// A conversation without tools, answered in plain text at temperature 0.
    #[must_use]
    pub fn conversation(system: impl Into<String>, messages: Vec<Message>, max_output_tokens: usize) -> Self {
        Self {
            system: system.into(),
            cache_system: false,
            messages,
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
            output: OutputFormat::Text,
            max_output_tokens,
            temperature: Some(0.0),
            token_probabilities: false,
        }
    }

    /// The same request with one JSON value as its answer.
    #[must_use]
    pub fn wanting_json(self) -> Self {
        Self { output: OutputFormat::Json, ..self }
    }

    /// All words of the users' turns, for those who look for something in a request.
    #[must_use]
    pub fn user_text(&self) -> String {
        let turns = self.messages.iter().filter(|message| message.role == super::Role::User);
        turns.map(Message::text).collect::<Vec<_>>().join("\n")
    }
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolDefinition {
    /// Its name, `[a-z0-9_]+`.
    pub name: String,
    /// What it does, when to use it and when not.
    pub description: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// Whether a provider that can is to hold the model to the schema.
    pub strict: bool,
}

/// Whether the model calls a tool.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum ToolChoice {
    /// As it sees fit.
    #[default]
    Auto,
    /// Not in this turn, though tools are listed (so that a cached prefix stays the same).
    None,
    /// At least one.
    Required,
    /// This one.
    Named(String),
}

/// The form of an answer. A provider that can enforce it does; the caller checks the text all the same.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum OutputFormat {
    /// Words.
    #[default]
    Text,
    /// One JSON value.
    Json,
    /// One JSON value of this shape.
    Schema {
        /// A name for the shape, `[a-z0-9_]+`.
        name: String,
        /// JSON Schema.
        schema: Value,
    },
}
