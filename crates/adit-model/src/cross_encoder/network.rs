use std::sync::Arc;

use rten::{Model, NodeId, RunOptions, ThreadPool};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};

use super::pairs::Pair;
use crate::bert::{Family, INPUT_IDS, POSITION_IDS, TOKEN_TYPE_IDS, Weights, load_model, options};
use crate::store::ModelFolder;
use crate::{ModelError, Precision};

/// Input of ready-made graphs; ours need none, since a batch holds inputs of one length.
const ATTENTION_MASK: &str = "attention_mask";

/// What an input of a graph holds.
#[derive(Debug, Clone, Copy)]
enum Input {
    Ids,
    Types,
    Positions,
    Mask,
}

const INPUTS: [(&str, Input); 4] = [
    (INPUT_IDS, Input::Ids),
    (TOKEN_TYPE_IDS, Input::Types),
    (POSITION_IDS, Input::Positions),
    (ATTENTION_MASK, Input::Mask),
];

/// A graph from pairs of texts to logits.
pub(super) struct Network {
    model: Model,
    inputs: Vec<(NodeId, Input)>,
    output: NodeId,
}

impl Network {
    /// The graph that is built from the folder's `model.safetensors`. `config_hash` tells configurations of the
    /// same weights apart.
    pub(super) fn build(
        folder: &ModelFolder,
        family: &Family,
        precision: Precision,
        config_hash: u32,
    ) -> Result<Self, ModelError> {
        let form = format!("-classifier-{config_hash:08x}");
        let build = |weights: &Weights<'_>, precision| family.classifier(weights, precision);
        Self::of(load_model(folder, &form, precision, &build)?)
    }

    /// A ready-made graph, weights beside it where it keeps them so.
    pub(super) fn open(file: &std::path::Path) -> Result<Self, ModelError> {
        let model = options().load_file(file);
        Self::of(model.map_err(|error| ModelError::unsupported(format!("{}: {error}", file.display())))?)
    }

    fn of(model: Model) -> Result<Self, ModelError> {
        let mut inputs = Vec::new();
        for id in model.input_ids() {
            let name =
                model.node_info(*id).and_then(|node| node.name().map(str::to_owned)).unwrap_or_default();
            let known = INPUTS.iter().find(|(known, _)| *known == name);
            let (_, input) = known.ok_or_else(|| {
                ModelError::unsupported(format!("the graph wants an input `{name}`, which is unknown"))
            })?;
            inputs.push((*id, *input));
        }
        let output = model.output_ids().first().copied().ok_or_else(|| ModelError::runtime("no output"))?;
        Ok(Self { model, inputs, output })
    }

    /// The logits of pairs that all have the same length, `labels` for each.
    pub(super) fn logits(
        &self,
        pairs: &[&Pair],
        labels: usize,
        pool: &Arc<ThreadPool>,
    ) -> Result<Vec<Vec<f32>>, String> {
        let tokens = pairs.first().map_or(0, |pair| pair.ids.len());
        let shape = [pairs.len(), tokens];
        let tensor = |values: Vec<i32>| {
            NdTensor::<i32, 2>::try_from_data(shape, values).map_err(|error| error.to_string())
        };
        let mut inputs = Vec::with_capacity(self.inputs.len());
        for (id, input) in &self.inputs {
            let values: Vec<i32> = match input {
                Input::Ids => pairs.iter().flat_map(|pair| &pair.ids).map(|id| id.cast_signed()).collect(),
                Input::Types => {
                    pairs.iter().flat_map(|pair| &pair.types).map(|kind| kind.cast_signed()).collect()
                }
                Input::Positions => pairs.iter().flat_map(|_| (0_i32..).take(tokens)).collect(),
                Input::Mask => vec![1; pairs.len() * tokens],
            };
            inputs.push((*id, tensor(values)?.into()));
        }
        let mut options = RunOptions::default();
        options.thread_pool = Some(Arc::clone(pool));
        let outputs = self.model.run_n(inputs, [self.output], Some(options));
        let [logits] = outputs.map_err(|error| error.to_string())?;
        let logits: Tensor<f32> = logits.try_into().map_err(|error| format!("{error}"))?;
        let logits = logits.to_vec();
        if logits.len() != pairs.len() * labels {
            return Err(format!("{} logits came for {} pairs of {labels} labels", logits.len(), pairs.len()));
        }
        Ok(logits.chunks_exact(labels.max(1)).map(<[f32]>::to_vec).collect())
    }
}
