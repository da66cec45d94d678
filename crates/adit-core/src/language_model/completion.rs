use serde::{Deserialize, Serialize};

use super::ToolCall;

/// What the model answered, and what it is billed for.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Completion {
    /// The words of the answer.
    pub text: String,
    /// The tools it asks for.
    pub tool_calls: Vec<ToolCall>,
    /// Citations the provider made by itself, as byte ranges of `text`.
    pub citations: Vec<NativeCitation>,
    /// Why it ended.
    pub stop: StopReason,
    /// What it is billed for.
    pub usage: TokenUsage,
    /// Probabilities of the written tokens, where they were asked for and offered.
    pub token_probabilities: Vec<TokenProbability>,
    /// The model that answered, as the provider names it; empty where it does not say.
    pub model: String,
}

/// Why an answer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    /// The model was done.
    #[default]
    Done,
    /// It asks for tools.
    ToolCalls,
    /// The limit of output tokens cut it off.
    OutputLimit,
    /// The provider or the model declined to answer.
    Declined,
    /// The caller stopped it.
    Stopped,
}

/// Tokens of one call, each counted in exactly one field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TokenUsage {
    /// Input at the ordinary rate.
    pub input_tokens: u64,
    /// Input read from the provider's prompt cache.
    pub cached_input_tokens: u64,
    /// Input written to the provider's prompt cache.
    pub cache_write_tokens: u64,
    /// Output, thinking included.
    pub output_tokens: u64,
}

impl TokenUsage {
    /// Everything the model read.
    #[must_use]
    pub fn read_tokens(&self) -> u64 {
        self.input_tokens.saturating_add(self.cached_input_tokens).saturating_add(self.cache_write_tokens)
    }
}

impl std::ops::AddAssign for TokenUsage {
    fn add_assign(&mut self, other: Self) {
        self.input_tokens = self.input_tokens.saturating_add(other.input_tokens);
        self.cached_input_tokens = self.cached_input_tokens.saturating_add(other.cached_input_tokens);
        self.cache_write_tokens = self.cache_write_tokens.saturating_add(other.cache_write_tokens);
        self.output_tokens = self.output_tokens.saturating_add(other.output_tokens);
    }
}

/// A citation that the provider made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NativeCitation {
    /// First byte of the cited words in the answer's text.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
    /// `source` of the search result.
    pub source: String,
    /// The words it cites, as the provider gives them.
    pub quote: String,
}

/// A written token and how sure the model was of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct TokenProbability {
    /// The token's text.
    pub token: String,
    /// Natural logarithm of its probability.
    pub log_probability: f32,
    /// Other tokens at this place with theirs, best first, where offered.
    pub alternatives: Vec<(String, f32)>,
}
