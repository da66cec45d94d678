//! The parts that the encoders of all families are made of: matrix products in either precision, attention,
//! normalisation.

use super::onnx::{Attribute, OnnxBuilder};
use super::quantise::{quantise_linear, transpose};
use super::weights::Weights;
use crate::{ModelError, Precision};

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

const FIRST: &str = "first";
const SEQUENCE_AXIS: &str = "sequence_axis";

/// Sizes that every layer of an encoder shares.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sizes {
    pub(super) hidden: usize,
    pub(super) heads: usize,
    /// Of the layer normalisation.
    pub(super) epsilon: f32,
}

/// Writes layers into a graph, reading their weights by name.
pub(super) struct Layers<'a> {
    pub(super) weights: &'a Weights<'a>,
    pub(super) onnx: OnnxBuilder,
    pub(super) sizes: Sizes,
    precision: Precision,
}

/// A matrix `[outputs, inputs]` in the layout of PyTorch's `Linear`, and what is added to its product.
pub(super) struct Linear<'a> {
    pub(super) name: &'a str,
    pub(super) weight: &'a [f32],
    pub(super) bias: Option<&'a [f32]>,
    pub(super) inputs: usize,
    pub(super) outputs: usize,
}

/// States as the matrix products of a precision read them.
pub(super) enum Activations {
    Float(String),
    /// `value = least + scale * values`, with one scale and one least value for each token.
    Quantised {
        values: String,
        scale: String,
        least: String,
    },
}

impl<'a> Layers<'a> {
    pub(super) fn new(weights: &'a Weights<'a>, precision: Precision, sizes: Sizes) -> Self {
        let mut onnx = OnnxBuilder::default();
        let head_size = sizes.hidden / sizes.heads.max(1);
        // In ONNX a 0 in a shape copies the input's dimension.
        onnx.shape(SPLIT_HEADS, &[0, 0, sizes.heads as i64, head_size as i64]);
        onnx.shape(JOIN_HEADS, &[0, 0, sizes.hidden as i64]);
        onnx.scalar(ATTENTION_SCALE, 1.0 / (head_size as f32).sqrt());
        if precision == Precision::Int8 {
            onnx.byte_scalar(WEIGHT_ZERO_POINT, 0);
            onnx.shape(LAST_AXIS, &[-1]);
            onnx.scalar(ONE, 1.0);
            onnx.unsigned_byte_scalar(ACTIVATION_ZERO_POINT, 0);
            onnx.scalar(SMALLEST_RANGE, 1e-9);
            onnx.scalar(STEP, 1.0 / 255.0);
        }
        Self { weights, onnx, sizes, precision }
    }

    /// `input` as the matrix products of this precision read it.
    pub(super) fn activations(&mut self, input: &str) -> Activations {
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

    /// `input * weight + bias`, both read by `name`.
    pub(super) fn linear(
        &mut self,
        name: &str,
        input: &Activations,
        inputs: usize,
        outputs: usize,
    ) -> Result<String, ModelError> {
        let weight = self.weights.read(&format!("{name}.weight"), &[outputs, inputs])?;
        let bias = self.weights.read(&format!("{name}.bias"), &[outputs])?;
        Ok(self.product(&Linear { name, weight: &weight, bias: Some(&bias), inputs, outputs }, input))
    }

    /// `input * weight + bias` of values that are at hand.
    pub(super) fn product(&mut self, linear: &Linear<'_>, input: &Activations) -> String {
        let Linear { name, weight, bias, inputs, outputs } = *linear;
        let bias = bias.map(|bias| self.onnx.floats(&format!("{name}.bias"), &[outputs], bias));
        let weight_name = format!("{name}.weight");
        match input {
            Activations::Float(input) => {
                let weight = transpose(weight, outputs, inputs);
                let weight = self.onnx.floats(&weight_name, &[inputs, outputs], &weight);
                let product = self.onnx.operator("MatMul", &[input, &weight], &[]);
                match bias {
                    Some(bias) => self.onnx.operator("Add", &[&product, &bias], &[]),
                    None => product,
                }
            }
            Activations::Quantised { values, scale, least } => {
                let quantised = quantise_linear(weight, outputs, inputs);
                let weight = self.onnx.bytes(&weight_name, &[inputs, outputs], &quantised.values);
                let scales = self.onnx.floats(&format!("{name}.scales"), &[outputs], &quantised.scales);
                let sums = self.onnx.floats(&format!("{name}.sums"), &[1, outputs], &quantised.sums);
                let factors = [values, &weight, ACTIVATION_ZERO_POINT, WEIGHT_ZERO_POINT];
                let product = self.onnx.operator("MatMulInteger", &factors, &[]);
                let product = self.onnx.operator("Cast", &[&product], &[Attribute::Integer("to", 1)]);
                let product = self.onnx.operator("Mul", &[&product, &scales], &[]);
                let product = self.onnx.operator("Mul", &[&product, scale], &[]);
                // (least + scale * values) * weight = least * (sums of weight) + scale * (values * weight).
                let mut shift = self.onnx.operator("MatMul", &[least, &sums], &[]);
                if let Some(bias) = bias {
                    shift = self.onnx.operator("Add", &[&shift, &bias], &[]);
                }
                self.onnx.operator("Add", &[&product, &shift], &[])
            }
        }
    }

    /// As [`Layers::product`] in floats whatever the precision: a head is small, and its rounding would reach
    /// the score unsmoothed.
    pub(super) fn float_product(&mut self, linear: &Linear<'_>, input: &str) -> String {
        self.product(linear, &Activations::Float(input.to_owned()))
    }

    /// The first token's state, `[batch, 1, hidden]`.
    pub(super) fn first_token(&mut self, states: &str) -> String {
        self.onnx.shape(FIRST, &[0]);
        self.onnx.operator("Gather", &[states, FIRST], &[Attribute::Integer("axis", 1)])
    }

    /// The mean of all tokens' states, `[batch, 1, hidden]`.
    pub(super) fn mean_of_tokens(&mut self, states: &str) -> String {
        self.onnx.shape(SEQUENCE_AXIS, &[1]);
        self.onnx.operator("ReduceMean", &[states, SEQUENCE_AXIS], &[Attribute::Integer("keepdims", 1)])
    }

    /// Ends the graph with the logits of `pooled`, `[batch, 1, labels]`.
    pub(super) fn classify(&mut self, name: &str, pooled: &str) -> Result<(), ModelError> {
        let hidden = self.sizes.hidden;
        let weight_name = format!("{name}.weight");
        let labels = self.weights.rows_of_head(&weight_name)?;
        let weight = self.weights.read_of_head(&weight_name, &[labels, hidden])?;
        let bias = self.weights.read_of_head(&format!("{name}.bias"), &[labels])?;
        let linear = Linear { name, weight: &weight, bias: Some(&bias), inputs: hidden, outputs: labels };
        let logits = self.float_product(&linear, pooled);
        self.onnx.output_row(&logits, labels);
        Ok(())
    }

    /// `[batch, sequence, hidden]` as `[batch, sequence, heads, head size]`.
    pub(super) fn split_heads(&mut self, states: &str) -> String {
        self.onnx.operator("Reshape", &[states, SPLIT_HEADS], &[])
    }

    /// Attention (Vaswani et al., 2017, section 3.2) over query, key and value, each with its heads split;
    /// `mask` is added to the scaled scores.
    pub(super) fn attend(&mut self, query: &str, key: &str, value: &str, mask: Option<&str>) -> String {
        let onnx = &mut self.onnx;
        let mut ordered = |input: &str, order: [i64; 4]| {
            onnx.operator("Transpose", &[input], &[Attribute::Integers("perm", &order)])
        };
        let query = ordered(query, [0, 2, 1, 3]);
        let key = ordered(key, [0, 2, 3, 1]);
        let value = ordered(value, [0, 2, 1, 3]);
        let scores = onnx.operator("MatMul", &[&query, &key], &[]);
        let mut scores = onnx.operator("Mul", &[&scores, ATTENTION_SCALE], &[]);
        if let Some(mask) = mask {
            scores = onnx.operator("Add", &[&scores, mask], &[]);
        }
        let shares = onnx.operator("Softmax", &[&scores], &[Attribute::Integer("axis", -1)]);
        let context = onnx.operator("MatMul", &[&shares, &value], &[]);
        let merged = onnx.operator("Transpose", &[&context], &[Attribute::Integers("perm", &[0, 2, 1, 3])]);
        onnx.operator("Reshape", &[&merged, JOIN_HEADS], &[])
    }

    /// Layer normalisation with the weights of `name`; without `has_bias` nothing is added.
    pub(super) fn normalise(
        &mut self,
        name: &str,
        input: &str,
        has_bias: bool,
    ) -> Result<String, ModelError> {
        let (gamma, beta) = self.normalisation(name, has_bias)?;
        Ok(self.onnx.operator(
            "LayerNormalization",
            &[input, &gamma, &beta],
            &[Attribute::Integer("axis", -1), Attribute::Float("epsilon", self.sizes.epsilon)],
        ))
    }

    /// As [`Layers::normalise`] with weights of the head, which stand beside the encoder's.
    pub(super) fn normalise_head(
        &mut self,
        name: &str,
        input: &str,
        has_bias: bool,
    ) -> Result<String, ModelError> {
        let width = self.sizes.hidden;
        let gamma = self.weights.read_of_head(&format!("{name}.weight"), &[width])?;
        let beta =
            has_bias.then(|| self.weights.read_of_head(&format!("{name}.bias"), &[width])).transpose()?;
        let beta = beta.unwrap_or_else(|| vec![0.0; width]);
        let gamma = self.onnx.floats(&format!("{name}.weight"), &[width], &gamma);
        let beta = self.onnx.floats(&format!("{name}.bias"), &[width], &beta);
        Ok(self.onnx.operator(
            "LayerNormalization",
            &[input, &gamma, &beta],
            &[Attribute::Integer("axis", -1), Attribute::Float("epsilon", self.sizes.epsilon)],
        ))
    }

    /// `normalise(input + skip)`, the end of both halves of a layer that normalises last.
    pub(super) fn add_and_normalise(
        &mut self,
        name: &str,
        input: &str,
        skip: &str,
    ) -> Result<String, ModelError> {
        let (gamma, beta) = self.normalisation(&format!("{name}.LayerNorm"), true)?;
        Ok(self.onnx.contrib(
            "SkipLayerNormalization",
            &[input, skip, &gamma, &beta],
            &[Attribute::Float("epsilon", self.sizes.epsilon)],
        ))
    }

    fn normalisation(&mut self, name: &str, has_bias: bool) -> Result<(String, String), ModelError> {
        let width = self.sizes.hidden;
        let (gamma, beta) = (format!("{name}.weight"), format!("{name}.bias"));
        let gamma_values = self.weights.read(&gamma, &[width])?;
        let beta_values = if has_bias { self.weights.read(&beta, &[width])? } else { vec![0.0; width] };
        Ok((
            self.onnx.floats(&gamma, &[width], &gamma_values),
            self.onnx.floats(&beta, &[width], &beta_values),
        ))
    }
}
