//! The BERT encoder (Devlin et al., 2018, section 3; Vaswani et al., 2017) as an ONNX graph.
//!
//! Inputs `input_ids` and `position_ids`, both `[batch, sequence]`; one output
//! `[batch, sequence, hidden]`. There is no attention mask: a batch holds texts of one length only,
//! so nothing is padded.

use super::BertConfig;
use super::onnx::{Attribute, OnnxBuilder, OnnxModel};
use super::quantise::{quantise_linear, transpose};
use super::weights::Weights;
use crate::{ModelError, Precision};

/// Name of the graph's input with the tokens' ids.
pub(crate) const INPUT_IDS: &str = "input_ids";
/// Name of the graph's input with the tokens' positions.
pub(crate) const POSITION_IDS: &str = "position_ids";

/// Builds the graph for `weights`.
pub(crate) fn build(
    config: &BertConfig,
    weights: &Weights<'_>,
    precision: Precision,
) -> Result<OnnxModel, ModelError> {
    let mut encoder = Encoder { config, weights, precision, onnx: OnnxBuilder::default() };
    encoder.constants();
    let mut states = encoder.embeddings()?;
    for layer in 0..config.num_hidden_layers {
        states = encoder.layer(layer, &states)?;
    }
    encoder.word_embeddings()?;
    let Encoder { mut onnx, .. } = encoder;
    onnx.output(&states, config.hidden_size);
    Ok(onnx.finish())
}

struct Encoder<'a> {
    config: &'a BertConfig,
    weights: &'a Weights<'a>,
    precision: Precision,
    onnx: OnnxBuilder,
}

const WORD_EMBEDDINGS: &str = "word_embeddings";
const SPLIT_HEADS: &str = "split_heads";
const JOIN_HEADS: &str = "join_heads";
const ATTENTION_SCALE: &str = "attention_scale";
const ACTIVATION_ZERO_POINT: &str = "activation_zero_point";
const WEIGHT_ZERO_POINT: &str = "weight_zero_point";
const LAST_AXIS: &str = "last_axis";
const ONE: &str = "one";
/// Keeps the scale of a state of zeros finite.
const SMALLEST_RANGE: &str = "smallest_range";
/// One step of 8 bits, as a share of a state's range.
const STEP: &str = "step";

impl Encoder<'_> {
    fn constants(&mut self) {
        let heads = self.config.num_attention_heads;
        let head_size = self.config.hidden_size / heads;
        // In ONNX a 0 in a shape copies the input's dimension.
        self.onnx.shape(SPLIT_HEADS, &[0, 0, heads as i64, head_size as i64]);
        self.onnx.shape(JOIN_HEADS, &[0, 0, self.config.hidden_size as i64]);
        self.onnx.scalar(ATTENTION_SCALE, 1.0 / (head_size as f32).sqrt());
        if self.precision == Precision::Int8 {
            self.onnx.byte_scalar(WEIGHT_ZERO_POINT, 0);
            self.onnx.shape(LAST_AXIS, &[-1]);
            self.onnx.scalar(ONE, 1.0);
            self.onnx.unsigned_byte_scalar(ACTIVATION_ZERO_POINT, 0);
            self.onnx.scalar(SMALLEST_RANGE, 1e-9);
            self.onnx.scalar(STEP, 1.0 / 255.0);
        }
    }

    fn embeddings(&mut self) -> Result<String, ModelError> {
        let hidden = self.config.hidden_size;
        self.onnx.token_input(INPUT_IDS);
        self.onnx.token_input(POSITION_IDS);
        let positions = self.config.max_position_embeddings;
        let mut position_table =
            self.weights.read("embeddings.position_embeddings.weight", &[positions, hidden])?;
        // Every token of a single text is of type 0: its embedding is added once, here.
        let types = self
            .weights
            .read("embeddings.token_type_embeddings.weight", &[self.config.type_vocab_size, hidden])?;
        for row in position_table.chunks_exact_mut(hidden) {
            for (value, kind) in row.iter_mut().zip(&types) {
                *value += kind;
            }
        }
        let position_table = self.onnx.floats("position_embeddings", &[positions, hidden], &position_table);
        let word = self.onnx.operator("Gather", &[WORD_EMBEDDINGS, INPUT_IDS], &[]);
        let position = self.onnx.operator("Gather", &[&position_table, POSITION_IDS], &[]);
        let sum = self.onnx.operator("Add", &[&word, &position], &[]);
        let (gamma, beta) = self.normalisation("embeddings.LayerNorm")?;
        Ok(self.onnx.operator(
            "LayerNormalization",
            &[&sum, &gamma, &beta],
            &[Attribute::Integer("axis", -1), Attribute::Float("epsilon", self.config.layer_norm_eps)],
        ))
    }

    /// Written last: a start reads only the rows of the tokens it needs.
    fn word_embeddings(&mut self) -> Result<(), ModelError> {
        let shape = [self.config.vocab_size, self.config.hidden_size];
        let values = self.weights.read("embeddings.word_embeddings.weight", &shape)?;
        self.onnx.floats(WORD_EMBEDDINGS, &shape, &values);
        Ok(())
    }

    fn layer(&mut self, layer: usize, states: &str) -> Result<String, ModelError> {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let hidden = self.config.hidden_size;
        let inner = self.config.intermediate_size;

        let context = self.attention(layer, states)?;
        let input = self.activations(&context);
        let projected = self.linear(&name("attention.output.dense"), &input, hidden, hidden)?;
        let attended = self.add_and_normalise(&name("attention.output"), &projected, states)?;

        let input = self.activations(&attended);
        let expanded = self.linear(&name("intermediate.dense"), &input, hidden, inner)?;
        let activated = self.onnx.operator("Gelu", &[&expanded], &[]);
        let input = self.activations(&activated);
        let contracted = self.linear(&name("output.dense"), &input, inner, hidden)?;
        self.add_and_normalise(&name("output"), &contracted, &attended)
    }

    fn attention(&mut self, layer: usize, states: &str) -> Result<String, ModelError> {
        let hidden = self.config.hidden_size;
        let input = self.activations(states);
        let mut heads = Vec::with_capacity(3);
        for (part, order) in [("query", [0, 2, 1, 3]), ("key", [0, 2, 3, 1]), ("value", [0, 2, 1, 3])] {
            let name = format!("encoder.layer.{layer}.attention.self.{part}");
            let projected = self.linear(&name, &input, hidden, hidden)?;
            let split = self.onnx.operator("Reshape", &[&projected, SPLIT_HEADS], &[]);
            heads.push(self.onnx.operator("Transpose", &[&split], &[Attribute::Integers("perm", &order)]));
        }
        let [query, key, value] = heads.as_slice() else {
            return Err(ModelError::unsupported("attention has three projections"));
        };
        let scores = self.onnx.operator("MatMul", &[query, key], &[]);
        let scaled = self.onnx.operator("Mul", &[&scores, ATTENTION_SCALE], &[]);
        let shares = self.onnx.operator("Softmax", &[&scaled], &[Attribute::Integer("axis", -1)]);
        let context = self.onnx.operator("MatMul", &[&shares, value], &[]);
        let merged =
            self.onnx.operator("Transpose", &[&context], &[Attribute::Integers("perm", &[0, 2, 1, 3])]);
        Ok(self.onnx.operator("Reshape", &[&merged, JOIN_HEADS], &[]))
    }

    /// `input` as the matrix products of this precision read it.
    fn activations(&mut self, input: &str) -> Activations {
        match self.precision {
            Precision::Float32 => Activations::Float(input.to_owned()),
            Precision::Int8 => self.quantised(input),
        }
    }

    /// Quantises every token's state by itself, to 8 bits between its least and its greatest value.
    ///
    /// A few tokens have states far larger than the others', so one scale for all of them (ONNX's
    /// `DynamicQuantizeLinear`) costs more than the weights' rounding does. The least value is kept
    /// as a float: rten 0.27 takes zero points by row but uses the first rows' for all.
    fn quantised(&mut self, input: &str) -> Activations {
        let by_token = [Attribute::Integer("keepdims", 1)];
        let onnx = &mut self.onnx;
        let least = onnx.operator("ReduceMin", &[input, LAST_AXIS], &by_token);
        let greatest = onnx.operator("ReduceMax", &[input, LAST_AXIS], &by_token);
        let range = onnx.operator("Sub", &[&greatest, &least], &[]);
        let range = onnx.operator("Max", &[&range, SMALLEST_RANGE], &[]);
        let scale = onnx.operator("Mul", &[&range, STEP], &[]);
        let inverse = onnx.operator("Div", &[ONE, &scale], &[]);
        let shifted = onnx.operator("Sub", &[input, &least], &[]);
        let scaled = onnx.operator("Mul", &[&shifted, &inverse], &[]);
        let values = onnx.operator("QuantizeLinear", &[&scaled, ONE, ACTIVATION_ZERO_POINT], &[]);
        Activations::Quantised { values, scale, least }
    }

    /// `input * weight + bias`.
    fn linear(
        &mut self,
        name: &str,
        input: &Activations,
        inputs: usize,
        outputs: usize,
    ) -> Result<String, ModelError> {
        let weight_name = format!("{name}.weight");
        let weight = self.weights.read(&weight_name, &[outputs, inputs])?;
        let bias = self.bias(name, outputs)?;
        match input {
            Activations::Float(input) => {
                let weight = transpose(&weight, outputs, inputs);
                let weight = self.onnx.floats(&weight_name, &[inputs, outputs], &weight);
                let product = self.onnx.operator("MatMul", &[input, &weight], &[]);
                Ok(self.onnx.operator("Add", &[&product, &bias], &[]))
            }
            Activations::Quantised { values, scale, least } => {
                let quantised = quantise_linear(&weight, outputs, inputs);
                let weight = self.onnx.bytes(&weight_name, &[inputs, outputs], &quantised.values);
                let scales = self.onnx.floats(&format!("{name}.scales"), &[outputs], &quantised.scales);
                let sums = self.onnx.floats(&format!("{name}.sums"), &[1, outputs], &quantised.sums);
                let factors = [values, &weight, ACTIVATION_ZERO_POINT, WEIGHT_ZERO_POINT];
                let product = self.onnx.operator("MatMulInteger", &factors, &[]);
                let product = self.onnx.operator("Cast", &[&product], &[Attribute::Integer("to", 1)]);
                let product = self.onnx.operator("Mul", &[&product, &scales], &[]);
                let product = self.onnx.operator("Mul", &[&product, scale], &[]);
                // (least + scale * values) * weight = least * (sums of weight) + scale * (values * weight).
                let shift = self.onnx.operator("MatMul", &[least, &sums], &[]);
                let shift = self.onnx.operator("Add", &[&shift, &bias], &[]);
                Ok(self.onnx.operator("Add", &[&product, &shift], &[]))
            }
        }
    }

    /// `normalise(input + skip)`, the end of both halves of a layer.
    fn add_and_normalise(&mut self, name: &str, input: &str, skip: &str) -> Result<String, ModelError> {
        let (gamma, beta) = self.normalisation(&format!("{name}.LayerNorm"))?;
        Ok(self.onnx.contrib(
            "SkipLayerNormalization",
            &[input, skip, &gamma, &beta],
            &[Attribute::Float("epsilon", self.config.layer_norm_eps)],
        ))
    }

    fn bias(&mut self, name: &str, width: usize) -> Result<String, ModelError> {
        let name = format!("{name}.bias");
        let values = self.weights.read(&name, &[width])?;
        Ok(self.onnx.floats(&name, &[width], &values))
    }

    fn normalisation(&mut self, name: &str) -> Result<(String, String), ModelError> {
        let width = self.config.hidden_size;
        let (gamma, beta) = (format!("{name}.weight"), format!("{name}.bias"));
        let gamma_values = self.weights.read(&gamma, &[width])?;
        let beta_values = self.weights.read(&beta, &[width])?;
        Ok((
            self.onnx.floats(&gamma, &[width], &gamma_values),
            self.onnx.floats(&beta, &[width], &beta_values),
        ))
    }
}

enum Activations {
    Float(String),
    /// `value = least + scale * values`, with one scale and one least value for each token.
    Quantised {
        values: String,
        scale: String,
        least: String,
    },
}
