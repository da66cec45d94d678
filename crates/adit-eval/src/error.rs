use std::path::PathBuf;

use adit_core::{Classified, ErrorClass};
use thiserror::Error;

use crate::TrecProblem;

/// Why a labelled set could not be read or a run not be written.
#[derive(Debug, Error)]
pub enum EvalError {
    /// The user's fault: the folder is not in BEIR's layout.
    #[error("{path} is missing")]
    Missing {
        /// The file.
        path: PathBuf,
    },
    /// The user's fault: a line that is not what its file promises.
    #[error("{path}, line {line_number}: {detail}")]
    Line {
        /// The file.
        path: PathBuf,
        /// From 1.
        line_number: usize,
        /// What is wrong.
        detail: String,
    },
    /// The user's fault: nothing to measure.
    #[error("{path} judges no query that has text")]
    NoJudgedQuery {
        /// The folder.
        path: PathBuf,
    },
    /// The user's fault: a line of a run or judgments file that could move a figure unseen.
    #[error("{path}, line {line_number}: {problem}")]
    Trec {
        /// The file.
        path: PathBuf,
        /// From 1.
        line_number: usize,
        /// What is wrong.
        problem: TrecProblem,
    },
    /// The user's fault: a run or judgments that could not be read back. Nothing was written.
    #[error("{path} was not written: {problem}")]
    NotWritable {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: TrecProblem,
    },
    /// The user's fault: a judgments file without a judgment.
    #[error("{path} holds no judgment")]
    EmptyJudgments {
        /// The file.
        path: PathBuf,
    },
    /// The user's fault: judgments by which no run can score.
    #[error("{path} judges no document to be relevant")]
    NothingRelevant {
        /// The file.
        path: PathBuf,
    },
    /// The user's fault: a metric that does not exist.
    #[error("{name:?} is not a metric")]
    UnknownMetric {
        /// As it was given.
        name: String,
    },
    /// The user's fault: no golden set where one was looked for.
    #[error("there is no golden set {path}")]
    NoGoldenSet {
        /// The file.
        path: PathBuf,
    },
    /// The user's fault: a file or folder that is not what the import format promises.
    #[error("{path}: {detail}")]
    Import {
        /// The file or folder.
        path: PathBuf,
        /// What is wrong, with the place in the file where there is one.
        detail: String,
        /// What the format looks like.
        expected: &'static str,
    },
    /// The user's fault: a line of a golden set, or of a file to be imported, that cannot be used.
    #[error("{path}, line {line_number}: {detail}")]
    Golden {
        /// The file.
        path: PathBuf,
        /// From 1.
        line_number: usize,
        /// What is wrong.
        detail: String,
    },
    /// The user's fault: too few labelled passages to fit probabilities to.
    #[error(
        "{relevant} relevant and {other} other passages of {questions} questions are too few: at least {needed} \
         of each kind and {needed_questions} questions are needed"
    )]
    TooFewLabels {
        /// Relevant passages.
        relevant: usize,
        /// The others.
        other: usize,
        /// Questions they belong to.
        questions: usize,
        /// Needed of each kind.
        needed: usize,
        /// Needed questions.
        needed_questions: usize,
    },
    /// The user's fault: scores from which relevance cannot be told.
    #[error("the scores say nothing about relevance: no curve beats the plain share of relevant passages")]
    NoSignal,
    /// The user's fault: a calibration that cannot be used.
    #[error("{path} is no calibration that this version reads: {detail}")]
    Calibration {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        detail: String,
    },
    /// Disk trouble.
    #[error("{0}")]
    Io(#[from] std::io::Error),
}

impl Classified for EvalError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Io(_) => ErrorClass::World,
            _ => ErrorClass::User,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Io(_) => None,
            Self::Trec { problem, .. } | Self::NotWritable { problem, .. } => Some(problem.hint().to_owned()),
            Self::Golden { .. } => Some(
                "a golden set holds one JSON object a line with `question` and either `source` (and best \
                 `quote`) or `\"answerable\": false`; nothing was changed"
                    .to_owned(),
            ),
            Self::NoGoldenSet { .. } => {
                Some("check the path; `adit golden add` and `adit golden import` start a golden set".to_owned())
            }
            Self::Import { expected, .. } => Some((*expected).to_owned()),
            Self::TooFewLabels { .. } => {
                Some("write more questions with `adit golden add`, or let `adit golden generate` do it".to_owned())
            }
            Self::NoSignal => Some("look at the ranking first: `adit eval`".to_owned()),
            Self::Calibration { .. } => Some("remove the file, or fit another with `adit calibrate`".to_owned()),
            Self::EmptyJudgments { .. } => Some("give a file of lines: query 0 document grade".to_owned()),
            Self::NothingRelevant { .. } => Some("a relevant document has a grade above 0".to_owned()),
            Self::UnknownMetric { .. } => Some(
                "metrics are recall@k, precision@k, hit_rate@k, mrr@k, ndcg@k, ndcg_exp@k, map and r_precision"
                    .to_owned(),
            ),
            Self::Missing { .. } => Some(
                "check the path; a BEIR folder holds corpus.jsonl, queries.jsonl and qrels/test.tsv".to_owned(),
            ),
            _ => Some("a BEIR folder holds corpus.jsonl, queries.jsonl and qrels/test.tsv".to_owned()),
        }
    }
}
