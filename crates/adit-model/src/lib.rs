//! Running models: local embedders, model registry and download.
//!
//! [`ModelStore::ensure`] puts a model's files into the cache and says where they are;
//! [`BertEmbedder::load`] turns such a folder into an [`adit_core::Embedder`]. The BERT family
//! (Devlin et al., 2018) is read from safetensors: the graph is built here, written as ONNX in
//! memory and run by `rten`.

mod bert;
mod embedder;
mod error;
mod store;
mod tokenizer;

pub use embedder::{BertEmbedder, Precision};
pub use error::ModelError;
pub use store::{
    DownloadProgress, ModelCard, ModelFile, ModelFolder, ModelStatus, ModelStore, SourceFailure, known_models,
};
pub use tokenizer::BertTokenizer;
