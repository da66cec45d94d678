use serde::{Deserialize, Serialize};

/// `[agent]`: how far `adit ask --agent` may go for one question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AgentSection {
    /// Calls of the language model, the one that writes the answer included.
    pub max_steps: usize,
    /// Tool calls in all.
    pub max_tool_calls: usize,
    /// Tokens that all calls together may read and write.
    pub max_total_tokens: u64,
}

impl Default for AgentSection {
    fn default() -> Self {
        Self { max_steps: 8, max_tool_calls: 16, max_total_tokens: 120_000 }
    }
}

impl AgentSection {
    /// What is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.max_steps == 0 || self.max_total_tokens == 0 {
            return Err("agent.max_steps and agent.max_total_tokens must be above 0".to_owned());
        }
        Ok(())
    }
}
