use std::sync::Arc;

use adit_catalog::{CatalogView, ChunkSpan};
use adit_core::{ChunkId, Fingerprint, IndexError};
use adit_vector::VectorSet;
use roaring::RoaringBitmap;

use crate::build::uncovered;
use crate::engine_errors::vector_error;
use crate::segment::Segment;

/// The segments, and as a tail the live vectors that are in none of them: those the previous set has
/// are taken from there, the others from the catalog.
pub(crate) fn vector_set(
    fingerprint: &Fingerprint,
    segments: &[Arc<Segment>],
    previous: Option<&VectorSet>,
    live: &RoaringBitmap,
    view: &CatalogView,
) -> Result<VectorSet, IndexError> {
    let wanted = uncovered(live, segments);
    let known = match previous {
        Some(previous) => previous.retain_tail(&wanted),
        None => VectorSet::new(fingerprint.embedder.dimension),
    };
    let mut added: Vec<(ChunkId, Vec<f32>)> = Vec::new();
    for span in spans(&(&wanted - known.tail_ids())) {
        view.for_each_vector(span, &mut |chunk, vector| added.push((chunk, vector.to_vec())))?;
    }
    let parts = segments.iter().map(|segment| Arc::clone(&segment.vectors)).collect();
    known.with_segments(parts).and_then(|set| set.with_tail_vectors(added)).map_err(vector_error)
}

/// The runs of a set, rising, so that the catalog is asked once a run.
pub(crate) fn spans(chunks: &RoaringBitmap) -> impl Iterator<Item = ChunkSpan> {
    let mut ids = chunks.iter().peekable();
    std::iter::from_fn(move || {
        let first = ids.next()?;
        let mut count = 1;
        while ids.next_if_eq(&first.saturating_add(count)).is_some() {
            count = count.saturating_add(1);
        }
        Some(ChunkSpan { first: ChunkId(first), count })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_found() {
        let chunks: RoaringBitmap = [1, 2, 3, 7, 9, 10, u32::MAX].into_iter().collect();
        let found: Vec<_> = spans(&chunks).map(|span| (span.first.0, span.count)).collect();
        assert_eq!(found, [(1, 3), (7, 1), (9, 2), (u32::MAX, 1)]);
    }
}
