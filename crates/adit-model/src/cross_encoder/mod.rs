//! Cross-encoders (Nogueira and Cho, 2019, arXiv:1901.04085): sequence classifiers that read question and passage
//! together.

mod labels;
mod network;
mod pairs;

use std::path::PathBuf;
use std::sync::Arc;

use adit_core::{RerankError, Reranker, RerankerDescription};
use rten::ThreadPool;

use self::labels::Labels;
use self::network::Network;
use self::pairs::{Pair, PairEncoder};
use crate::bert::{Family, read_bounded};
use crate::embedder::equal_length_batches;
use crate::store::ModelFolder;
use crate::workers::run_batches;
use crate::{ModelError, Precision};

/// The longest input of a ready-made graph whose configuration names none.
const DEFAULT_WINDOW_TOKENS: usize = 512;

/// A sequence classifier of the BERT, XLM-RoBERTa or ModernBERT family, run on this machine's processor.
///
/// Its scores are log-odds of "relevant" as the model sees it; see [`adit_core::Reranker::score`].
pub struct CrossEncoder {
    network: Network,
    encoder: PairEncoder,
    labels: Labels,
    batching: Precision,
    description: RerankerDescription,
    pools: Vec<Arc<ThreadPool>>,
}

impl CrossEncoder {
    /// Loads the model of `folder`, to be run on `threads` threads. A folder without `model.safetensors` may
    /// hold a ready-made graph, `model.onnx` or `onnx/model.onnx`, which is run as it is.
    ///
    /// The first load of safetensors at a precision converts the weights and keeps the result in the model
    /// cache.
    ///
    /// # Errors
    /// [`ModelError::MissingFile`], [`ModelError::Unsupported`] for another architecture or labels of unknown
    /// meaning, [`ModelError::Runtime`].
    pub fn load(folder: &ModelFolder, precision: Precision, threads: usize) -> Result<Self, ModelError> {
        let config = read_bounded(&folder.path, "config.json")?;
        let labels = Labels::parse(&config)?;
        let ready_made = ready_made_graph(folder);
        let family = match (&ready_made, Family::read(&folder.path)) {
            (_, Ok(family)) => Some(family),
            (Some(_), Err(_)) => None,
            (None, Err(error)) => return Err(error),
        };
        let window = family.as_ref().map_or(DEFAULT_WINDOW_TOKENS, Family::max_positions);
        // The tokenizer and the model do not need each other.
        let (encoder, network) = std::thread::scope(|scope| {
            let encoder = scope.spawn(|| PairEncoder::load(&folder.path, window));
            let network = match (&ready_made, &family) {
                (Some(file), _) => Network::open(file),
                (None, Some(family)) => Network::build(folder, family, precision, crc32fast::hash(&config)),
                (None, None) => Err(ModelError::unsupported("the model's family is unknown")),
            };
            (encoder.join(), network)
        });
        let encoder = encoder.map_err(|_| ModelError::runtime("the tokenizer panicked"))??;
        let description = RerankerDescription {
            model: folder.name.clone(),
            revision: folder.revision().to_owned(),
            precision: if ready_made.is_some() { "onnx".to_owned() } else { precision.to_string() },
            max_input_tokens: Some(encoder.max_input_tokens()),
        };
        Ok(Self {
            network: network?,
            encoder,
            labels,
            // What a ready-made graph does to its numbers is not known, so its inputs run one by one as well.
            batching: if ready_made.is_some() { Precision::Int8 } else { precision },
            description,
            pools: (0..threads.max(1)).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect(),
        })
    }
}

fn ready_made_graph(folder: &ModelFolder) -> Option<PathBuf> {
    if folder.path.join("model.safetensors").is_file() {
        return None;
    }
    ["model.onnx", "onnx/model.onnx"]
        .into_iter()
        .map(|name| folder.path.join(name))
        .find(|file| file.is_file())
}

impl Reranker for CrossEncoder {
    fn description(&self) -> &RerankerDescription {
        &self.description
    }

    fn score(&self, query: &str, passages: &[&str]) -> Result<Vec<f32>, RerankError> {
        let pairs = self.encoder.pairs(query, passages)?;
        let ids: Vec<Vec<u32>> = pairs.iter().map(|pair| pair.ids.clone()).collect();
        let batches = equal_length_batches(&ids, self.batching);
        let run = |batch: &[usize], pool: &Arc<ThreadPool>| {
            let batch: Vec<&Pair> = batch.iter().filter_map(|at| pairs.get(*at)).collect();
            self.network.logits(&batch, self.labels.count, pool).map_err(|detail| runtime_error(&detail))
        };
        let logits = run_batches(&self.pools, &batches, &run, runtime_error)?;
        let mut scores = vec![f32::NEG_INFINITY; passages.len()];
        for (pair, logits) in pairs.iter().zip(&logits) {
            let score = self.labels.score(logits).filter(|score| score.is_finite());
            let score = score.ok_or_else(|| runtime_error("the model gave no finite score"))?;
            if let Some(best) = scores.get_mut(pair.passage) {
                *best = best.max(score);
            }
        }
        Ok(scores)
    }
}

fn runtime_error(detail: &str) -> RerankError {
    RerankError::Runtime { detail: detail.to_owned() }
}
