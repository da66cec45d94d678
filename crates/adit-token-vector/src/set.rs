use std::collections::BTreeMap;
use std::sync::Arc;

use adit_core::{ChunkId, ScoredChunk};
use roaring::RoaringBitmap;

use crate::TokenVectorError;
use crate::make::TokenCodeMake;
use crate::query::TokenQuery;
use crate::segment::file::TokenSegment;

/// All token codes of one snapshot: segments, and a tail in memory. Immutable; the next set shares everything
/// that did not change.
#[derive(Debug, Clone)]
pub struct TokenCodeSet {
    make: Arc<TokenCodeMake>,
    make_hash: String,
    segments: Vec<Arc<TokenSegment>>,
    tail: BTreeMap<u32, Arc<[u8]>>,
}

impl TokenCodeSet {
    /// A set without codes.
    #[must_use]
    pub fn new(make: Arc<TokenCodeMake>) -> Self {
        Self { make_hash: make.hash(), make, segments: Vec::new(), tail: BTreeMap::new() }
    }

    /// The same tail over other segments; those of another make are left out.
    #[must_use]
    pub fn with_segments(&self, segments: impl IntoIterator<Item = Arc<TokenSegment>>) -> Self {
        let fits = |segment: &Arc<TokenSegment>| segment.make_hash() == self.make_hash;
        Self { segments: segments.into_iter().filter(fits).collect(), ..self.clone() }
    }

    /// The same with more codes in the tail.
    ///
    /// # Errors
    /// [`TokenVectorError::Length`] for codes that are no rows of this make.
    pub fn with_tail(
        &self,
        codes: impl IntoIterator<Item = (ChunkId, Vec<u8>)>,
    ) -> Result<Self, TokenVectorError> {
        let mut next = self.clone();
        for (chunk, codes) in codes {
            check_codes(&self.make, &codes)?;
            next.tail.insert(chunk.0, Arc::from(codes));
        }
        Ok(next)
    }

    /// The same with only those codes of the tail whose chunks are in `keep`.
    #[must_use]
    pub fn retain_tail(&self, keep: &RoaringBitmap) -> Self {
        let mut next = self.clone();
        next.tail.retain(|chunk, _| keep.contains(*chunk));
        next
    }

    /// How its codes are made.
    #[must_use]
    pub fn make(&self) -> &Arc<TokenCodeMake> {
        &self.make
    }

    /// [`TokenCodeMake::hash`] of it.
    #[must_use]
    pub fn make_hash(&self) -> &str {
        &self.make_hash
    }

    /// Chunks in the tail.
    #[must_use]
    pub fn tail_ids(&self) -> RoaringBitmap {
        self.tail.keys().copied().collect()
    }

    /// Chunks that have codes, whether they live or not.
    #[must_use]
    pub fn coded_ids(&self) -> RoaringBitmap {
        self.segments.iter().fold(self.tail_ids(), |all, segment| all | segment.chunk_ids())
    }

    /// Chunks in segments, and the bytes of their codes.
    #[must_use]
    pub fn weight(&self) -> (u64, u64) {
        let tail_bytes: u64 = self.tail.values().map(|codes| codes.len() as u64).sum();
        let start = (self.tail.len() as u64, tail_bytes);
        self.segments.iter().fold(start, |(chunks, bytes), segment| {
            (chunks + segment.chunk_ids().len(), bytes + segment.code_bytes())
        })
    }

    /// The rows of a chunk; `None` when it has none.
    #[must_use]
    pub fn codes(&self, chunk: ChunkId) -> Option<&[u8]> {
        if let Some(codes) = self.tail.get(&chunk.0) {
            return Some(codes);
        }
        self.segments.iter().find_map(|segment| segment.codes(chunk))
    }

    /// MaxSim of `chunks` in their order; those without codes are left out.
    #[must_use]
    pub fn scores_of(&self, query: &TokenQuery, chunks: &[ChunkId]) -> Vec<ScoredChunk> {
        let score = |chunk: &ChunkId| {
            let score = query.max_sim(self.codes(*chunk)?)?;
            Some(ScoredChunk { chunk: *chunk, score })
        };
        chunks.iter().filter_map(score).collect()
    }
}

/// Whether codes are whole rows.
pub(crate) fn check_codes(make: &TokenCodeMake, codes: &[u8]) -> Result<(), TokenVectorError> {
    let expected = make.row_bytes();
    if codes.len().is_multiple_of(expected) {
        Ok(())
    } else {
        Err(TokenVectorError::Length { expected, given: codes.len() })
    }
}
