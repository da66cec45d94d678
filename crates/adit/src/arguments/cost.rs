//! Arguments of the commands about money: cost, advise.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Say what a run will cost, what calls have cost, and what the ways to answer a question cost.
#[derive(Debug, Subcommand)]
pub(crate) enum CostCommand {
    /// Count the tokens of files before they are indexed or enriched: calls, tokens, dollars, minutes
    Estimate(CostEstimateArguments),
    /// Sum up the calls that were paid for, by model, purpose and day
    Report(CostReportArguments),
    /// Compare one question by retrieval, by an agent that searches, and with the whole corpus in the prompt
    Compare(CostCompareArguments),
}

/// Which prices hold.
#[derive(Debug, Clone, Args)]
pub(crate) struct PriceArguments {
    /// Your own price file, laid over the built-in one (crates/adit-cost/prices.toml shows the shape)
    #[arg(long, value_name = "FILE")]
    pub(crate) prices: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CostEstimateArguments {
    /// Files and folders to count; nothing is indexed and no model is called for money
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Language model that would write one or two sentences of context for every chunk [default: none, only
    /// the local embedding is estimated]
    #[arg(long, value_name = "NAME")]
    pub(crate) model: Option<String>,
    /// Exit with code 3 when all of it would cost more than this
    #[arg(long, value_name = "USD")]
    pub(crate) budget_usd: Option<f64>,
    /// Tokens of instructions in every call of --model
    #[arg(long, value_name = "TOKENS", default_value_t = 100)]
    pub(crate) instruction_tokens: u64,
    /// Tokens that --model writes for a chunk
    #[arg(long, value_name = "TOKENS", default_value_t = 70)]
    pub(crate) output_tokens: u64,
    /// Calls of --model a minute that your provider allows, for the minutes [default: not estimated]
    #[arg(long, value_name = "N")]
    pub(crate) calls_per_minute: Option<f64>,
    /// Tokens of --model a minute that your provider allows, for the minutes [default: not estimated]
    #[arg(long, value_name = "N")]
    pub(crate) tokens_per_minute: Option<f64>,
    #[command(flatten)]
    pub(crate) prices: PriceArguments,
}

#[derive(Debug, Args)]
pub(crate) struct CostReportArguments {
    /// The ledger, one JSON object a line [default: ledger.jsonl in the home directory]
    #[arg(long, value_name = "FILE")]
    pub(crate) ledger: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CostCompareArguments {
    /// Model whose prices are used
    #[arg(long, value_name = "NAME", default_value = "claude-sonnet-5")]
    pub(crate) model: String,
    /// Tokens of the instructions
    #[arg(long, value_name = "TOKENS", default_value_t = 1000)]
    pub(crate) system_tokens: u64,
    /// Tokens of the question
    #[arg(long, value_name = "TOKENS", default_value_t = 50)]
    pub(crate) question_tokens: u64,
    /// Tokens of the passages that one search returns
    #[arg(long, value_name = "TOKENS", default_value_t = 2500)]
    pub(crate) passages_tokens: u64,
    /// Tokens of the answer
    #[arg(long, value_name = "TOKENS", default_value_t = 400)]
    pub(crate) answer_tokens: u64,
    /// Tokens of the search tool's description, in every call of an agent
    #[arg(long, value_name = "TOKENS", default_value_t = 150)]
    pub(crate) tool_schema_tokens: u64,
    /// Tokens of an agent's request for one search
    #[arg(long, value_name = "TOKENS", default_value_t = 60)]
    pub(crate) tool_call_tokens: u64,
    /// Most searches of an agent to show
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u32).range(0..=100))]
    pub(crate) searches: u32,
    /// Searches that an agent needs for a question about the corpus, for the break-even
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) searches_per_question: u32,
    /// Share of the questions that need the corpus at all, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    pub(crate) corpus_share: f64,
    /// Tokens of the corpus, for reading it whole (`adit advise PATH` counts them)
    #[arg(long, value_name = "TOKENS", default_value_t = 100_000)]
    pub(crate) corpus_tokens: u64,
    /// Questions a day, which keep a prompt cache filled
    #[arg(long, value_name = "N", default_value_t = 1000.0)]
    pub(crate) questions_per_day: f64,
    /// Changes of the corpus a day, which empty a prompt cache
    #[arg(long, value_name = "N", default_value_t = 0.0)]
    pub(crate) changes_per_day: f64,
    #[command(flatten)]
    pub(crate) prices: PriceArguments,
}

/// Say whether to retrieve from these files at all, or to put them into the prompt, query them as data, or
/// grep them.
///
/// Counts the files with the embedding model's tokenizer and shows every step of the arithmetic. Nothing is
/// indexed and no model is called for money.
#[derive(Debug, Args)]
pub(crate) struct AdviseArguments {
    /// Files and folders to look at
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Model that would answer, for its prices
    #[arg(long, value_name = "NAME", default_value = "claude-sonnet-5")]
    pub(crate) model: String,
    /// Context window of that model
    #[arg(long, value_name = "TOKENS", default_value_t = adit_cost::SHARP_TOKENS)]
    pub(crate) window: u64,
    /// Questions a day
    #[arg(long, value_name = "N", default_value_t = 100.0)]
    pub(crate) questions_per_day: f64,
    /// Files that change a day
    #[arg(long, value_name = "N", default_value_t = 1.0)]
    pub(crate) changes_per_day: f64,
    /// Share of the questions that name an identifier or an exact phrase, 0 to 1 [default: unknown]
    #[arg(long, value_name = "SHARE")]
    pub(crate) identifier_share: Option<f64>,
    /// Some readers may not see some of the documents
    #[arg(long)]
    pub(crate) readers_differ: bool,
    /// What not having to run an index is worth to you a month
    #[arg(long, value_name = "USD", default_value_t = 300.0)]
    pub(crate) upkeep_usd: f64,
    #[command(flatten)]
    pub(crate) prices: PriceArguments,
}
