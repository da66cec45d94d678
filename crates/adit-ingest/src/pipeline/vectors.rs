use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use adit_catalog::TextKey;
use adit_core::{Chunk, EmbedError};

use super::{Pipeline, PreparedDocument};
use crate::{EmbeddedChunks, IngestError, IngestEvent, IngestObserver};

/// Texts given to the model at once; between two slices a run can be cancelled.
const SLICE_TEXTS: usize = 128;

/// Finds or computes the vectors of a few documents' chunks.
pub(super) struct VectorBatch<'a> {
    pipeline: &'a Pipeline,
    observer: &'a dyn IngestObserver,
    cancel: &'a AtomicBool,
    pub(super) computed_chunks: usize,
    pub(super) computed_tokens: u64,
    pub(super) model_time: Duration,
}

impl<'a> VectorBatch<'a> {
    pub(super) fn new(
        pipeline: &'a Pipeline,
        observer: &'a dyn IngestObserver,
        cancel: &'a AtomicBool,
    ) -> Self {
        Self {
            pipeline,
            observer,
            cancel,
            computed_chunks: 0,
            computed_tokens: 0,
            model_time: Duration::ZERO,
        }
    }

    /// The vectors of every document, or `None` when the run was cancelled meanwhile: then what was
    /// computed waits in the catalog for the next run.
    pub(super) fn embed(
        &mut self,
        documents: &[PreparedDocument],
    ) -> Result<Option<Vec<Vec<Vec<f32>>>>, IngestError> {
        let chunks: Vec<&Chunk> =
            documents.iter().flat_map(|document| document.version.chunks.iter()).collect();
        let keys: Vec<TextKey> = chunks.iter().map(|chunk| self.key(chunk)).collect();
        let mut vectors = self.known_vectors(&chunks, &keys)?;
        self.let_go_of_uncoded(&keys, &mut vectors)?;
        let mut missing: Vec<(&TextKey, &Chunk)> = Vec::new();
        let mut asked = std::collections::HashSet::new();
        for (key, chunk) in keys.iter().zip(&chunks) {
            if !vectors.contains_key(key) && asked.insert(key) {
                missing.push((key, chunk));
            }
        }
        // Only a run that takes more than one slice has something to lose by being killed.
        let keep_between_slices = missing.len() > SLICE_TEXTS;
        for slice in missing.chunks(SLICE_TEXTS) {
            if self.cancel.load(Ordering::Relaxed) {
                return Ok(None);
            }
            let computed = self.run_model(slice)?;
            if keep_between_slices {
                let keys: Vec<TextKey> = slice.iter().map(|(key, _)| **key).collect();
                self.pipeline.catalog.store_pending_vectors(&keys, &computed)?;
            }
            vectors.extend(slice.iter().map(|(key, _)| **key).zip(computed));
        }
        let mut keys = keys.iter();
        let mut result = Vec::with_capacity(documents.len());
        for document in documents {
            let of_document: Option<Vec<Vec<f32>>> = keys
                .by_ref()
                .take(document.version.chunks.len())
                .map(|key| vectors.get(key).cloned())
                .collect();
            let complete = of_document.ok_or_else(|| EmbedError::Runtime {
                detail: "the model returned fewer vectors than texts".to_owned(),
            })?;
            result.push(complete);
        }
        Ok(Some(result))
    }

    /// A text whose vector is known but whose token codes are not is embedded once more: both come from one
    /// pass. So a catalog from before token codes gets them wherever a document changes.
    fn let_go_of_uncoded(
        &self,
        keys: &[TextKey],
        vectors: &mut HashMap<TextKey, Vec<f32>>,
    ) -> Result<(), IngestError> {
        if self.pipeline.token_coder.is_some() && !vectors.is_empty() {
            let coded = self.pipeline.catalog.has_token_codes(keys)?;
            for (key, _) in keys.iter().zip(coded).filter(|(_, coded)| !coded) {
                vectors.remove(key);
            }
        }
        Ok(())
    }

    fn key(&self, chunk: &Chunk) -> TextKey {
        TextKey::new(self.pipeline.embedder.description(), &chunk.indexed)
    }

    fn known_vectors(
        &self,
        chunks: &[&Chunk],
        keys: &[TextKey],
    ) -> Result<HashMap<TextKey, Vec<f32>>, IngestError> {
        let stored = self.pipeline.catalog.pending_vectors(keys)?;
        let known: HashMap<TextKey, Vec<f32>> =
            keys.iter().zip(stored).filter_map(|(key, vector)| vector.map(|vector| (*key, vector))).collect();
        if !known.is_empty() {
            let found = chunks.iter().zip(keys).filter(|(_, key)| known.contains_key(*key));
            let (count, tokens) = found.fold((0, 0), |(count, tokens), (chunk, _)| {
                (count + 1, tokens + u64::from(chunk.token_count))
            });
            self.observer.event(&IngestEvent::Embedded { chunks: count, tokens, computed: 0 });
        }
        Ok(known)
    }

    fn run_model(&mut self, slice: &[(&TextKey, &Chunk)]) -> Result<Vec<Vec<f32>>, IngestError> {
        let texts: Vec<&str> = slice.iter().map(|(_, chunk)| chunk.indexed.as_str()).collect();
        let started = Instant::now();
        let embedder = self.pipeline.embedder.as_ref();
        let vectors = match &self.pipeline.token_coder {
            None => embedder.embed_documents(&texts)?,
            Some(coder) => {
                let EmbeddedChunks { vectors, codes } = coder.embed(embedder, &texts)?;
                let keys: Vec<TextKey> = slice.iter().map(|(key, _)| **key).collect();
                self.pipeline.catalog.store_pending_token_codes(&keys, &codes)?;
                vectors
            }
        };
        self.model_time += started.elapsed();
        let tokens = slice.iter().map(|(_, chunk)| u64::from(chunk.token_count)).sum();
        self.computed_chunks += slice.len();
        self.computed_tokens += tokens;
        self.observer.event(&IngestEvent::Embedded { chunks: slice.len(), tokens, computed: slice.len() });
        Ok(vectors)
    }
}
