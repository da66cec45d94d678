use adit_core::{PassageId, TokenUsage};
use serde::Serialize;

use crate::Policy;

/// How an agent came to its answer: every call in order, with its cost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgentTrace {
    /// The way that was taken in the end.
    pub policy: Policy,
    /// Why, in one sentence.
    pub route: String,
    /// Every call, of the model and of tools. The sum of their usages is the outcome's.
    pub calls: Vec<CallTrace>,
    /// Why it stopped.
    pub ended: Ended,
}

impl AgentTrace {
    pub(crate) fn new(policy: Policy, route: &str) -> Self {
        Self { policy, route: route.to_owned(), calls: Vec::new(), ended: Ended::Answered }
    }

    /// What all calls are billed for.
    #[must_use]
    pub fn usage(&self) -> TokenUsage {
        let mut usage = TokenUsage::default();
        for call in &self.calls {
            usage += call.usage;
        }
        usage
    }
}

/// Why an agent stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// The model answered, or refused to.
    Answered,
    /// The last step the budgets allow was reached, and the model answered from what it had.
    LastStep,
    /// The token budget left no room for another call.
    OutOfTokens,
    /// The model failed.
    ModelFailed,
    /// The fixed policy found no way on.
    GaveUp,
}

/// One call.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CallTrace {
    /// Calls of the model so far, this one included; a tool call has the number of the call that asked for it.
    pub step: usize,
    /// What was called.
    pub called: Called,
    /// What it is billed for.
    pub usage: TokenUsage,
    /// Wall time.
    pub elapsed_us: u64,
    /// What came of it, in words.
    pub result: String,
    /// Where the words it gave come from: the passages it showed.
    pub passages: Vec<PassageId>,
    /// What is suspicious about them.
    pub warnings: Vec<String>,
}

/// What was called.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Called {
    /// The language model, for this.
    Model {
        /// What it was for.
        purpose: ModelPurpose,
    },
    /// A tool.
    Tool {
        /// Its name, as the model wrote it.
        name: String,
        /// Its arguments, as the model wrote them.
        arguments: String,
        /// How it ended.
        status: ToolStatus,
    },
}

/// What a call of the model was for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelPurpose {
    /// The next step of the loop: tool calls, or the answer.
    Step,
    /// Whether passages answer the question.
    Grade,
    /// Another wording.
    Rewrite,
    /// Writing the answer.
    Generate,
    /// The judge of the answer's claims, all calls together.
    Verify,
    /// Everything of an answer without the loop.
    OneShot,
}

/// How a tool call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStatus {
    /// It ran.
    Ran,
    /// The same call had been made; its result came from memory.
    FromMemory,
    /// It failed, and the model was told why.
    Failed,
    /// There is no such tool.
    Unknown,
    /// It acts and was not confirmed.
    NotConfirmed,
    /// No tool call was left in the budget.
    OverBudget,
}
