//! Random vectors, segments of them, and brute force in float64.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use adit_core::{ChunkId, ScoredChunk};
use adit_vector::{VectorSegment, VectorSettings, build_segment, open_segment};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use roaring::RoaringBitmap;

pub(crate) type Vectors = BTreeMap<u32, Vec<f32>>;

pub(crate) fn generator(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

pub(crate) fn unit(mut raw: Vec<f32>) -> Vec<f32> {
    let length = raw.iter().map(|component| component * component).sum::<f32>().sqrt();
    if length > 0.0 {
        raw.iter_mut().for_each(|component| *component /= length);
    }
    raw
}

pub(crate) fn random_unit(random: &mut StdRng, dimension: usize) -> Vec<f32> {
    unit((0..dimension).map(|_| random.random_range(-1.0_f32..1.0)).collect())
}

/// `center` moved by noise about `spread` times as long.
pub(crate) fn near(random: &mut StdRng, center: &[f32], spread: f32) -> Vec<f32> {
    let noise = random_unit(random, center.len());
    unit(center.iter().zip(noise).map(|(center, noise)| center + spread * noise).collect())
}

/// Vectors of `clusters` clusters, chunk `i` in cluster `i % clusters`.
pub(crate) fn clustered(seed: u64, count: u32, dimension: usize, clusters: usize) -> Vectors {
    let mut random = generator(seed);
    let centers: Vec<Vec<f32>> = (0..clusters).map(|_| random_unit(&mut random, dimension)).collect();
    (0..count).map(|id| (id, near(&mut random, &centers[id as usize % clusters], 0.6))).collect()
}

pub(crate) fn segment(
    folder: &Path,
    name: &str,
    vectors: &Vectors,
    settings: &VectorSettings,
) -> Arc<dyn VectorSegment> {
    let rows = vectors.iter().map(|(id, vector)| (ChunkId(*id), vector));
    let info = build_segment(folder, name, rows, settings, &AtomicBool::new(false), &mut |_| ()).unwrap();
    open_segment(folder, &info, true).unwrap()
}

/// The best `limit` of the allowed, by float64.
pub(crate) fn brute_force(
    vectors: &Vectors,
    query: &[f32],
    allowed: &RoaringBitmap,
    limit: usize,
) -> Vec<(u32, f64)> {
    let mut hits: Vec<(u32, f64)> = vectors
        .iter()
        .filter(|(id, _)| allowed.contains(**id))
        .map(|(id, vector)| {
            (*id, vector.iter().zip(query).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum())
        })
        .collect();
    hits.sort_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    hits.truncate(limit);
    hits
}

/// Hits equal the truth: the same scores in the same order, and each hit's score is its own cosine.
/// Chunks may differ only where scores do not.
pub(crate) fn assert_exact(hits: &[ScoredChunk], truth: &[(u32, f64)], vectors: &Vectors, query: &[f32]) {
    assert_eq!(hits.len(), truth.len());
    for (hit, (_, score)) in hits.iter().zip(truth) {
        assert!((f64::from(hit.score) - score).abs() < 1e-5, "{hit:?} instead of {score}");
        let own: f64 =
            vectors[&hit.chunk.0].iter().zip(query).map(|(l, r)| f64::from(*l) * f64::from(*r)).sum();
        assert!((f64::from(hit.score) - own).abs() < 1e-5, "{hit:?} has cosine {own}");
    }
    for pair in hits.windows(2) {
        assert!(
            pair[0].score > pair[1].score
                || (pair[0].score == pair[1].score && pair[0].chunk < pair[1].chunk),
            "{pair:?} out of order"
        );
    }
}

/// Share of the truth that was found, ties counting as found.
pub(crate) fn recall(hits: &[ScoredChunk], truth: &[(u32, f64)]) -> f64 {
    let Some((_, worst)) = truth.last() else { return 1.0 };
    let found = hits.iter().filter(|hit| f64::from(hit.score) >= worst - 1e-6).count();
    found.min(truth.len()) as f64 / truth.len() as f64
}
