use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use super::classifier::{bert_classifier, xlm_roberta_classifier};
use super::modern_bert::{ModernBertConfig, modern_bert_classifier};
use super::onnx::OnnxModel;
use super::weights::Weights;
use crate::{ModelError, Precision};

/// The most a model folder's JSON files may have; `tokenizer.json` of a large vocabulary is 20 MB.
pub(crate) const MAX_JSON_BYTES: u64 = 64 << 20;

/// `config.json` of a BERT or XLM-RoBERTa model, in the names of the `transformers` library.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct BertConfig {
    model_type: String,
    pub(crate) hidden_size: usize,
    pub(crate) num_hidden_layers: usize,
    pub(crate) num_attention_heads: usize,
    pub(crate) intermediate_size: usize,
    pub(crate) max_position_embeddings: usize,
    pub(crate) vocab_size: usize,
    pub(crate) type_vocab_size: usize,
    pub(crate) layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
    #[serde(default)]
    pad_token_id: Option<usize>,
}

/// The family of a model, with what its configuration says.
#[derive(Debug, Clone)]
pub(crate) enum Family {
    /// BERT.
    Bert(BertConfig),
    /// RoBERTa and XLM-RoBERTa.
    XlmRoberta(BertConfig),
    /// ModernBERT.
    ModernBert(ModernBertConfig),
}

#[derive(Deserialize)]
struct ModelType {
    model_type: String,
}

impl Family {
    /// Reads and checks `config.json` of `folder`.
    pub(crate) fn read(folder: &Path) -> Result<Self, ModelError> {
        let bytes = read_bounded(folder, "config.json")?;
        let kind: ModelType = parse_config(&bytes)?;
        match kind.model_type.as_str() {
            "bert" => Ok(Self::Bert(BertConfig::parse(&bytes)?)),
            "roberta" | "xlm-roberta" => Ok(Self::XlmRoberta(BertConfig::parse(&bytes)?)),
            "modernbert" => Ok(Self::ModernBert(ModernBertConfig::parse(&bytes)?)),
            other => Err(ModelError::unsupported(format!(
                "model_type `{other}` is none of `bert`, `roberta`, `xlm-roberta`, `modernbert`"
            ))),
        }
    }

    /// The most tokens of one input.
    pub(crate) fn max_positions(&self) -> usize {
        match self {
            Self::Bert(config) | Self::XlmRoberta(config) => config.usable_positions(),
            Self::ModernBert(config) => config.max_position_embeddings,
        }
    }

    /// The graph of a cross-encoder: logits `[batch, 1, labels]`.
    pub(crate) fn classifier(
        &self,
        weights: &Weights<'_>,
        precision: Precision,
    ) -> Result<OnnxModel, ModelError> {
        match self {
            Self::Bert(config) => bert_classifier(config, weights, precision),
            Self::XlmRoberta(config) => xlm_roberta_classifier(config, weights, precision),
            Self::ModernBert(config) => modern_bert_classifier(config, weights, precision),
        }
    }
}

impl BertConfig {
    /// Reads and checks `config.json` of `folder`, which must be of type `bert`.
    pub(crate) fn read(folder: &Path) -> Result<Self, ModelError> {
        match Family::read(folder)? {
            Family::Bert(config) => Ok(config),
            _ => Err(ModelError::unsupported("only models of type `bert` embed here")),
        }
    }

    fn parse(bytes: &[u8]) -> Result<Self, ModelError> {
        let config: Self = parse_config(bytes)?;
        config.check()?;
        Ok(config)
    }

    /// Positions that a token may have. The RoBERTa line counts from one past the padding token's id
    /// (Fairseq's convention), so that many rows of its table are never used.
    pub(crate) fn usable_positions(&self) -> usize {
        let unused = if self.model_type == "bert" { 0 } else { self.pad_token_id.unwrap_or(1) + 1 };
        self.max_position_embeddings.saturating_sub(unused)
    }

    fn check(&self) -> Result<(), ModelError> {
        if self.hidden_act != "gelu" {
            return Err(ModelError::unsupported(format!("hidden_act `{}` is not `gelu`", self.hidden_act)));
        }
        if self.position_embedding_type.as_deref().is_some_and(|kind| kind != "absolute") {
            return Err(ModelError::unsupported("position embeddings are not absolute"));
        }
        let whole_heads =
            self.num_attention_heads > 0 && self.hidden_size.is_multiple_of(self.num_attention_heads);
        if !whole_heads || self.hidden_size == 0 || self.num_hidden_layers == 0 {
            return Err(ModelError::unsupported("hidden size, layers and heads do not fit together"));
        }
        Ok(())
    }
}

/// A `config.json`.
pub(super) fn parse_config<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ModelError> {
    serde_json::from_slice(bytes).map_err(|error| ModelError::unsupported(format!("config.json: {error}")))
}

/// Bytes of a small file of a model folder.
pub(crate) fn read_bounded(folder: &Path, name: &str) -> Result<Vec<u8>, ModelError> {
    let path = folder.join(name);
    let Ok(metadata) = fs_err::metadata(&path) else {
        return Err(ModelError::MissingFile { folder: folder.to_owned(), file: name.to_owned() });
    };
    if metadata.len() > MAX_JSON_BYTES {
        return Err(ModelError::damaged(&path, format!("{} bytes are too many", metadata.len())));
    }
    Ok(fs_err::read(&path)?)
}
