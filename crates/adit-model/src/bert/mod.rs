//! The BERT family: configuration, weights, graph, and the converted form that starts fast.

mod config;
mod converted;
mod graph;
mod onnx;
mod pooling;
mod quantise;
mod weights;

pub(crate) use config::{BertConfig, read_bounded};
pub(crate) use converted::load_model;
pub(crate) use graph::{INPUT_IDS, POSITION_IDS};
pub(crate) use pooling::{Pooling, normalise};
