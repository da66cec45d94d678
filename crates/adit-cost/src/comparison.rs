//! One question answered in three ways: classic retrieval, retrieval as a tool, and the whole corpus as context.

use serde::Serialize;

use crate::agentic::{BreakEven, RoutingCosts, Workload};
use crate::cache::{CacheFloor, CacheTraffic};
use crate::error::CostError;
use crate::long_context::{LongContext, break_even_corpus_tokens};
use crate::money::{format_count, format_share, format_usd};
use crate::price_table::Price;
use crate::usage::{Usage, cost_usd};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct ComparisonInput {
    /// The question, its passages and its answer.
    pub workload: Workload,
    /// Rows of the table: an agent that searches 0 to this many times.
    pub most_searches: u32,
    /// Searches that a question of the corpus takes, for the break-even.
    pub searches_per_corpus_question: u32,
    /// Share of questions that need the corpus.
    pub corpus_question_share: f64,
    /// The corpus, read whole.
    pub corpus_tokens: u64,
    /// Questions a day, which keep the cache filled.
    pub questions_per_day: f64,
    /// Changes of the corpus a day, which empty it.
    pub changes_per_day: f64,
}

/// An agent's question with some number of searches.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct AgenticRow {
    /// How many.
    pub searches: u32,
    /// Input of the last call.
    pub final_prompt_tokens: u64,
    /// Input of all calls.
    pub input_tokens: u64,
    /// All calls, without a cache.
    pub usd: f64,
    /// All calls, each reading from the cache what the one before it sent.
    pub cached_usd: f64,
    /// `usd` by what a classic question costs.
    pub times_classic: f64,
}

/// A question with the whole corpus before it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct LongContextRow {
    /// The corpus.
    pub corpus_tokens: u64,
    /// Whether a corpus of this size can be cached.
    pub cache_floor: CacheFloor,
    /// Without a cache.
    pub uncached_usd: f64,
    /// Where the cache is filled.
    pub cache_hit_usd: f64,
    /// Where it has to be filled.
    pub cache_miss_usd: f64,
    /// Share of questions that find it empty.
    pub miss_share: f64,
    /// On average with the cache.
    pub average_usd: f64,
    /// `average_usd` by what a classic question costs.
    pub times_classic: f64,
    /// The corpus size at which a question that finds the cache filled costs what classic retrieval does.
    pub break_even_corpus_tokens: Option<f64>,
}

/// The three ways side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// The model whose prices are used.
    pub model: String,
    /// One call with the passages in it.
    pub classic_usd: f64,
    /// One call without passages and without a tool.
    pub without_retrieval_usd: f64,
    /// Retrieval as a tool.
    pub agentic: Vec<AgenticRow>,
    /// The share of corpus questions at which classic and tool cost the same.
    pub break_even: BreakEven,
    /// A question by tool on average, at the share given.
    pub blended_usd: f64,
    /// The corpus as context.
    pub long_context: LongContextRow,
}

impl Comparison {
    /// Computes all of it.
    ///
    /// # Errors
    /// [`CostError::InvalidShare`] and [`CostError::InvalidAmount`].
    pub fn of(input: &ComparisonInput, price: &Price) -> Result<Self, CostError> {
        let workload = input.workload;
        let routing = RoutingCosts::of(&workload, input.searches_per_corpus_question, price);
        let classic_usd = routing.always_usd;
        Ok(Self {
            model: price.model.clone(),
            classic_usd,
            without_retrieval_usd: cost_usd(&workload.without_retrieval(), price),
            agentic: (0..=input.most_searches)
                .map(|searches| agentic_row(&workload, searches, classic_usd, price))
                .collect(),
            break_even: routing.break_even()?,
            blended_usd: routing.blended_usd(input.corpus_question_share)?,
            long_context: long_context_row(input, classic_usd, price)?,
        })
    }

    /// The comparison as text.
    #[must_use]
    pub fn render(&self, input: &ComparisonInput) -> String {
        let classic = input.workload.classic();
        let mut text = format!(
            "What one question costs with {}\n\nClassic: retrieve, then one call of {} tokens in and {} out: {}\n\n\
             Retrieval as a tool: every search is sent again with each later call\n\
             \x20 searches   last prompt      all input        cost   with cache   by classic\n",
            self.model,
            format_count(classic.input_tokens),
            format_count(classic.output_tokens),
            format_usd(self.classic_usd),
        );
        for row in &self.agentic {
            text += &format!(
                "  {:>8}  {:>12}  {:>13}  {:>10}  {:>11}  {:>10.2}x\n",
                row.searches,
                format_count(row.final_prompt_tokens),
                format_count(row.input_tokens),
                format_usd(row.usd),
                format_usd(row.cached_usd),
                row.times_classic,
            );
        }
        text + &self.render_break_even(input) + &self.render_long_context(input)
    }

    fn render_break_even(&self, input: &ComparisonInput) -> String {
        let even = match self.break_even {
            BreakEven::At { share } => format!(
                "cheaper while fewer than {} of the questions need the corpus (searches for each: {})",
                format_share(share),
                input.searches_per_corpus_question,
            ),
            BreakEven::ToolIsNeverDearer => "never dearer than classic".to_owned(),
            BreakEven::ToolIsNeverCheaper => "never cheaper than classic".to_owned(),
        };
        format!(
            "  {even}; at {}: {} on average\n\n",
            format_share(input.corpus_question_share),
            format_usd(self.blended_usd)
        )
    }

    fn render_long_context(&self, input: &ComparisonInput) -> String {
        let row = &self.long_context;
        let mut text = format!(
            "Long context: all {} tokens with every question\n  {:<28}{:>10}\n",
            format_count(row.corpus_tokens),
            "without a cache",
            format_usd(row.uncached_usd),
        );
        if let CacheFloor::Below { minimum_tokens, .. } = row.cache_floor {
            text += &format!(
                "  below the {} tokens from which anything is cached\n",
                format_count(minimum_tokens)
            );
            return text;
        }
        text += &format!(
            "  {:<28}{:>10}\n  {:<28}{:>10}\n  {:<28}{:>10}  {:.2}x classic; at {} questions a day, \
             spread at random, and {} changes, {} find the cache empty\n",
            "cached, cache filled",
            format_usd(row.cache_hit_usd),
            "cached, cache to be written",
            format_usd(row.cache_miss_usd),
            "cached, on average",
            format_usd(row.average_usd),
            row.times_classic,
            input.questions_per_day,
            input.changes_per_day,
            format_share(row.miss_share),
        );
        if let Some(tokens) = row.break_even_corpus_tokens {
            text += &format!(
                "  with a filled cache, as cheap as classic up to a corpus of {} tokens\n",
                format_count(tokens.round() as u64)
            );
        }
        text
    }
}

fn agentic_row(workload: &Workload, searches: u32, classic_usd: f64, price: &Price) -> AgenticRow {
    let plain: Usage = workload.agentic_calls(searches).sum();
    let floor = price.minimum_cacheable_tokens.unwrap_or(0);
    let cached: Usage = workload.agentic_calls_cached(searches, floor).into_iter().sum();
    let usd = cost_usd(&plain, price);
    AgenticRow {
        searches,
        final_prompt_tokens: workload.final_prompt_tokens(searches),
        input_tokens: plain.input_tokens,
        usd,
        cached_usd: cost_usd(&cached, price),
        times_classic: usd / classic_usd,
    }
}

fn long_context_row(
    input: &ComparisonInput,
    classic_usd: f64,
    price: &Price,
) -> Result<LongContextRow, CostError> {
    let bare = input.workload.without_retrieval();
    let context = LongContext {
        corpus_tokens: input.corpus_tokens,
        uncached_tokens: bare.input_tokens,
        answer_tokens: bare.output_tokens,
    };
    let traffic = CacheTraffic {
        requests_per_day: input.questions_per_day,
        changes_per_day: input.changes_per_day,
        lifetime_minutes: price.cache_lifetime_minutes.unwrap_or(0.0),
    };
    let miss_share = traffic.miss_share()?;
    let average_usd = context.cached_usd(miss_share, price)?;
    let even = break_even_corpus_tokens(classic_usd, cost_usd(&bare, price), price.read_rate())?;
    Ok(LongContextRow {
        corpus_tokens: input.corpus_tokens,
        cache_floor: CacheFloor::of(input.corpus_tokens, price),
        uncached_usd: cost_usd(&context.plain(), price),
        cache_hit_usd: cost_usd(&context.reading(), price),
        cache_miss_usd: cost_usd(&context.writing(), price),
        miss_share,
        average_usd,
        times_classic: average_usd / classic_usd,
        break_even_corpus_tokens: even.is_finite().then_some(even),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::price_table::PriceTable;

    const INPUT: ComparisonInput = ComparisonInput {
        workload: Workload {
            system_tokens: 1000,
            question_tokens: 50,
            passages_tokens: 2500,
            answer_tokens: 400,
            tool_schema_tokens: 150,
            tool_call_tokens: 60,
        },
        most_searches: 4,
        searches_per_corpus_question: 1,
        corpus_question_share: 0.35,
        corpus_tokens: 100_000,
        questions_per_day: 1000.0,
        changes_per_day: 0.0,
    };

    #[test]
    fn the_text_carries_the_figures() {
        let table = PriceTable::built_in().unwrap();
        let comparison = Comparison::of(&INPUT, table.price("claude-sonnet-5").unwrap()).unwrap();
        let text = comparison.render(&INPUT);
        for expected in ["$0.01665", "31,600", "$0.10440", "6.27x", "fewer than 58%", "$0.01386", "25,000"] {
            assert!(text.contains(expected), "{expected} is not in\n{text}");
        }
        assert!(comparison.agentic.iter().all(|row| row.cached_usd <= row.usd));
    }

    #[test]
    fn below_the_floor_no_cache_is_promised() {
        let table = PriceTable::built_in().unwrap();
        let input = ComparisonInput { corpus_tokens: 300, ..INPUT };
        let comparison = Comparison::of(&input, table.price("claude-opus-5").unwrap()).unwrap();
        let text = comparison.render(&input);
        assert!(text.contains("below the 512 tokens") && !text.contains("cache filled"), "{text}");
        assert_eq!(comparison.long_context.average_usd, comparison.long_context.uncached_usd);
    }

    #[test]
    fn a_share_that_is_none_is_refused() {
        let table = PriceTable::built_in().unwrap();
        let input = ComparisonInput { corpus_question_share: 1.5, ..INPUT };
        assert!(Comparison::of(&input, table.price("claude-opus-5").unwrap()).is_err());
    }
}
