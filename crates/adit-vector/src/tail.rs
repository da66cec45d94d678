use adit_core::ChunkId;
use roaring::RoaringBitmap;

use crate::VectorError;
use crate::graph::walk::WalkMemory;
use crate::plan::{SegmentView, search_segment};
use crate::quantise::{PreparedQuery, append_row, row_stride_bytes};
use crate::rows::Rows;
use crate::segment::builder::check_vector;
use crate::segment::{SearchDepth, SegmentCandidates, VectorSegment};

/// Vectors in memory that are in no segment yet; a segment without a file and without a graph.
#[derive(Debug, Clone)]
pub(crate) struct TailBlock {
    dimension: usize,
    ids: Vec<u32>,
    chunk_ids: RoaringBitmap,
    vectors: Vec<f32>,
    rows: Vec<u8>,
    steps: Vec<f32>,
}

impl TailBlock {
    pub(crate) fn empty(dimension: usize) -> Self {
        Self {
            dimension,
            ids: Vec::new(),
            chunk_ids: RoaringBitmap::new(),
            vectors: Vec::new(),
            rows: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Of vectors in any order; of two of one chunk the first is kept.
    pub(crate) fn new<V: AsRef<[f32]>>(
        dimension: usize,
        vectors: impl IntoIterator<Item = (ChunkId, V)>,
    ) -> Result<Self, VectorError> {
        let mut sorted: Vec<(ChunkId, V)> = vectors.into_iter().collect();
        sorted.sort_by_key(|(chunk, _)| *chunk);
        sorted.dedup_by_key(|(chunk, _)| *chunk);
        let mut block = Self::empty(dimension);
        for (chunk, vector) in &sorted {
            check_vector(*chunk, vector.as_ref(), dimension)?;
            block.push(chunk.0, vector.as_ref());
        }
        Ok(block)
    }

    fn push(&mut self, chunk: u32, vector: &[f32]) {
        self.steps.push(append_row(vector, &mut self.rows));
        self.vectors.extend_from_slice(vector);
        self.ids.push(chunk);
        self.chunk_ids.insert(chunk);
    }

    /// The vectors of several blocks whose chunks are in `keep` (or all), in one.
    pub(crate) fn joined(dimension: usize, blocks: &[&Self], keep: Option<&RoaringBitmap>) -> Self {
        let mut sources: Vec<(u32, &[f32])> = blocks
            .iter()
            .flat_map(|block| block.ids.iter().copied().zip(block.vectors.chunks_exact(dimension.max(1))))
            .filter(|(chunk, _)| keep.is_none_or(|keep| keep.contains(*chunk)))
            .collect();
        sources.sort_by_key(|(chunk, _)| *chunk);
        sources.dedup_by_key(|(chunk, _)| *chunk);
        let mut block = Self::empty(dimension);
        sources.into_iter().for_each(|(chunk, vector)| block.push(chunk, vector));
        block
    }
}

impl VectorSegment for TailBlock {
    fn chunk_ids(&self) -> &RoaringBitmap {
        &self.chunk_ids
    }

    fn len(&self) -> usize {
        self.ids.len()
    }

    fn dimension(&self) -> usize {
        self.dimension
    }

    fn has_graph(&self) -> bool {
        false
    }

    fn file_bytes(&self) -> u64 {
        0
    }

    fn chunk_id(&self, ordinal: u32) -> Option<ChunkId> {
        self.ids.get(ordinal as usize).copied().map(ChunkId)
    }

    fn vector(&self, ordinal: u32) -> Option<&[f32]> {
        let start = ordinal as usize * self.dimension;
        self.vectors.get(start..start + self.dimension)
    }

    fn ordinal(&self, chunk: ChunkId) -> Option<u32> {
        self.ids.binary_search(&chunk.0).ok().map(|ordinal| ordinal as u32)
    }

    fn search(
        &self,
        query: &PreparedQuery,
        allowed: &RoaringBitmap,
        depth: SearchDepth,
    ) -> SegmentCandidates {
        let rows =
            Rows { bytes: &self.rows, steps: &self.steps, stride_bytes: row_stride_bytes(self.dimension) };
        let view = SegmentView { rows, ids: &self.ids, chunk_ids: &self.chunk_ids, graph: None };
        search_segment(&view, query, allowed, depth, &mut WalkMemory::default())
    }
}
