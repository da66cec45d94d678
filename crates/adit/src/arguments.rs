mod answers;
mod ask;
mod cost;
mod feedback;
mod golden;
mod inspect;
mod late_interaction;
mod quality;
mod rerank;
mod signals;
mod understanding;

use std::path::PathBuf;

use adit_retrieve::SignalSelection;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use answers::{EvalAnswersArguments, EvalGoldenAnswersArguments, FitEvidenceArguments};
pub(crate) use ask::{AgentArgument, AskArguments, UnsupportedArgument};
pub(crate) use cost::{
    AdviseArguments, CostCommand, CostCompareArguments, CostEstimateArguments, CostReportArguments,
    PriceArguments,
};
pub(crate) use feedback::{FeedbackArguments, GapsArguments, VerdictArgument};
pub(crate) use golden::{
    GoldenAddArguments, GoldenCommand, GoldenFileArguments, GoldenFormat, GoldenGenerateArguments,
    GoldenImportArguments, GoldenReviewArguments, GoldenSplitArguments,
};
pub(crate) use inspect::InspectArguments;
pub(crate) use late_interaction::{LateInteractionArguments, RebuildArguments};
pub(crate) use quality::{
    AuditArguments, DiagnoseArguments, EvalArguments, EvalCommand, EvalRunArguments, EvalTrecArguments,
    TrainRankerArguments,
};
pub(crate) use rerank::{CalibrateArguments, RerankArguments};
pub(crate) use signals::SignalArguments;
pub(crate) use understanding::UnderstandingArguments;

/// Turns a folder of documents into a search tool that an agent can trust.
///
/// Start with `adit index PATH`, then `adit search "your question"`. The index lives in a folder
/// named .adit, found like .git: in the current folder or the nearest one above it.
#[derive(Debug, Parser)]
#[command(name = "adit", version, max_term_width = 100, arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// Home directory with the catalog and the index [default: the nearest .adit folder]
    #[arg(long, value_name = "DIR")]
    pub(crate) home: Option<PathBuf>,
    /// Print one JSON value on stdout instead of text (shapes: docs/json-output.md)
    #[arg(long, global = true)]
    pub(crate) json: bool,
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Index the example handbook and answer four questions about it
    Demo(DemoArguments),
    /// Read files and folders into the index; unchanged files cost nothing
    Index(IndexArguments),
    /// Find the passages that answer a question
    Search(SearchArguments),
    Ask(AskArguments),
    /// Show every document's state, and what is in the index
    Status(StatusArguments),
    /// Remove documents from the catalog and the index
    Rm(RemoveArguments),
    /// Show the blocks, chunks and warnings of one file without indexing it
    Inspect(InspectArguments),
    /// Search the extracted text literally: is it there at all?
    Grep(GrepArguments),
    /// Say why a passage was found or missed for a question
    Explain(ExplainArguments),
    /// Make every derived file again from the catalog
    Rebuild(RebuildArguments),
    /// List or fetch embedding models
    #[command(subcommand)]
    Models(ModelsCommand),
    /// Serve the index to an agent: MCP over stdio
    Mcp(McpArguments),
    /// Measure retrieval on a golden set: how good, for which questions, and what changed
    Eval(Box<EvalArguments>),
    /// Say which stage is to blame when an expected quote is not found
    Diagnose(DiagnoseArguments),
    /// Check the index itself: is everything that is indexed also findable?
    Audit(AuditArguments),
    /// Say whether a search answered your question
    Feedback(FeedbackArguments),
    Gaps(GapsArguments),
    #[command(subcommand)]
    Cost(CostCommand),
    Advise(AdviseArguments),
    /// Learn the order of candidates from a golden set; refused when it does not beat the default order
    TrainRanker(TrainRankerArguments),
    #[command(subcommand)]
    Golden(GoldenCommand),
    Calibrate(CalibrateArguments),
}

/// Who is reading.
#[derive(Debug, Clone, Args)]
pub(crate) struct ScopeArguments {
    /// Tenant whose documents are searched
    #[arg(long, value_name = "NAME", default_value = adit_core::TenantId::DEFAULT_NAME)]
    pub(crate) tenant: String,
    /// Principal (user, group or role) to read as; may be repeated
    #[arg(long = "as", value_name = "PRINCIPAL")]
    pub(crate) principals: Vec<String>,
}

/// What else must hold.
#[derive(Debug, Clone, Args)]
pub(crate) struct FilterArguments {
    /// Only documents with this metadata: key=value, key=a,b, key=low..high, key>=value; may be repeated
    #[arg(long = "filter", value_name = "CONDITION")]
    pub(crate) filters: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArgument {
    /// By words and by meaning, fused by rank
    Hybrid,
    /// By meaning only
    Dense,
    /// By words only; needs no model
    Lexical,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FusionArgument {
    /// Both scores of every candidate, each standardised over the question's candidates
    Standardised,
    /// Reciprocal rank fusion
    Rrf,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum PrecisionArgument {
    /// 32-bit floats, the reference
    F32,
    /// 8-bit integers, twice as fast
    Int8,
}

#[derive(Debug, Args)]
pub(crate) struct DemoArguments {
    /// Folder with the example documents
    #[arg(long, value_name = "DIR", default_value = "examples")]
    pub(crate) examples: PathBuf,
}

#[derive(Debug, Args)]
pub(crate) struct IndexArguments {
    /// Files and folders to read
    #[arg(required = true, value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,
    /// Empty the catalog first: needed after a change of model, precision or chunking
    #[arg(long)]
    pub(crate) reindex: bool,
}

#[derive(Debug, Args)]
pub(crate) struct SearchArguments {
    /// The question or keywords
    #[arg(required = true, value_name = "QUERY", allow_hyphen_values = false)]
    pub(crate) query: Vec<String>,
    /// How to search
    #[arg(long, value_enum, default_value = "hybrid")]
    pub(crate) mode: ModeArgument,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
    /// Most passages to return [default: search.limit in adit.toml, 10]
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,
    /// Most tokens of all passages together [default: search.budget_tokens in adit.toml, 4000]
    #[arg(long, value_name = "TOKENS")]
    pub(crate) budget: Option<usize>,
    /// BM25's saturation of repeated terms [default: search.k1 in adit.toml, 0.9]
    #[arg(long)]
    pub(crate) k1: Option<f32>,
    /// BM25's correction for length [default: search.b in adit.toml, 0.4]
    #[arg(long)]
    pub(crate) b: Option<f32>,
    /// Candidates the vector graph keeps while it walks [default: tuned to recall]
    #[arg(long, value_name = "N")]
    pub(crate) ef: Option<usize>,
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
    pub(crate) late_interaction: LateInteractionArguments,
    #[command(flatten)]
    pub(crate) signals: SignalArguments,
    /// Show what went in and out of every stage, and how long it took
    #[arg(long)]
    pub(crate) trace: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// List the documents that failed, with cause and next step
    #[arg(long)]
    pub(crate) failed: bool,
    /// List every document
    #[arg(long)]
    pub(crate) documents: bool,
    /// Every tenant's documents, whatever their access control list (for the operator)
    #[arg(long)]
    pub(crate) all: bool,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}

#[derive(Debug, Args)]
pub(crate) struct RemoveArguments {
    /// Document ids, or paths as `adit status --documents` shows them
    #[arg(required = true, value_name = "DOCUMENT")]
    pub(crate) documents: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct GrepArguments {
    /// The exact text
    pub(crate) text: String,
    /// Do not distinguish upper and lower case
    #[arg(short, long)]
    pub(crate) ignore_case: bool,
    /// Most lines to show
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
}

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// The question
    pub(crate) query: String,
    /// What to explain: a passage id (3f9a1c20b7d4#2), a document id, a path, or a quote from the text
    #[arg(long = "for", value_name = "TARGET")]
    pub(crate) target: String,
    #[command(flatten)]
    pub(crate) rerank: RerankArguments,
    #[command(flatten)]
    pub(crate) filter: FilterArguments,
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
    #[command(flatten)]
    pub(crate) signals: SignalArguments,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    /// Show known models and which are in the cache
    List,
    /// Fetch a model into the cache
    Pull {
        /// Name as `adit models list` shows it
        #[arg(default_value = "all-MiniLM-L6-v2")]
        name: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct McpArguments {
    #[command(flatten)]
    pub(crate) scope: ScopeArguments,
    /// Most tokens of one answer, unless the call asks for fewer
    #[arg(long, value_name = "TOKENS", default_value_t = 4000)]
    pub(crate) budget: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChunkArgument {
    /// Each document is one chunk; what exceeds the model's window is not embedded
    None,
    /// As `adit index` does
    Structure,
    /// Fixed windows
    Fixed,
}

#[derive(Debug, Args)]
pub(crate) struct EvalBeirArguments {
    /// The folder
    pub(crate) folder: PathBuf,
    /// How to search
    #[arg(long, value_enum, default_value = "hybrid")]
    pub(crate) mode: ModeArgument,
    /// How to cut documents
    #[arg(long, value_enum, default_value = "structure")]
    pub(crate) chunk: ChunkArgument,
    /// Precision of the embedding model
    #[arg(long, value_enum, default_value = "int8")]
    pub(crate) precision: PrecisionArgument,
    /// Embedding model: a known name or a folder
    #[arg(long, value_name = "NAME", default_value = "all-MiniLM-L6-v2")]
    pub(crate) model: String,
    /// BM25's saturation of repeated terms
    #[arg(long, default_value_t = 0.9)]
    pub(crate) k1: f32,
    /// BM25's correction for length
    #[arg(long, default_value_t = 0.4)]
    pub(crate) b: f32,
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
    pub(crate) late_interaction: LateInteractionArguments,
    /// Tokens that share a row of token codes, on average
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) pooling: u32,
    /// Bits a dimension of token codes: 1 or 8
    #[arg(long, value_name = "BITS", default_value_t = 1, value_parser = clap::value_parser!(u32))]
    pub(crate) code_bits: u32,
    /// What multiplies scores after fusion: none, all, or a list of authority, recency, version, links,
    /// popularity, learned [default: none]
    #[arg(long, value_name = "LIST")]
    pub(crate) signals: Option<SignalSelection>,
    /// Also order the best candidates by rankers that are trained on the other folds of the set's questions,
    /// and compare
    #[arg(long, value_name = "FOLDS")]
    pub(crate) learn: Option<usize>,
    /// Keep the index in this folder, and use it again if it is there
    #[arg(long, value_name = "DIR")]
    pub(crate) keep: Option<PathBuf>,
    /// Reranker: a cross-encoder's name or folder, or `none`
    #[arg(long = "rerank", value_name = "MODEL", default_value = "none")]
    pub(crate) rerank: String,
    /// Fit probabilities of relevance to the set's judgments and write them to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) calibrate: Option<PathBuf>,
    /// Write the ranking as a TREC run file
    #[arg(long, value_name = "FILE")]
    pub(crate) run: Option<PathBuf>,
}
