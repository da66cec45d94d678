//! Arguments of the command that answers: ask.

use clap::{Args, ValueEnum};

use super::{FilterArguments, ModeArgument, ScopeArguments};

/// Answer a question from the documents, with a citation for every claim, or say that they do not answer it.
///
/// Without a language model the answer is the best supported sentences of the documents, and it says so.
#[derive(Debug, Args)]
pub(crate) struct AskArguments {
    /// The question
    #[arg(required = true, value_name = "QUESTION", allow_hyphen_values = false)]
    pub(crate) question: Vec<String>,
    /// Let the language model search by itself: `loop`, in a fixed order of steps with `graph`, or with `auto` only
    /// where the question has several parts or one search does not answer it
    #[arg(
        long, value_enum, value_name = "HOW", num_args = 0..=1, require_equals = true,
        default_missing_value = "loop", conflicts_with = "no_model"
    )]
    pub(crate) agent: Option<AgentArgument>,
    /// Do not ask a language model, whatever the settings name
    #[arg(long)]
    pub(crate) no_model: bool,
    /// How to search
    #[arg(long, value_enum, default_value = "hybrid")]
    pub(crate) mode: ModeArgument,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
    /// Most passages to answer from [default: search.limit in adit.toml, 10]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Most tokens of all passages together [default: search.budget_tokens in adit.toml, 4000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// Most sentences of an answer without a language model [default: answer.max_sentences in adit.toml, 3]
    #[arg(long, value_name = "N")]
    pub(crate) sentences: Option<usize>,
    /// What becomes of claims that their citations do not support [default: answer.unsupported in adit.toml, mark]
    #[arg(long, value_enum)]
    pub(crate) unsupported: Option<UnsupportedArgument>,
    /// Answer also when the evidence is weak; the confidence is then low
    #[arg(long)]
    pub(crate) even_if_weak: bool,
    /// Show every claim with what was found against it
    #[arg(long)]
    pub(crate) claims: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnsupportedArgument {
    /// They stay, with `[unsupported]` behind them
    Mark,
    /// They are taken out
    Remove,
    /// They stay as they are; only the list of claims tells
    Keep,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum AgentArgument {
    /// One search where it is enough
    Auto,
    /// The model calls tools until it answers
    Loop,
    /// Retrieve, grade, rewrite, generate or give up
    Graph,
}
