//! Arguments of the commands that measure answers: eval answers, eval golden-answers, eval fit-evidence.

use std::path::PathBuf;

use clap::Args;

use super::{EvalBeirArguments, ModeArgument, ScopeArguments};

#[derive(Debug, Args)]
pub(crate) struct EvalAnswersArguments {
    #[command(flatten)]
    pub(crate) set: EvalBeirArguments,
    /// Share of the questions whose judged documents are taken out of the index, so that nothing answers them
    #[arg(long, value_name = "SHARE", default_value_t = 0.5)]
    pub(crate) hide_gold: f64,
    /// Which questions: another number hides others
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Ask at most so many questions, evenly taken from all
    #[arg(long, value_name = "N")]
    pub(crate) queries: Option<usize>,
    /// Only weigh the evidence; make no answers
    #[arg(long)]
    pub(crate) evidence_only: bool,
    /// Append one line for each question with what was measured
    #[arg(long, value_name = "FILE")]
    pub(crate) features: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalGoldenAnswersArguments {
    /// Golden set: one JSON object a line [default: golden.jsonl in the home]
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// How to search
    #[arg(long, value_enum, default_value = "hybrid")]
    pub(crate) mode: ModeArgument,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
    /// What the cosine of a sentence counts beside its words
    #[arg(long, value_name = "WEIGHT")]
    pub(crate) cosine_weight: Option<f32>,
    /// What the question's words count
    #[arg(long, value_name = "WEIGHT")]
    pub(crate) coverage_weight: Option<f32>,
    /// What the passage's rank counts
    #[arg(long, value_name = "WEIGHT")]
    pub(crate) rank_weight: Option<f32>,
    /// What a thing of the kind that is asked for counts
    #[arg(long, value_name = "WEIGHT")]
    pub(crate) kind_weight: Option<f32>,
    /// Most sentences of an answer
    #[arg(long, value_name = "N")]
    pub(crate) sentences: Option<usize>,
    /// Append one line for each question with what was measured
    #[arg(long, value_name = "FILE")]
    pub(crate) features: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct FitEvidenceArguments {
    /// Files of `adit eval answers --features` to fit on; with several sets each is also held out once
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Files that are only scored
    #[arg(long = "held-out", value_name = "FILE")]
    pub(crate) held_out: Vec<PathBuf>,
    /// Embedder whose cosines the files have; without it the fit is for a search by words
    #[arg(long, value_name = "NAME")]
    pub(crate) embedder: Option<String>,
    /// Most answerable questions that the lower threshold may refuse, as a share
    #[arg(long, value_name = "SHARE", default_value_t = 0.05)]
    pub(crate) false_refusals: f64,
    /// Calibration file to write; the entry of the same embedder is replaced
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,
}
