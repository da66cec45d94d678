use std::path::PathBuf;

use adit_core::{Classified, ErrorClass};
use thiserror::Error;

/// Why a hosted model cannot be set up. What its calls fail with is an error of the trait it implements.
#[derive(Debug, Error)]
pub enum ProviderError {
    /// The user's fault: a setting that is missing or cannot be meant.
    #[error("the setting {setting} cannot be used: {detail}")]
    Setting {
        /// Its name within its section.
        setting: &'static str,
        /// What is wrong with it.
        detail: String,
    },
    /// The user's fault: the environment variable that is to hold the key does not.
    #[error("the environment variable {variable} that should hold the key is not set")]
    NoKeyInVariable {
        /// Its name.
        variable: String,
    },
    /// The user's fault: the file that is to hold the key does not.
    #[error("the key file {} cannot be used: {detail}", .path.display())]
    KeyFile {
        /// Where it should be.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// The user's fault: the tokenizer's file.
    #[error("the tokenizer file {} cannot be used: {detail}", .path.display())]
    TokenizerFile {
        /// Where it should be.
        path: PathBuf,
        /// What is wrong with it.
        detail: String,
    },
    /// No server runs on this machine, and none is named.
    #[error("no local language model server answers ({probed})")]
    NoLocalServer {
        /// The addresses that were tried.
        probed: String,
    },
}

impl ProviderError {
    pub(crate) fn setting(setting: &'static str, detail: impl Into<String>) -> Self {
        Self::Setting { setting, detail: detail.into() }
    }
}

impl Classified for ProviderError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::NoLocalServer { .. } => ErrorClass::World,
            _ => ErrorClass::User,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::NoLocalServer { .. })
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::Setting { setting, .. } => format!("set {setting} in adit.toml"),
            Self::NoKeyInVariable { variable } => {
                format!("set {variable}, or name another variable or a key file in adit.toml")
            }
            Self::KeyFile { .. } => "write the key, and nothing else, into the file".to_owned(),
            Self::TokenizerFile { .. } => "name the model's own tokenizer.json".to_owned(),
            Self::NoLocalServer { .. } => {
                "start Ollama or llama-server, or name a provider in the section [language_model]".to_owned()
            }
        })
    }
}
