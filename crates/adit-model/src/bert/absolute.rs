//! The encoder of BERT (Devlin et al., 2018, section 3) and of the RoBERTa line (Liu et al., 2019): learnt
//! absolute positions, normalisation after each half of a layer.
//!
//! Inputs `input_ids` and `position_ids`, both `[batch, sequence]`, positions from 0, and `token_type_ids`
//! where there is a choice of types; states `[batch, sequence, hidden]`. There is no attention mask: a batch
//! holds texts of one length only, so nothing is padded.

use super::BertConfig;
use super::graph::{INPUT_IDS, POSITION_IDS, TOKEN_TYPE_IDS};
use super::onnx::OnnxModel;
use super::operators::{Layers, Sizes};
use super::weights::Weights;
use crate::{ModelError, Precision};

const WORD_EMBEDDINGS: &str = "word_embeddings";

/// The types that the tokens of a text may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenTypes {
    /// Every token is of type 0: a single text.
    AllZero,
    /// A third input names each token's type: a pair of texts.
    Given,
}

pub(super) struct AbsoluteEncoder<'a> {
    config: &'a BertConfig,
    pub(super) layers: Layers<'a>,
}

impl<'a> AbsoluteEncoder<'a> {
    pub(super) fn new(config: &'a BertConfig, weights: &'a Weights<'a>, precision: Precision) -> Self {
        let sizes = Sizes {
            hidden: config.hidden_size,
            heads: config.num_attention_heads,
            epsilon: config.layer_norm_eps,
        };
        Self { config, layers: Layers::new(weights, precision, sizes) }
    }

    /// Writes the whole encoder; the name of its last states.
    pub(super) fn states(&mut self, types: TokenTypes) -> Result<String, ModelError> {
        let mut states = self.embeddings(types)?;
        for layer in 0..self.config.num_hidden_layers {
            states = self.layer(layer, &states)?;
        }
        Ok(states)
    }

    /// The finished graph, the word embeddings written last: a start reads only the rows of the tokens it
    /// needs.
    pub(super) fn finish(mut self) -> Result<OnnxModel, ModelError> {
        let shape = [self.config.vocab_size, self.config.hidden_size];
        let values = self.layers.weights.read("embeddings.word_embeddings.weight", &shape)?;
        self.layers.onnx.floats(WORD_EMBEDDINGS, &shape, &values);
        Ok(self.layers.onnx.finish())
    }

    fn embeddings(&mut self, types: TokenTypes) -> Result<String, ModelError> {
        let hidden = self.config.hidden_size;
        let kinds = self.config.type_vocab_size;
        let weights = self.layers.weights;
        let all_positions = self.config.max_position_embeddings;
        let positions = self.config.usable_positions();
        let stored = weights.read("embeddings.position_embeddings.weight", &[all_positions, hidden])?;
        // The RoBERTa line keeps its first rows for padding: positions count from the first row of use.
        let mut position_table: Vec<f32> =
            stored.into_iter().skip((all_positions - positions) * hidden).collect();
        let type_table = weights.read("embeddings.token_type_embeddings.weight", &[kinds, hidden])?;
        let are_given = types == TokenTypes::Given && kinds > 1;
        if !are_given {
            // Every token is of type 0: its embedding is added once, here.
            for row in position_table.chunks_exact_mut(hidden) {
                for (value, kind) in row.iter_mut().zip(&type_table) {
                    *value += kind;
                }
            }
        }
        let onnx = &mut self.layers.onnx;
        onnx.token_input(INPUT_IDS);
        onnx.token_input(POSITION_IDS);
        let position_table = onnx.floats("position_embeddings", &[positions, hidden], &position_table);
        let word = onnx.operator("Gather", &[WORD_EMBEDDINGS, INPUT_IDS], &[]);
        let position = onnx.operator("Gather", &[&position_table, POSITION_IDS], &[]);
        let mut sum = onnx.operator("Add", &[&word, &position], &[]);
        if are_given {
            onnx.token_input(TOKEN_TYPE_IDS);
            let type_table = onnx.floats("token_type_embeddings", &[kinds, hidden], &type_table);
            let kind = onnx.operator("Gather", &[&type_table, TOKEN_TYPE_IDS], &[]);
            sum = onnx.operator("Add", &[&sum, &kind], &[]);
        }
        self.layers.normalise("embeddings.LayerNorm", &sum, true)
    }

    fn layer(&mut self, layer: usize, states: &str) -> Result<String, ModelError> {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let hidden = self.config.hidden_size;
        let inner = self.config.intermediate_size;
        let layers = &mut self.layers;

        let input = layers.activations(states);
        let mut heads = Vec::with_capacity(3);
        for part in ["query", "key", "value"] {
            let projected =
                layers.linear(&name(&format!("attention.self.{part}")), &input, hidden, hidden)?;
            heads.push(layers.split_heads(&projected));
        }
        let [query, key, value] = heads.as_slice() else {
            return Err(ModelError::unsupported("attention has three projections"));
        };
        let context = layers.attend(query, key, value, None);
        let input = layers.activations(&context);
        let projected = layers.linear(&name("attention.output.dense"), &input, hidden, hidden)?;
        let attended = layers.add_and_normalise(&name("attention.output"), &projected, states)?;

        let input = layers.activations(&attended);
        let expanded = layers.linear(&name("intermediate.dense"), &input, hidden, inner)?;
        let activated = layers.onnx.operator("Gelu", &[&expanded], &[]);
        let input = layers.activations(&activated);
        let contracted = layers.linear(&name("output.dense"), &input, inner, hidden)?;
        layers.add_and_normalise(&name("output"), &contracted, &attended)
    }
}
