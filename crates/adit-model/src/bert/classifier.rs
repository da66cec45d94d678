//! BERT and XLM-RoBERTa with a classification head, as a cross-encoder runs them: logits `[batch, 1, labels]`.

use super::BertConfig;
use super::absolute::{AbsoluteEncoder, TokenTypes};
use super::onnx::OnnxModel;
use super::operators::Linear;
use super::weights::Weights;
use crate::{ModelError, Precision};

/// BERT's head: the pooler over the first token, then the classifier (Devlin et al., 2018, section 4.1).
pub(super) fn bert_classifier(
    config: &BertConfig,
    weights: &Weights<'_>,
    precision: Precision,
) -> Result<OnnxModel, ModelError> {
    let mut encoder = AbsoluteEncoder::new(config, weights, precision);
    let states = encoder.states(TokenTypes::Given)?;
    let hidden = config.hidden_size;
    let dense = weights.read("pooler.dense.weight", &[hidden, hidden])?;
    let bias = weights.read("pooler.dense.bias", &[hidden])?;
    let dense =
        Linear { name: "pooler.dense", weight: &dense, bias: Some(&bias), inputs: hidden, outputs: hidden };
    tanh_head(&mut encoder, &states, &dense, "classifier")?;
    encoder.finish()
}

/// RoBERTa's head, which XLM-RoBERTa shares (Conneau et al., 2020): a dense layer over the first token, then
/// the projection to the labels.
pub(super) fn xlm_roberta_classifier(
    config: &BertConfig,
    weights: &Weights<'_>,
    precision: Precision,
) -> Result<OnnxModel, ModelError> {
    let mut encoder = AbsoluteEncoder::new(config, weights, precision);
    let states = encoder.states(TokenTypes::Given)?;
    let hidden = config.hidden_size;
    let dense = weights.read_of_head("classifier.dense.weight", &[hidden, hidden])?;
    let bias = weights.read_of_head("classifier.dense.bias", &[hidden])?;
    let dense = Linear {
        name: "classifier.dense",
        weight: &dense,
        bias: Some(&bias),
        inputs: hidden,
        outputs: hidden,
    };
    tanh_head(&mut encoder, &states, &dense, "classifier.out_proj")?;
    encoder.finish()
}

fn tanh_head(
    encoder: &mut AbsoluteEncoder<'_>,
    states: &str,
    dense: &Linear<'_>,
    classifier: &str,
) -> Result<(), ModelError> {
    let layers = &mut encoder.layers;
    let first = layers.first_token(states);
    let pooled = layers.float_product(dense, &first);
    let activated = layers.onnx.operator("Tanh", &[&pooled], &[]);
    layers.classify(classifier, &activated)
}
