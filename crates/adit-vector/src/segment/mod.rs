//! One immutable segment: its file, how it is built, and how it is searched.

pub(crate) mod builder;
pub(crate) mod file;
pub(crate) mod header;
pub(crate) mod merge;

use std::path::Path;
use std::sync::Arc;

use adit_core::ChunkId;
use roaring::RoaringBitmap;
use serde::{Deserialize, Serialize};

use crate::plan::SegmentPlan;
use crate::quantise::PreparedQuery;
use crate::{VectorError, VectorSettings};

/// What a manifest must remember of a segment to open it again and to notice when it is another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentInfo {
    /// Its only file, relative to the folder it was built in.
    pub file_name: String,
    /// Size of the file.
    pub file_bytes: u64,
    /// CRC-32 of the file's header, which holds the CRC-32 of every section.
    pub header_crc32: u32,
    /// Length of a vector.
    pub dimension: u32,
    /// How many vectors.
    pub count: u32,
    /// The smallest chunk; `None` without vectors.
    pub first: Option<ChunkId>,
    /// The largest chunk.
    pub last: Option<ChunkId>,
    /// Whether it has a graph or is always scanned.
    pub has_graph: bool,
}

impl SegmentInfo {
    /// All files of the segment, relative to its folder.
    pub fn file_names(&self) -> impl Iterator<Item = &str> {
        std::iter::once(self.file_name.as_str())
    }
}

/// One result of a search inside a segment: a row, and its cosine as far as int8 tells.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Position of the vector in the segment, from 0.
    pub ordinal: u32,
    /// Approximate cosine; the set ranks by the exact one.
    pub approximate_score: f32,
}

/// What a segment found, in no order, and how.
#[derive(Debug, Clone, PartialEq)]
pub struct SegmentCandidates {
    /// At most as many as were asked for, or all allowed ones of a segment where those are fewer.
    pub candidates: Vec<Candidate>,
    /// What was done.
    pub plan: SegmentPlan,
}

/// How many candidates a search wants from a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SearchDepth {
    /// Best candidates to return.
    pub depth: usize,
    /// Candidates the graph keeps while it walks; at least `depth` are kept.
    pub ef: usize,
}

/// An immutable set of vectors that can be searched. Vectors have ordinals from 0 in the order of their chunk ids.
///
/// An implementation MUST NOT return a candidate whose chunk is not allowed, and MUST return
/// `min(depth, allowed vectors)` of them.
pub trait VectorSegment: Send + Sync + std::fmt::Debug {
    /// Chunks whose vectors it has.
    fn chunk_ids(&self) -> &RoaringBitmap;

    /// How many vectors.
    fn len(&self) -> usize;

    /// Whether it has none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Length of a vector.
    fn dimension(&self) -> usize;

    /// Whether it has a graph or is always scanned.
    fn has_graph(&self) -> bool;

    /// Bytes of its files.
    fn file_bytes(&self) -> u64;

    /// The chunk at an ordinal below [`VectorSegment::len`].
    fn chunk_id(&self, ordinal: u32) -> Option<ChunkId>;

    /// The float32 vector at an ordinal.
    fn vector(&self, ordinal: u32) -> Option<&[f32]>;

    /// The ordinal of a chunk.
    fn ordinal(&self, chunk: ChunkId) -> Option<u32>;

    /// The best allowed candidates by int8.
    fn search(&self, query: &PreparedQuery, allowed: &RoaringBitmap, depth: SearchDepth)
    -> SegmentCandidates;
}

/// How far a build is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BuildProgress {
    /// Vectors in the graph.
    pub done: usize,
    /// Vectors given.
    pub total: usize,
}

/// Builds a segment called `name` in `folder` from vectors in rising order of chunk.
///
/// # Errors
/// [`VectorError`]; then no file is left. [`crate::SegmentBuilder`] does the same for vectors that come by callback.
pub fn build_segment<V: AsRef<[f32]>>(
    folder: &Path,
    name: &str,
    vectors: impl IntoIterator<Item = (ChunkId, V)>,
    settings: &VectorSettings,
    cancel: &std::sync::atomic::AtomicBool,
    progress: &mut dyn FnMut(BuildProgress),
) -> Result<SegmentInfo, VectorError> {
    let mut builder = builder::SegmentBuilder::create(folder, name, settings)?;
    for (chunk, vector) in vectors {
        builder.push(chunk, vector.as_ref())?;
    }
    builder.finish(cancel, progress)
}

/// Opens a segment. Structure and sizes are always checked; with `verify` every byte is read and checked.
///
/// The file must not be changed or cut while it is open: segments are immutable, only removed.
///
/// # Errors
/// [`VectorError::Damaged`] and others, with the path.
pub fn open_segment(
    folder: &Path,
    info: &SegmentInfo,
    verify: bool,
) -> Result<Arc<dyn VectorSegment>, VectorError> {
    let segment = file::SegmentFile::open(folder, info)?;
    if verify {
        segment.verify()?;
    }
    Ok(Arc::new(segment))
}
