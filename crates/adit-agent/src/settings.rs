use serde::{Deserialize, Serialize};

use crate::AgentError;

/// Which way a question is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Policy {
    /// One search and one answer; the loop where the question has several parts or the one search is refused.
    #[default]
    Auto,
    /// The model calls tools until it answers.
    Loop,
    /// Retrieve, grade, rewrite, generate or give up, in a fixed order.
    Graph,
}

/// How far an agent may go for one question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentSettings {
    /// Calls of the model, the one that writes the answer included.
    pub max_steps: usize,
    /// Tool calls in all; several may be asked for in one step.
    pub max_tool_calls: usize,
    /// Tokens that all calls together may read and write, as estimated before and billed after each.
    pub max_total_tokens: u64,
    /// Tokens of one tool's result.
    pub tool_result_tokens: usize,
    /// From this size of a prompt on, results of old tool calls are cleared from it.
    pub clear_above_tokens: usize,
    /// Results that are never cleared: the newest.
    pub kept_results: usize,
    /// Rewrites of the fixed policy.
    pub max_rewrites: usize,
    /// What the `sql` tool may read and return.
    pub tables: TableLimits,
}

impl Default for AgentSettings {
    fn default() -> Self {
        Self {
            max_steps: 8,
            max_tool_calls: 16,
            max_total_tokens: 120_000,
            tool_result_tokens: 2_500,
            clear_above_tokens: 16_000,
            kept_results: 2,
            max_rewrites: 2,
            tables: TableLimits::default(),
        }
    }
}

/// Limits of the `sql` tool. What they cut is said in its result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TableLimits {
    /// Documents whose tables are loaded.
    pub max_documents: usize,
    /// Bytes of text that are looked through for tables.
    pub max_source_bytes: usize,
    /// Rows that are loaded, all tables together.
    pub max_loaded_rows: usize,
    /// Rows of one result.
    pub max_rows: usize,
    /// Bytes of one result.
    pub max_result_bytes: usize,
    /// Time of one statement in milliseconds.
    pub max_time_ms: u64,
}

impl Default for TableLimits {
    fn default() -> Self {
        Self {
            max_documents: 500,
            max_source_bytes: 32 << 20,
            max_loaded_rows: 200_000,
            max_rows: 50,
            max_result_bytes: 8 << 10,
            max_time_ms: 2_000,
        }
    }
}

impl AgentSettings {
    /// # Errors
    /// [`AgentError::Setting`] for a value that cannot be meant.
    pub(crate) fn check(&self) -> Result<(), AgentError> {
        let least = adit_retrieve::MIN_BUDGET_TOKENS;
        let problem = |setting, given, expected| Err(AgentError::Setting { setting, given, expected });
        match self {
            Self { max_steps: 0, .. } => problem("max_steps", 0, "at least 1"),
            Self { max_total_tokens: 0, .. } => problem("max_total_tokens", 0, "at least 1"),
            Self { tool_result_tokens, .. } if *tool_result_tokens < least => {
                problem("tool_result_tokens", *tool_result_tokens, "at least 200")
            }
            Self { max_rewrites, .. } if *max_rewrites > 2 => {
                problem("max_rewrites", *max_rewrites, "at most 2")
            }
            _ => Ok(()),
        }
    }
}
