use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use adit_core::ChunkId;
use roaring::RoaringBitmap;

use super::builder::SegmentBuilder;
use super::{BuildProgress, SegmentInfo, VectorSegment};
use crate::{VectorError, VectorSettings};

/// Builds one segment of the vectors of several whose chunks are `live`; a chunk that is in more than one
/// is taken once.
///
/// # Errors
/// As [`crate::build_segment`].
pub fn merge_segments(
    folder: &Path,
    name: &str,
    segments: &[Arc<dyn VectorSegment>],
    live: &RoaringBitmap,
    settings: &VectorSettings,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(BuildProgress),
) -> Result<SegmentInfo, VectorError> {
    let mut builder = SegmentBuilder::create(folder, name, settings)?;
    let mut next: BinaryHeap<Reverse<(u32, usize, u32)>> = BinaryHeap::new();
    let entry = |index: usize, ordinal: u32| {
        let chunk = segments.get(index)?.chunk_id(ordinal)?;
        Some(Reverse((chunk.0, index, ordinal)))
    };
    next.extend((0..segments.len()).filter_map(|index| entry(index, 0)));
    let mut previous = None;
    while let Some(Reverse((chunk, index, ordinal))) = next.pop() {
        next.extend(entry(index, ordinal.saturating_add(1)));
        if previous == Some(chunk) || !live.contains(chunk) {
            continue;
        }
        if let Some(vector) = segments.get(index).and_then(|segment| segment.vector(ordinal)) {
            builder.push(ChunkId(chunk), vector)?;
            previous = Some(chunk);
        }
    }
    builder.finish(cancel, progress)
}
