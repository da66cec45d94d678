use std::sync::Arc;

use adit_core::{ChunkId, ScoredChunk};
use roaring::RoaringBitmap;

use crate::plan::SearchMethod;
use crate::quantise::PreparedQuery;
use crate::rows::{BestKeys, key_ordinal, key_score, rank_key};
use crate::segment::{SearchDepth, VectorSegment};
use crate::tail::TailBlock;
use crate::{SegmentPlan, VectorError};

/// `ef` of a set that was not tuned.
pub const DEFAULT_EF: usize = 128;
/// Candidates by int8 that are scored again in float32, at least.
const LEAST_RESCORED: usize = 40;

/// All vectors of one snapshot: segments, and a tail in memory. Immutable; deriving the next set shares
/// everything that did not change. A chunk should be in one place only.
#[derive(Debug, Clone)]
pub struct VectorSet {
    dimension: usize,
    segments: Vec<Arc<dyn VectorSegment>>,
    tail: Vec<Arc<TailBlock>>,
    default_ef: usize,
}

/// Best chunks of a dense search and how they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct DenseResult {
    /// By falling cosine, equal ones by rising chunk.
    pub hits: Vec<ScoredChunk>,
    /// For people, such as `graph over 100000, ef 200; tail: scan of 12`. Counts allowed vectors only.
    pub plan: String,
}

impl VectorSet {
    /// A set without vectors.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self { dimension, segments: Vec::new(), tail: Vec::new(), default_ef: DEFAULT_EF }
    }

    /// The same tail over other segments.
    ///
    /// # Errors
    /// [`VectorError::Dimension`].
    pub fn with_segments(&self, segments: Vec<Arc<dyn VectorSegment>>) -> Result<Self, VectorError> {
        if let Some(wrong) = segments.iter().find(|segment| segment.dimension() != self.dimension) {
            return Err(VectorError::Dimension { expected: self.dimension, given: wrong.dimension() });
        }
        Ok(Self { segments, ..self.clone() })
    }

    /// The same with another `ef` for searches that name none, as [`crate::tune_ef`] finds it.
    #[must_use]
    pub fn with_default_ef(&self, ef: usize) -> Self {
        Self { default_ef: ef.max(1), ..self.clone() }
    }

    /// The same with more vectors in the tail, in any order. Costs a copy of a few small blocks: a block is
    /// joined with its neighbour while it is no smaller, so a vector is copied O(log n) times.
    ///
    /// # Errors
    /// [`VectorError::Dimension`], [`VectorError::NotFinite`].
    pub fn with_tail_vectors<V: AsRef<[f32]>>(
        &self,
        vectors: impl IntoIterator<Item = (ChunkId, V)>,
    ) -> Result<Self, VectorError> {
        let mut block = TailBlock::new(self.dimension, vectors)?;
        let mut next = self.clone();
        if block.is_empty() {
            return Ok(next);
        }
        while let Some(last) = next.tail.pop_if(|last| last.len() <= block.len()) {
            block = TailBlock::joined(self.dimension, &[&last, &block], None);
        }
        next.tail.push(Arc::new(block));
        Ok(next)
    }

    /// The same with only those vectors of the tail whose chunks are in `keep`.
    #[must_use]
    pub fn retain_tail(&self, keep: &RoaringBitmap) -> Self {
        let retained = |block: &Arc<TailBlock>| {
            let kept = block.chunk_ids().intersection_len(keep) as usize;
            match kept {
                0 => None,
                kept if kept == block.len() => Some(Arc::clone(block)),
                _ => Some(Arc::new(TailBlock::joined(self.dimension, &[block], Some(keep)))),
            }
        };
        Self { tail: self.tail.iter().filter_map(retained).collect(), ..self.clone() }
    }

    /// Length of a vector.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The segments.
    #[must_use]
    pub fn segments(&self) -> &[Arc<dyn VectorSegment>] {
        &self.segments
    }

    /// Chunks in the tail.
    #[must_use]
    pub fn tail_ids(&self) -> RoaringBitmap {
        self.tail.iter().fold(RoaringBitmap::new(), |all, block| all | block.chunk_ids())
    }

    /// How many vectors are in the tail.
    #[must_use]
    pub fn tail_len(&self) -> usize {
        self.tail.iter().map(|block| block.len()).sum()
    }

    /// How many vectors there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.parts().map(VectorSegment::len).sum()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The float32 vector of a chunk.
    #[must_use]
    pub fn vector(&self, chunk: ChunkId) -> Option<&[f32]> {
        self.parts().find_map(|part| part.vector(part.ordinal(chunk)?))
    }

    pub(crate) fn parts(&self) -> impl Iterator<Item = &dyn VectorSegment> {
        let tail = self.tail.iter().map(|block| block.as_ref() as &dyn VectorSegment);
        self.segments.iter().map(AsRef::as_ref).chain(tail)
    }

    /// The `limit` allowed chunks with the highest cosine to a vector of length 1. Scores are exact;
    /// which chunks are found is exact where all allowed ones were scored, else as good as `ef`
    /// (default: the set's) makes it.
    ///
    /// # Errors
    /// [`VectorError::Dimension`], [`VectorError::NotFinite`].
    pub fn search(
        &self,
        vector: &[f32],
        allowed: &RoaringBitmap,
        limit: usize,
        ef: Option<usize>,
    ) -> Result<DenseResult, VectorError> {
        let query = self.prepare(vector)?;
        let depth = rescoring_depth(limit);
        let ef = ef.unwrap_or(self.default_ef);
        let mut found = Vec::new();
        let mut plan = PlanText::default();
        for (index, part) in self.parts().enumerate() {
            let result = part.search(&query, allowed, SearchDepth { depth, ef });
            plan.add(&result.plan, index >= self.segments.len());
            found.extend(result.candidates.into_iter().map(|candidate| (candidate, part)));
        }
        if found.len() > depth && depth > 0 {
            found.select_nth_unstable_by(depth - 1, |(left, _), (right, _)| {
                right.approximate_score.total_cmp(&left.approximate_score)
            });
            found.truncate(depth);
        }
        let mut hits = Vec::with_capacity(found.len());
        for (index, (candidate, part)) in found.iter().enumerate() {
            if let Some((ahead, part)) = found.get(index + 2)
                && let Some(vector) = part.vector(ahead.ordinal)
            {
                prefetch_floats(vector);
            }
            if let Some((chunk, vector)) =
                part.chunk_id(candidate.ordinal).zip(part.vector(candidate.ordinal))
            {
                hits.push(ScoredChunk { chunk, score: query.exact_score(vector) });
            }
        }
        Ok(DenseResult { hits: best_first(hits, limit), plan: plan.finish() })
    }

    /// The exact cosines of some chunks to a vector of length 1; chunks without a vector are left out.
    ///
    /// # Errors
    /// As [`VectorSet::search`].
    pub fn scores_of(&self, vector: &[f32], chunks: &[ChunkId]) -> Result<Vec<ScoredChunk>, VectorError> {
        let query = self.prepare(vector)?;
        let score = |chunk: &ChunkId| {
            let vector = self.vector(*chunk)?;
            Some(ScoredChunk { chunk: *chunk, score: query.exact_score(vector) })
        };
        Ok(chunks.iter().filter_map(score).collect())
    }

    /// The same by float32 over every allowed vector: slow and exact, for audits.
    ///
    /// # Errors
    /// As [`VectorSet::search`].
    pub fn exact(
        &self,
        vector: &[f32],
        allowed: &RoaringBitmap,
        limit: usize,
    ) -> Result<Vec<ScoredChunk>, VectorError> {
        Ok(self.exact_batch(&[vector], allowed, limit)?.pop().unwrap_or_default())
    }

    /// [`VectorSet::exact`] for many queries: every vector is read once for all of them.
    pub(crate) fn exact_batch(
        &self,
        queries: &[&[f32]],
        allowed: &RoaringBitmap,
        limit: usize,
    ) -> Result<Vec<Vec<ScoredChunk>>, VectorError> {
        let prepare = |query: &&[f32]| Ok((self.prepare(query)?, BestKeys::new(limit)));
        let mut queries = queries.iter().map(prepare).collect::<Result<Vec<_>, VectorError>>()?;
        for part in self.parts() {
            for ordinal in 0..part.len() as u32 {
                let chunk = part.chunk_id(ordinal).filter(|chunk| allowed.contains(chunk.0));
                let Some((chunk, vector)) = chunk.zip(part.vector(ordinal)) else { continue };
                for (query, best) in &mut queries {
                    best.offer(rank_key(query.exact_score(vector), chunk.0));
                }
            }
        }
        let hit = |key| ScoredChunk { chunk: ChunkId(key_ordinal(key)), score: key_score(key) };
        Ok(queries
            .into_iter()
            .map(|(_, best)| best_first(best.into_keys().into_iter().map(hit).collect(), limit))
            .collect())
    }

    fn prepare(&self, vector: &[f32]) -> Result<PreparedQuery, VectorError> {
        if vector.len() != self.dimension {
            return Err(VectorError::Dimension { expected: self.dimension, given: vector.len() });
        }
        PreparedQuery::new(vector)
    }
}

fn prefetch_floats(vector: &[f32]) {
    // SAFETY: bytes of floats are bytes.
    let (_, bytes, _) = unsafe { vector.align_to::<u8>() };
    crate::kernel::prefetch(bytes);
}

/// How many candidates by int8 are scored again.
fn rescoring_depth(limit: usize) -> usize {
    if limit == 0 { 0 } else { limit.saturating_mul(2).max(LEAST_RESCORED) }
}

fn best_first(mut hits: Vec<ScoredChunk>, limit: usize) -> Vec<ScoredChunk> {
    hits.sort_unstable_by(|left, right| {
        right.score.total_cmp(&left.score).then(left.chunk.cmp(&right.chunk))
    });
    hits.dedup_by_key(|hit| hit.chunk);
    hits.truncate(limit);
    hits
}

/// One phrase a segment, one for the whole tail.
#[derive(Default)]
struct PlanText {
    segments: Vec<String>,
    tail_allowed: usize,
}

impl PlanText {
    fn add(&mut self, plan: &SegmentPlan, is_tail: bool) {
        if is_tail {
            self.tail_allowed += plan.allowed;
        } else if plan.method != SearchMethod::Nothing {
            self.segments.push(plan.to_string());
        }
    }

    fn finish(mut self) -> String {
        if self.tail_allowed > 0 {
            self.segments.push(format!("tail: scan of {}", self.tail_allowed));
        }
        if self.segments.is_empty() { "no vector is allowed".to_owned() } else { self.segments.join("; ") }
    }
}
