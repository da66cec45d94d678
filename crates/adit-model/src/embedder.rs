use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use adit_core::{EmbedError, EmbeddedText, Embedder, EmbedderDescription, TokenEmbedder, Tokenizer};
use parking_lot::Mutex;
use rten::{Model, NodeId, RunOptions, ThreadPool};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, Tensor};
use serde::Deserialize;

use crate::ModelError;
use crate::bert::{
    BertConfig, INPUT_IDS, POSITION_IDS, Pooling, Weights, build_embedder, load_model, normalise,
    read_bounded,
};
use crate::store::{ModelCard, ModelFolder, max_input_tokens};
use crate::tokenizer::BertTokenizer;

/// Tokens in one run of the model. More brought no speed; less memory stays in the cache.
const BATCH_BUDGET_TOKENS: usize = 512;

/// In how many bits a model's matrix products are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Precision {
    /// 32-bit floats, as published.
    Float32,
    /// Integers: weights quantised per output channel, activations per token at run time.
    Int8,
}

impl fmt::Display for Precision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Float32 => "f32",
            Self::Int8 => "int8",
        })
    }
}

impl FromStr for Precision {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "f32" => Ok(Self::Float32),
            "int8" => Ok(Self::Int8),
            _ => Err(format!("unknown precision `{text}`: f32 or int8")),
        }
    }
}

/// A sentence encoder of the BERT family, run on this machine's processor.
pub struct BertEmbedder {
    model: Model,
    input_ids: NodeId,
    position_ids: NodeId,
    output: NodeId,
    tokenizer: BertTokenizer,
    pooling: Pooling,
    precision: Precision,
    description: EmbedderDescription,
    /// Empty for a model whose languages are not known.
    languages: &'static [&'static str],
    /// One single-threaded pool for each worker: two texts in parallel use two cores better than
    /// two threads inside one text.
    pools: Vec<Arc<ThreadPool>>,
}

impl BertEmbedder {
    /// Loads the model of `folder`, to be run on `threads` threads.
    ///
    /// The first load at a precision converts the weights and keeps the result in the model cache.
    ///
    /// # Errors
    /// [`ModelError::MissingFile`], [`ModelError::Unsupported`] for another architecture,
    /// [`ModelError::Runtime`].
    pub fn load(folder: &ModelFolder, precision: Precision, threads: usize) -> Result<Self, ModelError> {
        let config = BertConfig::read(&folder.path)?;
        let pooling = Pooling::read(&folder.path)?;
        let window = max_input_tokens(folder)?.unwrap_or(usize::MAX).min(config.max_position_embeddings);
        // Half of a start is the tokenizer, half the model: they do not need each other.
        let (tokenizer, model) = std::thread::scope(|scope| {
            let tokenizer = scope.spawn(|| BertTokenizer::load(&folder.path, window));
            let build = |weights: &Weights<'_>, precision| build_embedder(&config, weights, precision);
            let model = load_model(folder, "", precision, &build);
            (tokenizer.join(), model)
        });
        let tokenizer = tokenizer.map_err(|_| ModelError::runtime("the tokenizer panicked"))??;
        let model = model?;
        let output = model.output_ids().first().copied().ok_or_else(|| ModelError::runtime("no output"))?;
        let prompts = Prompts::read(folder)?;
        Ok(Self {
            input_ids: model.node_id(INPUT_IDS).map_err(ModelError::runtime)?,
            position_ids: model.node_id(POSITION_IDS).map_err(ModelError::runtime)?,
            output,
            tokenizer,
            pooling,
            precision,
            description: EmbedderDescription {
                model: folder.name.clone(),
                revision: folder.revision().to_owned(),
                dimension: config.hidden_size,
                precision: precision.to_string(),
                pooling: pooling.name().to_owned(),
                max_input_tokens: window,
                query_template: prompts.query,
                document_template: prompts.document,
            },
            languages: ModelCard::find(&folder.name).map_or(&[], |card| card.languages),
            pools: (0..threads.max(1)).map(|_| Arc::new(ThreadPool::with_num_threads(1))).collect(),
            model,
        })
    }

    /// What `read` makes of the token states `[tokens, dimension]` of each text of a batch, which all have
    /// `tokens` tokens. It is given the text's place in the batch.
    fn run<T>(
        &self,
        batch: &[&[u32]],
        tokens: usize,
        pool: &Arc<ThreadPool>,
        read: &impl Fn(usize, &[f32]) -> T,
    ) -> Result<Vec<T>, EmbedError> {
        let ids: Vec<i32> = batch.iter().flat_map(|ids| ids.iter().map(|id| id.cast_signed())).collect();
        let positions: Vec<i32> = (0..batch.len()).flat_map(|_| 0..tokens as i32).collect();
        let shape = [batch.len(), tokens];
        let ids = NdTensor::try_from_data(shape, ids).map_err(runtime_error)?;
        let positions = NdTensor::try_from_data(shape, positions).map_err(runtime_error)?;
        let mut options = RunOptions::default();
        options.thread_pool = Some(Arc::clone(pool));
        let inputs = vec![(self.input_ids, ids.into()), (self.position_ids, positions.into())];
        let [states] = self.model.run_n(inputs, [self.output], Some(options)).map_err(runtime_error)?;
        let states: Tensor<f32> = states.try_into().map_err(runtime_error)?;
        let states = states.to_vec();
        let dimension = self.description.dimension;
        let of_each = states.chunks_exact((tokens * dimension).max(1)).enumerate();
        Ok(of_each.map(|(place, states)| read(place, states)).collect())
    }

    fn pool(&self, states: &[f32]) -> Vec<f32> {
        self.pooling.pool(states, self.description.dimension)
    }

    /// What `read` makes of the token states of each text; it is given the text's place in `texts`.
    pub(crate) fn embed<T: Send>(
        &self,
        texts: &[Vec<u32>],
        read: &(impl Fn(usize, &[f32]) -> T + Sync),
    ) -> Result<Vec<T>, EmbedError> {
        let batches = equal_length_batches(texts, self.precision);
        let next = AtomicUsize::new(0);
        let results: Mutex<Vec<(usize, T)>> = Mutex::new(Vec::with_capacity(texts.len()));
        let work = |pool: &Arc<ThreadPool>| -> Result<(), EmbedError> {
            while let Some(batch) = batches.get(next.fetch_add(1, Ordering::Relaxed)) {
                let ids: Vec<&[u32]> =
                    batch.iter().filter_map(|index| texts.get(*index).map(Vec::as_slice)).collect();
                let tokens = ids.first().map_or(0, |ids| ids.len());
                let in_texts = |place: usize| batch.get(place).copied().unwrap_or_default();
                let vectors = self.run(&ids, tokens, pool, &|place, states| read(in_texts(place), states))?;
                results.lock().extend(batch.iter().copied().zip(vectors));
            }
            Ok(())
        };
        std::thread::scope(|scope| {
            let workers = self.pools.iter().take(batches.len());
            let handles: Vec<_> = workers.map(|pool| scope.spawn(|| work(pool))).collect();
            handles.into_iter().try_for_each(|handle| {
                handle.join().unwrap_or_else(|_| Err(runtime_error("a worker panicked")))
            })
        })?;
        let mut results = results.into_inner();
        results.sort_unstable_by_key(|(index, _)| *index);
        if results.len() != texts.len() {
            return Err(runtime_error("the model returned too few vectors"));
        }
        Ok(results.into_iter().map(|(_, vector)| vector).collect())
    }

    fn prepared_ids(&self, template: &str, text: &str) -> Result<Vec<u32>, EmbedError> {
        self.tokenizer.ids(&prepared(template, text))
    }

    /// The vector and the words' own states of each text, from one pass.
    fn embed_with_tokens(&self, template: &str, texts: &[&str]) -> Result<Vec<EmbeddedText>, EmbedError> {
        let encode = |text: &&str| self.tokenizer.ids_and_words(&prepared(template, text));
        let encoded: Vec<(Vec<u32>, Vec<bool>)> = texts.iter().map(encode).collect::<Result<_, _>>()?;
        let (ids, masks): (Vec<_>, Vec<_>) = encoded.into_iter().unzip();
        self.embed(&ids, &|place, states| EmbeddedText {
            vector: self.pool(states),
            token_vectors: word_states(
                states,
                self.description.dimension,
                masks.get(place).map(Vec::as_slice).unwrap_or_default(),
            ),
        })
    }
}

impl Embedder for BertEmbedder {
    fn description(&self) -> &EmbedderDescription {
        &self.description
    }

    fn languages(&self) -> &[&str] {
        self.languages
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        &self.tokenizer
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        let template = &self.description.document_template;
        let ids: Vec<Vec<u32>> =
            texts.iter().map(|text| self.prepared_ids(template, text)).collect::<Result<_, _>>()?;
        self.embed(&ids, &|_, states| self.pool(states))
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let ids = self.prepared_ids(&self.description.query_template, text)?;
        let pool = self.pools.first().ok_or_else(|| runtime_error("no threads"))?;
        let mut vectors = self.run(&[&ids], ids.len(), pool, &|_, states| self.pool(states))?;
        vectors.pop().ok_or_else(|| runtime_error("the model returned no vector"))
    }

    fn token_embedder(&self) -> Option<&dyn TokenEmbedder> {
        Some(self)
    }
}

impl TokenEmbedder for BertEmbedder {
    fn embed_documents_with_tokens(&self, texts: &[&str]) -> Result<Vec<EmbeddedText>, EmbedError> {
        self.embed_with_tokens(&self.description.document_template, texts)
    }

    fn embed_query_with_tokens(&self, text: &str) -> Result<EmbeddedText, EmbedError> {
        let prepared = prepared(&self.description.query_template, text);
        let (ids, mask) = self.tokenizer.ids_and_words(&prepared)?;
        let pool = self.pools.first().ok_or_else(|| runtime_error("no threads"))?;
        let read = |_, states: &[f32]| EmbeddedText {
            vector: self.pool(states),
            token_vectors: word_states(states, self.description.dimension, &mask),
        };
        let mut embedded = self.run(&[&ids], ids.len(), pool, &read)?;
        embedded.pop().ok_or_else(|| runtime_error("the model returned no vector"))
    }
}

fn prepared<'a>(template: &str, text: &'a str) -> Cow<'a, str> {
    if template == PLAIN { Cow::Borrowed(text) } else { Cow::Owned(template.replacen(PLAIN, text, 1)) }
}

/// The states of the tokens that `mask` keeps, each of length 1.
fn word_states(states: &[f32], dimension: usize, mask: &[bool]) -> Vec<f32> {
    let mut words = Vec::with_capacity(states.len());
    for (state, _) in states.chunks_exact(dimension.max(1)).zip(mask).filter(|(_, is_word)| **is_word) {
        let start = words.len();
        words.extend_from_slice(state);
        normalise(words.get_mut(start..).unwrap_or_default());
    }
    words
}

/// Indices of `texts` in batches of one length each, the longest first so that no worker is left
/// with a long text at the end.
///
/// Texts of different lengths never share a run, so nothing is padded and nothing is masked. At 8
/// bits every text runs alone: the last digit of a float may depend on the shape of a run, rounding
/// to bytes would magnify it, and a text's vector must not depend on its neighbours.
pub(crate) fn equal_length_batches(texts: &[Vec<u32>], precision: Precision) -> Vec<Vec<usize>> {
    let mut by_length: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, ids) in texts.iter().enumerate() {
        by_length.entry(ids.len()).or_default().push(index);
    }
    let mut batches = Vec::new();
    for (tokens, indices) in by_length.into_iter().rev() {
        let texts_in_batch = match precision {
            Precision::Float32 => (BATCH_BUDGET_TOKENS / tokens.max(1)).max(1),
            Precision::Int8 => 1,
        };
        batches.extend(indices.chunks(texts_in_batch).map(<[usize]>::to_vec));
    }
    batches
}

fn runtime_error(error: impl fmt::Display) -> EmbedError {
    EmbedError::Runtime { detail: error.to_string() }
}

const PLAIN: &str = "{text}";

/// How texts are prepared, `{text}` standing for them.
struct Prompts {
    query: String,
    document: String,
}

#[derive(Deserialize, Default)]
struct SentenceTransformersConfig {
    #[serde(default)]
    prompts: BTreeMap<String, String>,
}

impl Prompts {
    /// The prompts of `config_sentence_transformers.json`, else what the model's card says.
    fn read(folder: &ModelFolder) -> Result<Self, ModelError> {
        let prompts = read_prompts(&folder.path)?;
        let (query, document) = card_prompts(&folder.name);
        let choose = |keys: &[&str], fallback: &str| {
            let found = keys.iter().find_map(|key| prompts.get(*key)).filter(|prompt| !prompt.is_empty());
            format!("{}{PLAIN}", found.map_or(fallback, String::as_str))
        };
        Ok(Self {
            query: choose(&["query"], query),
            document: choose(&["document", "passage", "corpus"], document),
        })
    }
}

fn read_prompts(folder: &Path) -> Result<BTreeMap<String, String>, ModelError> {
    match read_bounded(folder, "config_sentence_transformers.json") {
        Ok(bytes) => serde_json::from_slice::<SentenceTransformersConfig>(&bytes)
            .map(|config| config.prompts)
            .map_err(|error| ModelError::unsupported(format!("config_sentence_transformers.json: {error}"))),
        Err(ModelError::MissingFile { .. }) => Ok(BTreeMap::new()),
        Err(error) => Err(error),
    }
}

/// Prefixes of a query and of a document by the cards of models whose folders do not name them.
fn card_prompts(model: &str) -> (&'static str, &'static str) {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    if name.starts_with("bge-") && name.contains("-en") {
        ("Represent this sentence for searching relevant passages: ", "")
    } else if name.starts_with("e5-") {
        ("query: ", "passage: ")
    } else if name.starts_with("snowflake-arctic-embed") || name.starts_with("mxbai-embed") {
        ("Represent this sentence for searching relevant passages: ", "")
    } else {
        ("", "")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_hold_one_length_and_every_text_once() {
        let texts: Vec<Vec<u32>> =
            [3, 200, 3, 7, 200, 200, 512].iter().map(|length| vec![0; *length]).collect();
        let batches = equal_length_batches(&texts, Precision::Float32);
        assert_eq!(batches, [vec![6], vec![1, 4], vec![5], vec![3], vec![0, 2]]);
        assert!(equal_length_batches(&texts, Precision::Int8).iter().all(|batch| batch.len() == 1));
    }

    #[test]
    fn words_keep_their_states_at_length_one() {
        let states = [9.0, 9.0, 3.0, 4.0, 0.0, -2.0, 9.0, 9.0];
        let words = word_states(&states, 2, &[false, true, true, false]);
        assert!(
            words.iter().zip([0.6, 0.8, 0.0, -1.0]).all(|(word, expected)| (word - expected).abs() < 1e-6)
        );
        assert!(word_states(&states, 2, &[]).is_empty());
    }

    #[test]
    fn cards_name_the_prefixes() {
        assert_eq!(card_prompts("intfloat/e5-small-v2"), ("query: ", "passage: "));
        assert_eq!(card_prompts("all-MiniLM-L6-v2"), ("", ""));
        assert!(card_prompts("bge-small-en-v1.5").0.starts_with("Represent"));
    }
}
