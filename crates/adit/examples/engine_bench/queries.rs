//! Questions whose vectors are known beforehand.

use std::collections::HashMap;

use adit_core::{EmbedError, Embedder, EmbedderDescription, Tokenizer};
use adit_testkit::{FakeEmbedder, unit_vector_near};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::collection::{CLUSTERS, Collection, DIMENSION, SPREAD};

pub(crate) struct Query {
    pub(crate) words: String,
    pub(crate) vector: Vec<f32>,
}

/// Points of random clusters, with `words` different words outside the `skipped` most frequent.
pub(crate) fn generate(collection: &Collection, count: usize, words: usize, skipped: usize) -> Vec<Query> {
    let mut random = StdRng::seed_from_u64(99);
    let mut query = || {
        let centre = random.random_range(0..CLUSTERS);
        Query {
            words: collection.words.query(words, skipped, &mut random),
            vector: unit_vector_near(&mut random, &collection.centres[centre], SPREAD),
        }
    };
    (0..count).map(|_| query()).collect()
}

/// Gives every question the vector that was generated with it.
pub(crate) struct LookedUpEmbedder {
    shape: FakeEmbedder,
    vectors: HashMap<String, Vec<f32>>,
}

impl LookedUpEmbedder {
    pub(crate) fn new<'a>(queries: impl Iterator<Item = &'a Query>) -> Self {
        let vectors = queries.map(|query| (query.words.clone(), query.vector.clone())).collect();
        Self { shape: FakeEmbedder::new(DIMENSION), vectors }
    }
}

impl Embedder for LookedUpEmbedder {
    fn description(&self) -> &EmbedderDescription {
        self.shape.description()
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        self.shape.tokenizer()
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.embed_query(text)).collect()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.vectors.get(text).cloned().ok_or_else(|| EmbedError::Runtime { detail: "not generated".into() })
    }
}
