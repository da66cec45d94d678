use std::path::Path;

use serde::Deserialize;

use crate::ModelError;

/// The most a model folder's JSON files may have; `tokenizer.json` of a large vocabulary is 20 MB.
pub(crate) const MAX_JSON_BYTES: u64 = 64 << 20;

/// `config.json` of a BERT model, in the names of the `transformers` library.
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
}

impl BertConfig {
    /// Reads and checks `config.json` of `folder`.
    pub(crate) fn read(folder: &Path) -> Result<Self, ModelError> {
        let bytes = read_bounded(folder, "config.json")?;
        let config: Self = serde_json::from_slice(&bytes)
            .map_err(|error| ModelError::unsupported(format!("config.json: {error}")))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ModelError> {
        if self.model_type != "bert" {
            return Err(ModelError::unsupported(format!("model_type `{}` is not `bert`", self.model_type)));
        }
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
