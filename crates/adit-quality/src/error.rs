use std::path::PathBuf;

use adit_catalog::CatalogError;
use adit_core::{Classified, EmbedError, ErrorClass, IndexError};
use adit_eval::EvalError;
use adit_retrieve::RetrieveError;
use thiserror::Error;

/// Why a measurement could not be made.
#[derive(Debug, Error)]
pub enum QualityError {
    /// A search failed.
    #[error(transparent)]
    Retrieve(#[from] RetrieveError),
    /// The catalog could not be read.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The index could not be read.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// A text could not be embedded.
    #[error(transparent)]
    Embed(#[from] EmbedError),
    /// A ranker could not be trained.
    #[error(transparent)]
    Learn(#[from] adit_learn::LearnError),
    /// A golden set or labelled file is wrong.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// A saved file cannot be read or written.
    #[error("{path}: {source}")]
    File {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// The user's fault: a saved file that is no saved file.
    #[error("{path} is not {expected}: {detail}")]
    Format {
        /// The file.
        path: PathBuf,
        /// What was expected.
        expected: &'static str,
        /// What is wrong.
        detail: String,
    },
    /// The user's fault: no evaluation of that name.
    #[error("there is no saved evaluation `{name}`; saved: {}", listed(saved))]
    NoSuchEvaluation {
        /// The name.
        name: String,
        /// Those that are there.
        saved: Vec<String>,
    },
    /// The user's fault: two evaluations have no question in common.
    #[error("`{left}` and `{right}` have no question in common")]
    NothingInCommon {
        /// The first.
        left: String,
        /// The second.
        right: String,
    },
    /// The user's fault: a threshold that cannot be checked.
    #[error("gate {number}: {detail}")]
    Gate {
        /// From 1, in the order of the settings.
        number: usize,
        /// What is wrong with it.
        detail: String,
    },
    /// The user's fault: nothing to measure.
    #[error("{what}")]
    Nothing {
        /// What is missing.
        what: String,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "none".to_owned() } else { names.join(", ") }
}

impl Classified for QualityError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Retrieve(error) => error.class(),
            Self::Catalog(error) => error.class(),
            Self::Index(error) => error.class(),
            Self::Embed(error) => error.class(),
            Self::Learn(error) => error.class(),
            Self::Eval(error) => error.class(),
            Self::File { .. } => ErrorClass::World,
            Self::Format { .. }
            | Self::NoSuchEvaluation { .. }
            | Self::NothingInCommon { .. }
            | Self::Gate { .. }
            | Self::Nothing { .. } => ErrorClass::User,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Retrieve(error) => error.hint(),
            Self::Catalog(error) => error.hint(),
            Self::Index(error) => error.hint(),
            Self::Embed(error) => error.hint(),
            Self::Learn(error) => error.hint(),
            Self::Eval(error) => error.hint(),
            Self::File { .. } => Some("check the path, its permissions and the free space".to_owned()),
            Self::Format { .. } => Some("remove the file, or save the evaluation again".to_owned()),
            Self::NoSuchEvaluation { .. } => {
                Some("`adit eval log` lists them; `adit eval --save NAME` makes one".to_owned())
            }
            Self::NothingInCommon { .. } => Some("evaluate both on the same golden set".to_owned()),
            Self::Gate { .. } => Some(
                "a gate in adit.toml has `metric` (such as ndcg@10), optional `segment` (such as category=meaning), and `at_least` or `most_loss`"
                    .to_owned(),
            ),
            Self::Nothing { .. } => {
                Some("index documents with `adit index`, write questions with `adit golden add`".to_owned())
            }
        }
    }
}
