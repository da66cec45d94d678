//! Arguments of the commands that measure: eval, diagnose, audit.

use std::path::PathBuf;

use adit_retrieve::SignalSelection;
use clap::{Args, Subcommand};

use super::{EvalAnswersArguments, EvalGoldenAnswersArguments, FitEvidenceArguments};
use super::{
    EvalBeirArguments, FilterArguments, FusionArgument, ModeArgument, RerankArguments, ScopeArguments,
    SignalArguments, UnderstandingArguments,
};

#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct EvalArguments {
    #[command(subcommand)]
    pub(crate) command: Option<EvalCommand>,
    #[command(flatten)]
    pub(crate) run: EvalRunArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvalCommand {
    /// Index a BEIR-layout folder (corpus.jsonl, queries.jsonl, qrels/test.tsv) in a temporary home and score it
    Beir(EvalBeirArguments),
    /// Answer a labelled set's questions, some of them with what answers them taken out: what is refused, what cited?
    Answers(EvalAnswersArguments),
    /// Answer a golden set's questions: does the answer hold the quote, and is the unanswerable refused?
    GoldenAnswers(EvalGoldenAnswersArguments),
    /// Change true sentences of a labelled set's documents and count which changes the citation checks flag
    Verification(EvalBeirArguments),
    /// Fit the calibration that says whether passages answer, from files of `eval answers --features`
    FitEvidence(FitEvidenceArguments),
    /// Score a run file against judgments, both in TREC's format, with trec_eval's rules
    Trec(EvalTrecArguments),
    /// List earlier evaluations with their configuration and figures
    Log,
    /// Compare two saved evaluations question by question
    Compare {
        /// Name of the first
        before: String,
        /// Name of the second
        after: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct EvalTrecArguments {
    /// Run file: query Q0 document rank score tag
    pub(crate) run: PathBuf,
    /// Judgments (qrels): query iteration document grade
    pub(crate) judgments: PathBuf,
    /// Another run of the same queries, to compare with
    #[arg(long, value_name = "RUN")]
    pub(crate) compare: Option<PathBuf>,
    /// Metrics: recall@k, precision@k, hit_rate@k, mrr@k, ndcg@k, ndcg_exp@k, map, r_precision
    #[arg(
        long = "metric",
        value_name = "METRIC",
        value_delimiter = ',',
        default_value = "ndcg@10,recall@5,recall@25,recall@100,mrr@10,map,r_precision"
    )]
    pub(crate) metrics: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct EvalRunArguments {
    /// Golden set: one JSON object a line [default: golden.jsonl in the home]
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// How to search
    #[arg(long, value_enum, default_value = "hybrid")]
    pub(crate) mode: ModeArgument,
    /// BM25's saturation of repeated terms [default: search.k1 in adit.toml, 0.9]
    #[arg(long)]
    pub(crate) k1: Option<f32>,
    /// BM25's correction for length [default: search.b in adit.toml, 0.4]
    #[arg(long)]
    pub(crate) b: Option<f32>,
    /// How words and meaning are joined
    #[arg(long, value_enum, default_value = "standardised")]
    pub(crate) fusion: FusionArgument,
    /// What meaning counts beside words [default: 1; 0 where the model was not trained for the question's
    /// language]
    #[arg(long, value_name = "WEIGHT")]
    pub(crate) dense_weight: Option<f32>,
    #[command(flatten)]
    pub(crate) understanding: UnderstandingArguments,
    #[command(flatten)]
    pub(crate) rerank: RerankArguments,
    #[command(flatten)]
    pub(crate) late_interaction: super::LateInteractionArguments,
    #[command(flatten)]
    pub(crate) signals: SignalArguments,
    /// Candidates taken from each retriever
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) depth: usize,
    /// Candidates the vector graph keeps while it walks [default: tuned to recall]
    #[arg(long, value_name = "N")]
    pub(crate) ef: Option<usize>,
    /// Keep this evaluation under a name, to compare with later
    #[arg(long, value_name = "NAME")]
    pub(crate) save: Option<String>,
    /// Compare with a saved evaluation; with two names, compare those and run nothing
    #[arg(long, value_name = "NAME", num_args = 1..=2)]
    pub(crate) compare: Vec<String>,
    /// Write a page with figures and plots
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
    /// Hold the run against the [[gate]] rules of adit.toml; exit code 3 when one fails
    #[arg(long)]
    pub(crate) gate: bool,
    /// Make this run the one that `most_loss` rules compare with
    #[arg(long)]
    pub(crate) accept: bool,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}

#[derive(Debug, Args)]
pub(crate) struct DiagnoseArguments {
    /// The question, as it was asked
    #[arg(value_name = "QUESTION")]
    pub(crate) question: String,
    /// Words of the document that answer it
    #[arg(long, value_name = "QUOTE")]
    pub(crate) expect: String,
    /// Document in which they are expected [default: any]
    #[arg(long, value_name = "FILE")]
    pub(crate) source: Option<String>,
    /// What a model answered, to check it against the words
    #[arg(long, value_name = "TEXT")]
    pub(crate) answer: Option<String>,
    /// How it was searched
    #[arg(long, value_enum, default_value = "hybrid")]
    pub(crate) mode: ModeArgument,
    /// Most passages that were asked for [default: search.limit in adit.toml, 10]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Most tokens that were asked for [default: search.budget_tokens in adit.toml, 4000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}

#[derive(Debug, Args)]
pub(crate) struct AuditArguments {
    /// Chunks that are searched for by a sentence of their own
    #[arg(long, value_name = "N", default_value_t = 500)]
    pub(crate) sample: usize,
    /// Search for every chunk
    #[arg(long, conflicts_with = "sample")]
    pub(crate) all: bool,
    /// Stored vectors that are searched for exactly and approximately
    #[arg(long, value_name = "N", default_value_t = 200)]
    pub(crate) recall_queries: usize,
    /// Recall of the 10 nearest neighbours that the index should reach, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.98)]
    pub(crate) recall_target: f64,
    /// Share of the chunks that should come back for their own sentence, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.90)]
    pub(crate) found_target: f64,
    /// How the self-retrieval searches
    #[arg(long, value_enum, default_value = "hybrid")]
    pub(crate) mode: ModeArgument,
}

#[derive(Debug, Args)]
pub(crate) struct TrainRankerArguments {
    /// Golden set: one JSON object a line [default: golden.jsonl in the home]
    #[arg(long, value_name = "FILE")]
    pub(crate) golden: Option<PathBuf>,
    /// How to search
    #[arg(long, value_enum, default_value = "hybrid")]
    pub(crate) mode: ModeArgument,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
    /// Signals that the ranker sees [default: signals.use in adit.toml, none]
    #[arg(long, value_name = "LIST")]
    pub(crate) signals: Option<SignalSelection>,
    /// Parts of the cross-validation; questions about one document stand in one part
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub(crate) folds: usize,
}
