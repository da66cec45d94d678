use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Keep a golden set: questions with the passages that answer them
///
/// A golden set is what `adit eval` measures with. It is a text file with one JSON object a line: a
/// question and either the document and the words that answer it, or that nothing does. Gold is kept
/// by its words, so it outlives another chunking or another parser.
#[derive(Debug, Subcommand)]
pub(crate) enum GoldenCommand {
    /// Add one question, checked against the indexed text
    Add(GoldenAddArguments),
    /// Take over the questions of another format
    Import(GoldenImportArguments),
    /// Look whether every quote still stands in its document
    Check(GoldenFileArguments),
    /// Go through the questions in the terminal: keep, drop, give a category
    Review(GoldenReviewArguments),
    /// Part the set into train, dev and test, the same way every time
    Split(GoldenSplitArguments),
    /// Let a language model propose questions from the indexed text
    Generate(GoldenGenerateArguments),
}

/// Which set.
#[derive(Debug, Clone, Args)]
pub(crate) struct GoldenFileArguments {
    /// The golden set [default: golden.jsonl in the home]
    #[arg(long, value_name = "PATH")]
    pub(crate) file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct GoldenAddArguments {
    /// The question, as a user would ask it
    pub(crate) question: String,
    /// Document that answers it, as `adit status --documents` shows it, or the end of its path
    #[arg(long, value_name = "FILE", required_unless_present = "unanswerable")]
    pub(crate) source: Option<String>,
    /// Words of the document that answer it; may be repeated [default: the whole document]
    #[arg(long = "quote", value_name = "TEXT", requires = "source")]
    pub(crate) quotes: Vec<String>,
    /// Nothing in the collection answers it; about 15% of a good set
    #[arg(long, conflicts_with_all = ["source", "quotes", "answer"])]
    pub(crate) unanswerable: bool,
    /// Kind of question, for figures per kind
    #[arg(long, value_name = "NAME")]
    pub(crate) category: Option<String>,
    /// What a good answer says
    #[arg(long, value_name = "TEXT")]
    pub(crate) answer: Option<String>,
    /// Do not look whether the words stand in the indexed document
    #[arg(long)]
    pub(crate) unchecked: bool,
    #[command(flatten)]
    pub(crate) golden: GoldenFileArguments,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum GoldenFormat {
    /// Folder with queries.jsonl and qrels/test.tsv; whole documents, named by their BEIR id
    Beir,
    /// JSON of articles, paragraphs and answers with answer_start (SQuAD 1.1 and 2.0, XQuAD, COVID-QA)
    Squad,
    /// Folder, questions.jsonl or questions_df.csv of chunking_evaluation
    ChunkEval,
    /// A golden set of Adit's own
    Golden,
}

#[derive(Debug, Args)]
pub(crate) struct GoldenImportArguments {
    /// What it is
    #[arg(value_enum)]
    pub(crate) format: GoldenFormat,
    /// The file or folder
    pub(crate) path: PathBuf,
    /// Write the texts that come with the questions (squad) into this folder, to be indexed
    #[arg(long, value_name = "DIR")]
    pub(crate) documents: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) golden: GoldenFileArguments,
}

#[derive(Debug, Args)]
pub(crate) struct GoldenReviewArguments {
    /// Begin again with the first question, not with the first that was not looked at yet
    #[arg(long)]
    pub(crate) again: bool,
    #[command(flatten)]
    pub(crate) golden: GoldenFileArguments,
}

#[derive(Debug, Args)]
pub(crate) struct GoldenSplitArguments {
    /// Share of the training part, 0 to 1
    #[arg(long, value_name = "SHARE", default_value_t = 0.6)]
    pub(crate) train: f64,
    /// Share of the development part, 0 to 1; the rest is for the test
    #[arg(long, value_name = "SHARE", default_value_t = 0.2)]
    pub(crate) dev: f64,
    /// Let no document occur in two parts; the shares are then kept less closely
    #[arg(long)]
    pub(crate) document_disjoint: bool,
    /// Another number gives another split
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) seed: u64,
    /// Folder for the parts [default: the golden set's own]
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) golden: GoldenFileArguments,
}

#[derive(Debug, Args)]
pub(crate) struct GoldenGenerateArguments {
    /// Questions wished, about 15% of them unanswerable
    #[arg(long, value_name = "N", default_value_t = 100)]
    pub(crate) questions: usize,
    /// The most calls of the language model
    #[arg(long, value_name = "N", default_value_t = 300)]
    pub(crate) max_calls: usize,
    #[command(flatten)]
    pub(crate) golden: GoldenFileArguments,
}
