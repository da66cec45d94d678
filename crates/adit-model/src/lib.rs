//! Running models: local embedders, model registry and download.
//!
//! [`ModelStore::ensure`] puts a model's files into the cache and says where they are;
//! [`BertEmbedder::load`] turns such a folder into an [`adit_core::Embedder`]. The BERT family
//! (Devlin et al., 2018) is read from safetensors: the graph is built here, written as ONNX in
//! memory and run by `rten`. [`CrossEncoder::load`] makes an [`adit_core::Reranker`] of a folder with a
//! sequence classifier, which shares the encoders.

mod bert;
mod cross_encoder;
mod embedder;
mod error;
mod store;
mod tokenizer;
mod workers;

pub use cross_encoder::CrossEncoder;
pub use embedder::{BertEmbedder, Precision};
pub use error::ModelError;
pub use store::{
    DownloadProgress, ModelCard, ModelFile, ModelFolder, ModelStatus, ModelStore, SourceFailure, known_models,
};
pub use tokenizer::BertTokenizer;
