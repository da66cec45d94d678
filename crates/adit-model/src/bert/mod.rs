//! The BERT family (BERT, XLM-RoBERTa, ModernBERT): configuration, weights, graph, and the converted form that starts fast.

mod absolute;
mod classifier;
mod config;
mod converted;
mod graph;
mod modern_bert;
mod onnx;
mod operators;
mod pooling;
mod quantise;
mod weights;

pub(crate) use config::{BertConfig, Family, read_bounded};
pub(crate) use converted::{load_model, options};
pub(crate) use graph::{INPUT_IDS, POSITION_IDS, TOKEN_TYPE_IDS, build as build_embedder};
pub(crate) use pooling::{Pooling, normalise};
pub(crate) use weights::Weights;
