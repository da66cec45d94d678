//! Latency and recall of dense search over synthetic clusters, with and without filters.
//!
//! `cargo run --release -p adit-vector --example vector_bench -- [vectors] [queries] [clusters ...]`
//! (200,000 vectors, 200 queries, 500 and 100 clusters by default). With `ADIT_BENCH_FOLDER` the vectors and
//! queries are left there as float32, for `docs/measurements/usearch_comparison.py`. Documents of ten chunks lie in one
//! cluster; queries are fresh points of random clusters. Truth is float32 over everything allowed.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::print_stdout)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use adit_core::ChunkId;
use adit_vector::{VectorSegment, VectorSet, VectorSettings, build_segment, open_segment, tune_ef};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use roaring::RoaringBitmap;

const DIMENSION: usize = 384;
/// Length of the noise over the length of the centre: cosines inside a cluster are about 0.8.
const NOISE: f32 = 0.5;

fn main() {
    let numbers: Vec<usize> = std::env::args().skip(1).map(|text| text.parse().unwrap()).collect();
    let vectors = numbers.first().copied().unwrap_or(200_000);
    let queries = numbers.get(1).copied().unwrap_or(200);
    let clusters = numbers.get(2..).filter(|rest| !rest.is_empty()).unwrap_or(&[500, 100]).to_vec();
    for clusters in clusters {
        let data = Data::generate(vectors, queries, clusters);
        if let Some(folder) = std::env::var_os("ADIT_BENCH_FOLDER") {
            write(Path::new(&folder).join("vectors.f32"), &data.vectors);
            write(Path::new(&folder).join("queries.f32"), &data.queries);
        }
        bench(&data);
    }
}

fn write(path: PathBuf, vectors: &[Vec<f32>]) {
    let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|component| component.to_le_bytes()).collect();
    std::fs::write(path, bytes).unwrap();
}

struct Data {
    clusters: usize,
    cluster_of: Vec<usize>,
    vectors: Vec<Vec<f32>>,
    queries: Vec<Vec<f32>>,
}

impl Data {
    fn generate(count: usize, queries: usize, clusters: usize) -> Self {
        let mut random = StdRng::seed_from_u64(42);
        let centers: Vec<Vec<f32>> = (0..clusters).map(|_| gaussian(&mut random, 1.0, None)).collect();
        let mut cluster = 0;
        let cluster_of: Vec<usize> = (0..count)
            .map(|id| {
                if id % 10 == 0 {
                    cluster = random.random_range(0..clusters);
                }
                cluster
            })
            .collect();
        let vectors =
            cluster_of.iter().map(|cluster| gaussian(&mut random, NOISE, Some(&centers[*cluster]))).collect();
        let queries = (0..queries)
            .map(|_| {
                let center = random.random_range(0..clusters);
                gaussian(&mut random, NOISE, Some(&centers[center]))
            })
            .collect();
        Self { clusters, cluster_of, vectors, queries }
    }

    fn filters(&self) -> Vec<(&'static str, RoaringBitmap)> {
        let ids = 0..self.vectors.len() as u32;
        let mut random = StdRng::seed_from_u64(7);
        let mut scattered =
            |share: f64| -> RoaringBitmap { ids.clone().filter(|_| random.random_bool(share)).collect() };
        let correlated = |share: f64| -> RoaringBitmap {
            let below = (self.clusters as f64 * share).ceil() as usize;
            ids.clone().filter(|id| self.cluster_of[*id as usize] < below).collect()
        };
        vec![
            ("none", ids.clone().collect()),
            ("50%", scattered(0.5)),
            ("20%", scattered(0.2)),
            ("5%", scattered(0.05)),
            ("0.5%", scattered(0.005)),
            ("50% of clusters", correlated(0.5)),
            ("20% of clusters", correlated(0.2)),
            ("5% of clusters", correlated(0.05)),
        ]
    }
}

/// Gaussian noise of about the length `scale`, around a centre, brought to length 1.
fn gaussian(random: &mut StdRng, scale: f32, center: Option<&[f32]>) -> Vec<f32> {
    let deviation = scale / (DIMENSION as f32).sqrt();
    let mut vector = Vec::with_capacity(DIMENSION);
    while vector.len() < DIMENSION {
        // Box and Muller, 1958.
        let radius = (-2.0 * (1.0 - random.random::<f32>()).ln()).sqrt() * deviation;
        let angle = random.random::<f32>() * std::f32::consts::TAU;
        vector.extend([radius * angle.cos(), radius * angle.sin()]);
    }
    if let Some(center) = center {
        vector.iter_mut().zip(center).for_each(|(noise, center)| *noise += center);
    }
    let length = vector.iter().map(|component| component * component).sum::<f32>().sqrt();
    vector.iter_mut().for_each(|component| *component /= length);
    vector
}

fn bench(data: &Data) {
    let folder = tempfile::tempdir().unwrap();
    let settings = VectorSettings::for_dimension(DIMENSION);
    let count = data.vectors.len();
    let start = Instant::now();
    let rows = data.vectors.iter().enumerate().map(|(id, vector)| (ChunkId(id as u32), vector));
    let info =
        build_segment(folder.path(), "bench", rows, &settings, &AtomicBool::new(false), &mut |_| ()).unwrap();
    let build_seconds = start.elapsed().as_secs_f64();
    let start = Instant::now();
    let segment: Arc<dyn VectorSegment> = open_segment(folder.path(), &info, false).unwrap();
    let open_ms = start.elapsed().as_secs_f64() * 1e3;
    let bytes = info.file_bytes as f64 / count as f64;
    let floor = 4 * DIMENSION + 8 * settings.connectivity;
    println!(
        "\n{count} vectors in {} clusters: built in {build_seconds:.1} s, opened in {open_ms:.2} ms; {bytes:.0} bytes a vector on disk (4d + 8M = {floor}), {:.0} of them read by int8 search",
        data.clusters,
        bytes - 4.0 * DIMENSION as f64
    );
    let set = VectorSet::new(DIMENSION).with_segments(vec![segment]).unwrap();
    let all: RoaringBitmap = (0..count as u32).collect();
    let start = Instant::now();
    let tuned = tune_ef(&set, &all, 200, 0.98).unwrap();
    println!("tuned: {tuned:?} in {:.1} s", start.elapsed().as_secs_f64());
    let set = set.with_default_ef(tuned.ef);
    let truths: Vec<Vec<(f32, u32)>> =
        data.queries.iter().map(|query| ranked(&data.vectors, query)).collect();
    println!(
        "| filter | k | p50 ms | p99 ms | recall@10 | recall@100 | plan of the last |\n|---|---|---|---|---|---|---|"
    );
    for (name, allowed) in data.filters() {
        for limit in [100, 10] {
            measure(data, &set, &truths, name, &allowed, limit);
        }
    }
}

fn ranked(vectors: &[Vec<f32>], query: &[f32]) -> Vec<(f32, u32)> {
    let score = |vector: &Vec<f32>| {
        let (left, _) = vector.as_chunks::<16>();
        let (right, _) = query.as_chunks::<16>();
        let mut sums = [0.0_f32; 16];
        for (left, right) in left.iter().zip(right) {
            sums.iter_mut().zip(left.iter().zip(right)).for_each(|(sum, (l, r))| *sum += l * r);
        }
        sums.iter().sum::<f32>()
    };
    let mut scores: Vec<(f32, u32)> =
        vectors.iter().enumerate().map(|(id, vector)| (score(vector), id as u32)).collect();
    scores.sort_unstable_by(|left, right| right.0.total_cmp(&left.0).then(left.1.cmp(&right.1)));
    scores
}

fn measure(
    data: &Data,
    set: &VectorSet,
    truths: &[Vec<(f32, u32)>],
    name: &str,
    allowed: &RoaringBitmap,
    limit: usize,
) {
    let mut times = Vec::new();
    let mut recalls = [0.0; 2];
    let mut plan = String::new();
    for (query, truth) in data.queries.iter().zip(truths) {
        let start = Instant::now();
        let found = set.search(query, allowed, limit, None).unwrap();
        times.push(start.elapsed().as_secs_f64() * 1e3);
        let best: Vec<u32> =
            truth.iter().map(|(_, id)| *id).filter(|id| allowed.contains(*id)).take(100).collect();
        for (recall, depth) in recalls.iter_mut().zip([10, 100]) {
            let wanted: RoaringBitmap = best.iter().take(depth).copied().collect();
            let hits = found.hits.iter().take(depth).filter(|hit| wanted.contains(hit.chunk.0)).count();
            *recall += hits as f64 / wanted.len() as f64 / data.queries.len() as f64;
        }
        plan = found.plan;
    }
    times.sort_by(f64::total_cmp);
    let [at_10, at_100] = recalls;
    let at_100 = if limit >= 100 { format!("{at_100:.4}") } else { String::new() };
    println!(
        "| {name} | {limit} | {:.3} | {:.3} | {at_10:.4} | {at_100} | {plan} |",
        times[times.len() / 2],
        times[times.len() * 99 / 100],
    );
}
