//! Classic retrieval, which searches once for every question, against retrieval as a tool, which the model
//! calls when it wants to and pays for again on every call that follows.

use serde::Serialize;

use crate::error::{CostError, checked_amount, checked_share};
use crate::price_table::Price;
use crate::usage::{Usage, cost_usd};

/// What one question carries. The default is the reference workload of the project's agentic
/// retrieval chapter: five passages of 500 tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Workload {
    /// Instructions.
    pub system_tokens: u64,
    /// The question.
    pub question_tokens: u64,
    /// Passages that one search returns.
    pub passages_tokens: u64,
    /// The answer.
    pub answer_tokens: u64,
    /// The description of the search tool, in every call of an agent.
    pub tool_schema_tokens: u64,
    /// The request for one search: output of its call, input of every later one.
    pub tool_call_tokens: u64,
}

impl Default for Workload {
    fn default() -> Self {
        Self {
            system_tokens: 1000,
            question_tokens: 50,
            passages_tokens: 2500,
            answer_tokens: 400,
            tool_schema_tokens: 150,
            tool_call_tokens: 60,
        }
    }
}

impl Workload {
    /// One call with the passages in its prompt.
    #[must_use]
    pub fn classic(&self) -> Usage {
        Usage::plain(self.bare_tokens().saturating_add(self.passages_tokens), self.answer_tokens)
    }

    /// One call without passages and without a tool.
    #[must_use]
    pub fn without_retrieval(&self) -> Usage {
        Usage::plain(self.bare_tokens(), self.answer_tokens)
    }

    /// P: the prompt of an agent's first call.
    #[must_use]
    pub fn agent_prompt_tokens(&self) -> u64 {
        self.bare_tokens().saturating_add(self.tool_schema_tokens)
    }

    /// a: what one search adds to every later call.
    #[must_use]
    pub fn growth_tokens(&self) -> u64 {
        self.tool_call_tokens.saturating_add(self.passages_tokens)
    }

    /// The prompt of the last call after `searches` searches.
    #[must_use]
    pub fn final_prompt_tokens(&self, searches: u32) -> u64 {
        self.growth_tokens().saturating_mul(u64::from(searches)).saturating_add(self.agent_prompt_tokens())
    }

    /// Every call of an agent that searches `searches` times and then answers, without a prompt cache.
    pub fn agentic_calls(&self, searches: u32) -> impl Iterator<Item = Usage> {
        (0..=searches).map(move |call| {
            let output = if call < searches { self.tool_call_tokens } else { self.answer_tokens };
            Usage::plain(self.final_prompt_tokens(call), output)
        })
    }

    /// The same calls where each marks its prompt for the cache, so that the next one reads what this
    /// one sent. A prompt below `minimum_cacheable_tokens` is not cached, and the last is not marked.
    #[must_use]
    pub fn agentic_calls_cached(&self, searches: u32, minimum_cacheable_tokens: u64) -> Vec<Usage> {
        let mut cached_tokens = 0;
        let mut calls = Vec::new();
        for (call, plain) in self.agentic_calls(searches).enumerate() {
            let new_tokens = plain.input_tokens - cached_tokens;
            let is_marked = call < searches as usize && plain.input_tokens >= minimum_cacheable_tokens;
            calls.push(Usage {
                input_tokens: if is_marked { 0 } else { new_tokens },
                cache_write_tokens: if is_marked { new_tokens } else { 0 },
                cached_input_tokens: cached_tokens,
                ..plain
            });
            if is_marked {
                cached_tokens = plain.input_tokens;
            }
        }
        calls
    }

    fn bare_tokens(&self) -> u64 {
        self.system_tokens.saturating_add(self.question_tokens)
    }
}

/// Input tokens of `calls` calls whose prompt begins at `prompt_tokens` and grows by
/// `growth_tokens` each: `n·P + a·n(n-1)/2`.
#[must_use]
pub fn loop_input_tokens(calls: u32, prompt_tokens: u64, growth_tokens: u64) -> u64 {
    let n = u128::from(calls);
    let sum = n * u128::from(prompt_tokens)
        + (n * n.saturating_sub(1) / 2).saturating_mul(u128::from(growth_tokens));
    u64::try_from(sum).unwrap_or(u64::MAX)
}

/// The three prices between which a share of questions decides.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct RoutingCosts {
    /// A question for which passages are always retrieved.
    pub always_usd: f64,
    /// A question for which an agent searches nothing.
    pub skip_usd: f64,
    /// A question for which an agent searches.
    pub search_usd: f64,
}

/// From where on which way is cheaper, by the share of questions that need the corpus.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum BreakEven {
    /// Letting the model choose is cheaper below this share, always retrieving above it.
    At {
        /// 0 to 1.
        share: f64,
    },
    /// Letting the model choose is never dearer.
    ToolIsNeverDearer,
    /// Letting the model choose is never cheaper.
    ToolIsNeverCheaper,
}

impl RoutingCosts {
    /// The three prices of a workload whose corpus questions take `searches` searches.
    #[must_use]
    pub fn of(workload: &Workload, searches: u32, price: &Price) -> Self {
        let agentic_usd = |searches| cost_usd(&workload.agentic_calls(searches).sum(), price);
        Self {
            always_usd: cost_usd(&workload.classic(), price),
            skip_usd: agentic_usd(0),
            search_usd: agentic_usd(searches),
        }
    }

    /// What a question costs an agent on average where `share` of all need the corpus.
    ///
    /// # Errors
    /// [`CostError::InvalidShare`].
    pub fn blended_usd(&self, share: f64) -> Result<f64, CostError> {
        let share = checked_share("the share of corpus questions", share)?;
        Ok((1.0 - share) * self.skip_usd + share * self.search_usd)
    }

    /// The share at which both ways cost the same.
    ///
    /// # Errors
    /// [`CostError::InvalidAmount`] for a price that is negative or no number.
    pub fn break_even(&self) -> Result<BreakEven, CostError> {
        for (what, usd) in
            [("always_usd", self.always_usd), ("skip_usd", self.skip_usd), ("search_usd", self.search_usd)]
        {
            checked_amount(what, usd)?;
        }
        let most = self.skip_usd.max(self.search_usd);
        let least = self.skip_usd.min(self.search_usd);
        Ok(if most <= self.always_usd {
            BreakEven::ToolIsNeverDearer
        } else if least >= self.always_usd || self.skip_usd > self.search_usd {
            BreakEven::ToolIsNeverCheaper
        } else {
            let share = (self.always_usd - self.skip_usd) / (self.search_usd - self.skip_usd);
            BreakEven::At { share }
        })
    }
}
