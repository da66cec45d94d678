//! ModernBERT (Warner et al., 2024, arXiv:2412.13663): rotary positions, attention that alternates between all
//! tokens and a window, gated feed-forward layers, normalisation before each half of a layer.
//!
//! Inputs `input_ids` and `position_ids`; a batch holds texts of one length only, so nothing is padded.

use serde::Deserialize;

use super::config::parse_config;
use super::graph::{INPUT_IDS, POSITION_IDS};
use super::onnx::{Attribute, OnnxModel};
use super::operators::{Activations, Layers, Linear, Sizes};
use super::weights::Weights;
use crate::{ModelError, Precision};

const WORD_EMBEDDINGS: &str = "word_embeddings";
const POSITION_AXES: [(&str, i64); 2] = [("axis_1", 1), ("axis_2", 2)];
/// Added to the score of a token outside the window: its share rounds to 0.
const OUTSIDE: f32 = -1e30;

/// `config.json` of a ModernBERT model, in the names of the `transformers` library, old and new.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct ModernBertConfig {
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    pub(crate) max_position_embeddings: usize,
    vocab_size: usize,
    #[serde(default = "default_epsilon")]
    norm_eps: f32,
    #[serde(default)]
    norm_bias: bool,
    #[serde(default)]
    attention_bias: bool,
    #[serde(default)]
    mlp_bias: bool,
    #[serde(default)]
    classifier_bias: bool,
    #[serde(default = "gelu")]
    hidden_activation: String,
    #[serde(default = "gelu")]
    classifier_activation: String,
    #[serde(default = "first_token")]
    classifier_pooling: String,
    #[serde(default = "default_window")]
    local_attention: usize,
    #[serde(default = "every_third")]
    global_attn_every_n_layers: usize,
    #[serde(default)]
    layer_types: Option<Vec<String>>,
    #[serde(default)]
    global_rope_theta: Option<f64>,
    #[serde(default)]
    local_rope_theta: Option<f64>,
    #[serde(default)]
    rope_parameters: Option<RopeParameters>,
}

#[derive(Debug, Clone, Deserialize)]
struct RopeParameters {
    full_attention: Option<Rope>,
    sliding_attention: Option<Rope>,
}

#[derive(Debug, Clone, Deserialize)]
struct Rope {
    rope_theta: f64,
    #[serde(default)]
    rope_type: Option<String>,
}

fn default_epsilon() -> f32 {
    1e-5
}

fn gelu() -> String {
    "gelu".to_owned()
}

fn first_token() -> String {
    "cls".to_owned()
}

fn default_window() -> usize {
    128
}

fn every_third() -> usize {
    3
}

/// Base of the rotary frequencies where a model attends to all tokens, by the paper.
const GLOBAL_THETA: f64 = 160_000.0;
/// The same where it attends to a window.
const LOCAL_THETA: f64 = 10_000.0;

impl ModernBertConfig {
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, ModelError> {
        let config: Self = parse_config(bytes)?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), ModelError> {
        for activation in [&self.hidden_activation, &self.classifier_activation] {
            if activation != "gelu" {
                return Err(ModelError::unsupported(format!("activation `{activation}` is not `gelu`")));
            }
        }
        if !matches!(self.classifier_pooling.as_str(), "cls" | "mean") {
            return Err(ModelError::unsupported(format!(
                "classifier_pooling `{}` is neither `cls` nor `mean`",
                self.classifier_pooling
            )));
        }
        let whole_heads =
            self.num_attention_heads > 0 && self.hidden_size.is_multiple_of(2 * self.num_attention_heads);
        if !whole_heads || self.hidden_size == 0 || self.global_attn_every_n_layers == 0 {
            return Err(ModelError::unsupported("hidden size, layers and heads do not fit together"));
        }
        if self.layer_types.as_ref().is_some_and(|types| types.len() != self.num_hidden_layers) {
            return Err(ModelError::unsupported("layer_types names another number of layers"));
        }
        let ropes = self.rope_parameters.iter();
        let mut ropes = ropes.flat_map(|rope| [&rope.full_attention, &rope.sliding_attention]).flatten();
        match ropes.find(|rope| rope.rope_type.as_deref().is_some_and(|kind| kind != "default")) {
            Some(rope) => {
                Err(ModelError::unsupported(format!("rotary positions of type {:?}", rope.rope_type)))
            }
            None => Ok(()),
        }
    }

    fn reach(&self, layer: usize) -> Reach {
        let is_global = match self.layer_types.as_ref().and_then(|types| types.get(layer)) {
            Some(kind) => kind == "full_attention",
            None => layer.is_multiple_of(self.global_attn_every_n_layers),
        };
        if is_global { Reach::Global } else { Reach::Local }
    }

    fn theta(&self, reach: Reach) -> f64 {
        let named = self.rope_parameters.as_ref();
        match reach {
            Reach::Global => {
                let named = named.and_then(|rope| rope.full_attention.as_ref()).map(|rope| rope.rope_theta);
                named.or(self.global_rope_theta).unwrap_or(GLOBAL_THETA)
            }
            Reach::Local => {
                let named =
                    named.and_then(|rope| rope.sliding_attention.as_ref()).map(|rope| rope.rope_theta);
                named.or(self.local_rope_theta).unwrap_or(LOCAL_THETA)
            }
        }
    }

    fn head_size(&self) -> usize {
        self.hidden_size / self.num_attention_heads.max(1)
    }
}

/// Which tokens a token attends to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reach {
    Global,
    Local,
}

/// ModernBERT with a classification head: logits `[batch, 1, labels]`.
pub(super) fn modern_bert_classifier(
    config: &ModernBertConfig,
    weights: &Weights<'_>,
    precision: Precision,
) -> Result<OnnxModel, ModelError> {
    let sizes =
        Sizes { hidden: config.hidden_size, heads: config.num_attention_heads, epsilon: config.norm_eps };
    let mut encoder = ModernEncoder { config, layers: Layers::new(weights, precision, sizes) };
    let states = encoder.states()?;
    encoder.head(&states)?;
    encoder.finish()
}

/// What all layers of a reach share: the rotations of the tokens' positions and the window.
struct Shared {
    cosines: String,
    sines: String,
    mask: Option<String>,
}

struct ModernEncoder<'a> {
    config: &'a ModernBertConfig,
    layers: Layers<'a>,
}

impl ModernEncoder<'_> {
    fn states(&mut self) -> Result<String, ModelError> {
        let onnx = &mut self.layers.onnx;
        onnx.token_input(INPUT_IDS);
        onnx.token_input(POSITION_IDS);
        for (name, axis) in POSITION_AXES {
            onnx.shape(name, &[axis]);
        }
        let head_size = self.config.head_size() as i64;
        for (name, value) in
            [("half_start", 0), ("half_middle", head_size / 2), ("half_end", head_size), ("head_axis", 3)]
        {
            onnx.shape(name, &[value]);
        }
        let word = onnx.operator("Gather", &[WORD_EMBEDDINGS, INPUT_IDS], &[]);
        let mut states = self.layers.normalise("embeddings.norm", &word, self.config.norm_bias)?;
        let global = self.shared(Reach::Global);
        let has_local =
            (0..self.config.num_hidden_layers).any(|layer| self.config.reach(layer) == Reach::Local);
        let local = has_local.then(|| self.shared(Reach::Local));
        for layer in 0..self.config.num_hidden_layers {
            let shared = match (self.config.reach(layer), &local) {
                (Reach::Local, Some(local)) => local,
                _ => &global,
            };
            states = self.layer(layer, &states, shared)?;
        }
        self.layers.normalise("final_norm", &states, self.config.norm_bias)
    }

    fn shared(&mut self, reach: Reach) -> Shared {
        let (cosines, sines) = rotations(self.config, self.config.theta(reach));
        let shape = [self.config.max_position_embeddings, 1, self.config.head_size()];
        let onnx = &mut self.layers.onnx;
        let cosines = onnx.floats(&format!("cosines_{reach:?}"), &shape, &cosines);
        let sines = onnx.floats(&format!("sines_{reach:?}"), &shape, &sines);
        let cosines = onnx.operator("Gather", &[&cosines, POSITION_IDS], &[]);
        let sines = onnx.operator("Gather", &[&sines, POSITION_IDS], &[]);
        let mask = (reach == Reach::Local).then(|| self.window());
        Shared { cosines, sines, mask }
    }

    /// `[batch, 1, sequence, sequence]`: 0 inside the window, [`OUTSIDE`] elsewhere.
    fn window(&mut self) -> String {
        let half = (self.config.local_attention / 2) as f32;
        let onnx = &mut self.layers.onnx;
        onnx.scalar("half_window", half);
        onnx.scalar("outside", OUTSIDE);
        let places = onnx.operator("Cast", &[POSITION_IDS], &[Attribute::Integer("to", 1)]);
        let rows = onnx.operator("Unsqueeze", &[&places, "axis_2"], &[]);
        let columns = onnx.operator("Unsqueeze", &[&places, "axis_1"], &[]);
        let difference = onnx.operator("Sub", &[&rows, &columns], &[]);
        let distance = onnx.operator("Abs", &[&difference], &[]);
        let is_far = onnx.operator("Greater", &[&distance, "half_window"], &[]);
        let is_far = onnx.operator("Cast", &[&is_far], &[Attribute::Integer("to", 1)]);
        let mask = onnx.operator("Mul", &[&is_far, "outside"], &[]);
        onnx.operator("Unsqueeze", &[&mask, "axis_1"], &[])
    }

    fn layer(&mut self, layer: usize, states: &str, shared: &Shared) -> Result<String, ModelError> {
        let name = |part: &str| format!("layers.{layer}.{part}");
        let hidden = self.config.hidden_size;
        // The embeddings are normalised already.
        let input = match layer {
            0 => states.to_owned(),
            _ => self.layers.normalise(&name("attn_norm"), states, self.config.norm_bias)?,
        };
        let input = self.layers.activations(&input);
        let has_bias = self.config.attention_bias;
        let parts = self.stacked(&name("attn.Wqkv"), &input, [hidden, hidden], 3, has_bias)?;
        let [query, key, value] = parts.as_slice() else {
            return Err(ModelError::unsupported("attention has three projections"));
        };
        let (query, key, value) =
            (self.layers.split_heads(query), self.layers.split_heads(key), self.layers.split_heads(value));
        let query = self.rotate(&query, shared);
        let key = self.rotate(&key, shared);
        let context = self.layers.attend(&query, &key, &value, shared.mask.as_deref());
        let input = self.layers.activations(&context);
        let projected = self.stacked(&name("attn.Wo"), &input, [hidden, hidden], 1, has_bias)?;
        let attended = self.add(states, &projected);

        let input = self.layers.normalise(&name("mlp_norm"), &attended, self.config.norm_bias)?;
        let contracted = self.feed_forward(&name("mlp"), &input)?;
        Ok(self.add(&attended, &contracted))
    }

    /// A gated layer (Shazeer, 2020, "GLU Variants Improve Transformer"): one half of the projection opens the
    /// other.
    fn feed_forward(&mut self, name: &str, input: &str) -> Result<Vec<String>, ModelError> {
        let (hidden, inner) = (self.config.hidden_size, self.config.intermediate_size);
        let has_bias = self.config.mlp_bias;
        let input = self.layers.activations(input);
        let parts = self.stacked(&format!("{name}.Wi"), &input, [inner, hidden], 2, has_bias)?;
        let [value, gate] = parts.as_slice() else {
            return Err(ModelError::unsupported("a gated layer has two projections"));
        };
        let activated = self.layers.onnx.operator("Gelu", &[value], &[]);
        let gated = self.layers.onnx.operator("Mul", &[&activated, gate], &[]);
        let input = self.layers.activations(&gated);
        self.stacked(&format!("{name}.Wo"), &input, [hidden, inner], 1, has_bias)
    }

    /// The products of `count` matrices `[outputs, inputs]` that the model keeps as one, stacked by rows.
    fn stacked(
        &mut self,
        name: &str,
        input: &Activations,
        [outputs, inputs]: [usize; 2],
        count: usize,
        has_bias: bool,
    ) -> Result<Vec<String>, ModelError> {
        let weights = self.layers.weights;
        let weight = weights.read(&format!("{name}.weight"), &[outputs * count, inputs])?;
        let bias = has_bias.then(|| weights.read(&format!("{name}.bias"), &[outputs * count])).transpose()?;
        let mut products = Vec::with_capacity(count);
        for (part, weight) in weight.chunks_exact((outputs * inputs).max(1)).enumerate() {
            let bias = bias.as_ref().and_then(|bias| bias.chunks_exact(outputs.max(1)).nth(part));
            let name = format!("{name}.{part}");
            products.push(self.layers.product(&Linear { name: &name, weight, bias, inputs, outputs }, input));
        }
        Ok(products)
    }

    /// Rotary positions (Su et al., 2021, "RoFormer") on `[batch, sequence, heads, head size]`; the signs of the
    /// swapped halves stand in the table of sines.
    fn rotate(&mut self, states: &str, shared: &Shared) -> String {
        let onnx = &mut self.layers.onnx;
        let first = onnx.operator("Slice", &[states, "half_start", "half_middle", "head_axis"], &[]);
        let second = onnx.operator("Slice", &[states, "half_middle", "half_end", "head_axis"], &[]);
        let swapped = onnx.operator("Concat", &[&second, &first], &[Attribute::Integer("axis", -1)]);
        let kept = onnx.operator("Mul", &[states, &shared.cosines], &[]);
        let turned = onnx.operator("Mul", &[&swapped, &shared.sines], &[]);
        onnx.operator("Add", &[&kept, &turned], &[])
    }

    fn add(&mut self, states: &str, products: &[String]) -> String {
        let product = products.first().map_or("", String::as_str);
        self.layers.onnx.operator("Add", &[states, product], &[])
    }

    fn head(&mut self, states: &str) -> Result<(), ModelError> {
        let hidden = self.config.hidden_size;
        let pooled = match self.config.classifier_pooling.as_str() {
            "mean" => self.layers.mean_of_tokens(states),
            _ => self.layers.first_token(states),
        };
        let weights = self.layers.weights;
        let dense = weights.read_of_head("head.dense.weight", &[hidden, hidden])?;
        let bias = self.config.classifier_bias;
        let bias = bias.then(|| weights.read_of_head("head.dense.bias", &[hidden])).transpose()?;
        let bias = bias.as_deref();
        let dense = Linear { name: "head.dense", weight: &dense, bias, inputs: hidden, outputs: hidden };
        let dense = self.layers.float_product(&dense, &pooled);
        let activated = self.layers.onnx.operator("Gelu", &[&dense], &[]);
        let normalised = self.layers.normalise_head("head.norm", &activated, self.config.norm_bias)?;
        self.layers.classify("classifier", &normalised)
    }

    fn finish(mut self) -> Result<OnnxModel, ModelError> {
        let shape = [self.config.vocab_size, self.config.hidden_size];
        let values = self.layers.weights.read("embeddings.tok_embeddings.weight", &shape)?;
        self.layers.onnx.floats(WORD_EMBEDDINGS, &shape, &values);
        Ok(self.layers.onnx.finish())
    }
}

/// Cosines and signed sines `[positions, head size]` of the angles `position / theta^(2i / head size)`.
fn rotations(config: &ModernBertConfig, theta: f64) -> (Vec<f32>, Vec<f32>) {
    let head_size = config.head_size();
    let half = head_size / 2;
    let mut cosines = Vec::with_capacity(config.max_position_embeddings * head_size);
    let mut sines = Vec::with_capacity(config.max_position_embeddings * head_size);
    for position in 0..config.max_position_embeddings {
        for place in 0..head_size {
            let pair = place % half.max(1);
            let angle = position as f64 / theta.powf(2.0 * pair as f64 / head_size as f64);
            let sign = if place < half { -1.0 } else { 1.0 };
            cosines.push(angle.cos() as f32);
            sines.push((sign * angle.sin()) as f32);
        }
    }
    (cosines, sines)
}
