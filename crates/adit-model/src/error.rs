use std::path::{Path, PathBuf};

use adit_core::{Classified, ErrorClass};
use thiserror::Error;

use crate::store::SourceFailure;

/// Why a model cannot be fetched or loaded.
#[derive(Debug, Error)]
pub enum ModelError {
    /// Neither a model this build knows nor a folder.
    #[error("unknown model `{name}`")]
    UnknownModel {
        /// What was asked for.
        name: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// No source of a model answered with its files.
    #[error("the model `{model}` could not be fetched: {}", list_failures(.failures))]
    NoSource {
        /// The model.
        model: String,
        /// Every source that was tried, in order, and what became of it.
        failures: Vec<SourceFailure>,
    },
    /// One source of a model has nothing to give.
    #[error("{detail}")]
    Source {
        /// Why not.
        detail: String,
    },
    /// A model folder misses a file.
    #[error("`{}` is missing in the model folder `{}`", .file, .folder.display())]
    MissingFile {
        /// The folder.
        folder: PathBuf,
        /// File name in it.
        file: String,
    },
    /// A file's bytes are not the ones that were published.
    #[error("`{}` is damaged: {detail}", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What differs.
        detail: String,
    },
    /// The folder holds a model that is not of the BERT family, or a part of it is unknown.
    #[error("this model cannot be run: {detail}")]
    Unsupported {
        /// What is unknown.
        detail: String,
    },
    /// The runtime refused the graph.
    #[error("the model runtime failed: {detail}")]
    Runtime {
        /// What it said.
        detail: String,
    },
    /// A file or folder could not be read or written.
    #[error("{detail}")]
    Io {
        /// What failed, with the path.
        detail: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
    /// There is no folder to keep models in.
    #[error("no cache folder for models: neither a home directory nor ADIT_MODELS is set")]
    NoCacheFolder,
}

fn list_failures(failures: &[SourceFailure]) -> String {
    let parts: Vec<String> =
        failures.iter().map(|failure| format!("{}: {}", failure.origin, failure.reason)).collect();
    parts.join("; ")
}

impl ModelError {
    pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> Self {
        Self::Damaged { path: path.to_owned(), detail: detail.into() }
    }

    pub(crate) fn unsupported(detail: impl Into<String>) -> Self {
        Self::Unsupported { detail: detail.into() }
    }

    pub(crate) fn no_source(detail: impl Into<String>) -> Self {
        Self::Source { detail: detail.into() }
    }

    pub(crate) fn runtime(error: impl std::fmt::Display) -> Self {
        Self::Runtime { detail: error.to_string() }
    }
}

/// `fs_err` already writes the path into the message.
impl From<std::io::Error> for ModelError {
    fn from(source: std::io::Error) -> Self {
        Self::Io { detail: source.to_string(), source }
    }
}

impl Classified for ModelError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::UnknownModel { .. } | Self::MissingFile { .. } | Self::Unsupported { .. } => {
                ErrorClass::User
            }
            Self::Runtime { .. } => ErrorClass::Internal,
            Self::NoSource { .. }
            | Self::Source { .. }
            | Self::Damaged { .. }
            | Self::Io { .. }
            | Self::NoCacheFolder => ErrorClass::World,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::NoSource { .. })
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::UnknownModel { known, .. } => {
                Some(format!("use one of {}, or the path of a model folder", known.join(", ")))
            }
            Self::NoSource { .. } => Some(
                "check the network, or put the model's files into a folder and name it with `--model NAME=PATH` \
                 or ADIT_MODEL_DIR; `--mode lexical` needs no model"
                    .to_owned(),
            ),
            Self::MissingFile { .. } => {
                Some("a model folder needs config.json, tokenizer.json and model.safetensors".to_owned())
            }
            Self::Damaged { path, .. } => {
                Some(format!("delete `{}` and fetch the model again with `adit models pull`", path.display()))
            }
            Self::NoCacheFolder => Some("set ADIT_MODELS to a folder".to_owned()),
            Self::Source { .. } | Self::Unsupported { .. } | Self::Runtime { .. } | Self::Io { .. } => None,
        }
    }
}
