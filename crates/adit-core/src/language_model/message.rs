use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// The person, and everything that is shown to the model as material.
    User,
    /// The model.
    Assistant,
}

/// One turn of a conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// Who speaks.
    pub role: Role,
    /// What is said, in order.
    pub parts: Vec<ContentPart>,
    /// Whether everything up to the end of this message is to be kept in the provider's prompt cache.
    pub cache_here: bool,
}

impl Message {
    /// A user's turn of plain text.
    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self { role: Role::User, parts: vec![ContentPart::Text(text.into())], cache_here: false }
    }

    /// A model's turn of plain text.
    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self { role: Role::Assistant, parts: vec![ContentPart::Text(text.into())], cache_here: false }
    }

    /// All words of the turn, search results and tool results included, parts on lines of their own.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        for part in &self.parts {
            if !text.is_empty() {
                text.push('\n');
            }
            match part {
                ContentPart::Text(words) => text += words,
                ContentPart::SearchResult(result) => text += &result.text,
                ContentPart::ToolCall(call) => text += &format!("{}({})", call.name, call.arguments),
                ContentPart::ToolResult(result) => text += &result.text,
            }
        }
        text
    }
}

/// A part of a turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentPart {
    /// Words.
    Text(String),
    /// A passage, as data with its source. A provider that has a type for it uses it; others get `text`,
    /// which is complete by itself.
    SearchResult(SearchResultPart),
    /// The model's wish to have a tool called.
    ToolCall(ToolCall),
    /// What a tool gave.
    ToolResult(ToolResult),
}

/// A passage that is handed over as data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SearchResultPart {
    /// The passage's id.
    pub source: String,
    /// Where it stands, for people.
    pub title: String,
    /// Its words, already fenced and with the id, for models without a type of their own for passages.
    pub text: String,
    /// Its words alone.
    pub passage: String,
}

/// A tool call that the model asks for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id of the call; unique in the conversation.
    pub id: String,
    /// The tool.
    pub name: String,
    /// Its arguments; not checked against the tool's schema.
    pub arguments: Value,
}

/// What a tool gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolResult {
    /// Of the call that it answers.
    pub call_id: String,
    /// What it says.
    pub text: String,
    /// Whether the call failed, and `text` says why.
    pub is_error: bool,
}
