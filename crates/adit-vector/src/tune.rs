use adit_core::ChunkId;
use roaring::RoaringBitmap;

use crate::{VectorError, VectorSet};

/// Neighbours whose recall is measured.
const NEIGHBOURS: usize = 10;
const LADDER: [usize; 7] = [16, 32, 64, 128, 256, 512, 1024];

/// What tuning found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TunedEf {
    /// The smallest of 16, 32 ... 1024 that reached the target, or 1024.
    pub ef: usize,
    /// Recall of the 10 nearest neighbours at that `ef`, 0 to 1.
    pub recall: f32,
    /// Queries it was measured with.
    pub queries: usize,
}

/// Finds the smallest `ef` whose recall of the 10 nearest neighbours reaches `recall_target`, against
/// exact search, with up to `sample` of the set's live vectors as queries. Reads every vector once.
///
/// # Errors
/// As [`VectorSet::search`].
pub fn tune_ef(
    set: &VectorSet,
    live: &RoaringBitmap,
    sample: usize,
    recall_target: f32,
) -> Result<TunedEf, VectorError> {
    let queries = sample_chunks(set, live, sample);
    let vectors: Vec<&[f32]> = queries.iter().map(|(_, vector)| vector.as_slice()).collect();
    let nearest = set.exact_batch(&vectors, live, NEIGHBOURS + 1)?;
    let truths: Vec<Vec<ChunkId>> = nearest
        .iter()
        .zip(&queries)
        .map(|(hits, (chunk, _))| others(hits.iter().map(|hit| hit.chunk), *chunk))
        .collect();
    let mut tuned = TunedEf { ef: LADDER[0], recall: 1.0, queries: queries.len() };
    for ef in LADDER {
        let (mut found, mut wanted) = (0, 0);
        for ((chunk, vector), truth) in queries.iter().zip(&truths) {
            let result = set.search(vector, live, NEIGHBOURS + 1, Some(ef))?;
            let hits = others(result.hits.iter().map(|hit| hit.chunk), *chunk);
            found += truth.iter().filter(|chunk| hits.contains(chunk)).count();
            wanted += truth.len();
        }
        tuned.ef = ef;
        tuned.recall = if wanted == 0 { 1.0 } else { found as f32 / wanted as f32 };
        if tuned.recall >= recall_target {
            break;
        }
    }
    Ok(tuned)
}

/// Chunks spread evenly over those of segments with a graph: the others are scanned at any `ef`.
fn sample_chunks(set: &VectorSet, live: &RoaringBitmap, sample: usize) -> Vec<(ChunkId, Vec<f32>)> {
    let mut all = RoaringBitmap::new();
    set.segments()
        .iter()
        .filter(|segment| segment.has_graph())
        .for_each(|segment| all |= segment.chunk_ids());
    all &= live;
    let step = (all.len() as usize).div_ceil(sample.max(1)).max(1);
    let chunks = all.iter().step_by(step).take(sample).map(ChunkId);
    chunks.filter_map(|chunk| Some((chunk, set.vector(chunk)?.to_vec()))).collect()
}

fn others(chunks: impl Iterator<Item = ChunkId>, itself: ChunkId) -> Vec<ChunkId> {
    chunks.filter(|chunk| *chunk != itself).take(NEIGHBOURS).collect()
}
