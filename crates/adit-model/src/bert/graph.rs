//! What the graphs of all families have in common, and the one that an embedder runs.

use super::BertConfig;
use super::absolute::{AbsoluteEncoder, TokenTypes};
use super::onnx::OnnxModel;
use super::weights::Weights;
use crate::{ModelError, Precision};

/// Name of a graph's input with the tokens' ids.
pub(crate) const INPUT_IDS: &str = "input_ids";
/// Name of a graph's input with the tokens' positions.
pub(crate) const POSITION_IDS: &str = "position_ids";
/// Name of a graph's input with the tokens' types: 0 for the first text of a pair, 1 for the second.
pub(crate) const TOKEN_TYPE_IDS: &str = "token_type_ids";

/// The graph of an embedder: token states `[batch, sequence, hidden]`.
pub(crate) fn build(
    config: &BertConfig,
    weights: &Weights<'_>,
    precision: Precision,
) -> Result<OnnxModel, ModelError> {
    let mut encoder = AbsoluteEncoder::new(config, weights, precision);
    let states = encoder.states(TokenTypes::AllZero)?;
    encoder.layers.onnx.output(&states, config.hidden_size);
    encoder.finish()
}
