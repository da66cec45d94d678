use std::path::PathBuf;

use adit_core::{Classified, ErrorClass};
use thiserror::Error;

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
            _ => Some("a BEIR folder holds corpus.jsonl, queries.jsonl and qrels/test.tsv".to_owned()),
        }
    }
}
