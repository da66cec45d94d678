//! The vector that the catalog keeps for a chunk, and whether it is what the model makes of its text.

use adit_catalog::{CatalogView, ChunkSpan, StoredChunk};
use adit_core::{ChunkId, Embedder};

use crate::QualityError;

/// The same text embedded twice differs by less, in int8 as well.
const SAME_TEXT_COSINE: f32 = 0.97;

pub(crate) fn stored_vector(view: &CatalogView, chunk: ChunkId) -> Result<Option<Vec<f32>>, QualityError> {
    let mut found = None;
    let span = ChunkSpan { first: chunk, count: 1 };
    view.for_each_vector(span, &mut |_, vector| found = Some(vector.to_vec()))?;
    Ok(found)
}

/// The cosine between a stored vector and the chunk's text embedded again, when they are not of one text.
pub(crate) fn stale_cosine(
    embedder: &dyn Embedder,
    stored: &StoredChunk,
    vector: &[f32],
) -> Result<Option<f32>, QualityError> {
    let fresh = embedder.embed_documents(&[stored.chunk.indexed.as_str()])?;
    let dot = |fresh: &Vec<f32>| fresh.iter().zip(vector).map(|(left, right)| left * right).sum::<f32>();
    let cosine = fresh.first().map_or(0.0, dot);
    Ok((cosine < SAME_TEXT_COSINE).then_some(cosine))
}
