use adit_core::ChunkId;
use adit_vector::{VectorSet, VectorSettings, tune_ef};
use rand::RngExt;
use roaring::RoaringBitmap;

use crate::support::*;

const COUNT: u32 = 12_000;
const DIMENSION: usize = 48;
const CLUSTERS: usize = 60;

struct Bench {
    _folder: tempfile::TempDir,
    vectors: Vectors,
    set: VectorSet,
}

fn bench(vectors: Vectors) -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let segment = segment(folder.path(), "s", &vectors, &VectorSettings::for_dimension(DIMENSION));
    assert!(segment.has_graph());
    let set = VectorSet::new(DIMENSION).with_segments(vec![segment]).unwrap();
    Bench { _folder: folder, vectors, set }
}

fn mean_recall(bench: &Bench, allowed: &RoaringBitmap, queries: usize, ef: usize) -> (f64, String) {
    let mut random = generator(77);
    let mut plan = String::new();
    let mut sum = 0.0;
    for _ in 0..queries {
        let from = bench.vectors.values().nth(random.random_range(0..bench.vectors.len())).unwrap();
        let query = near(&mut random, from, 0.5);
        let truth = brute_force(&bench.vectors, &query, allowed, 10);
        let found = bench.set.search(&query, allowed, 10, Some(ef)).unwrap();
        assert_eq!(found.hits.len(), truth.len(), "{}", found.plan);
        assert!(found.hits.iter().all(|hit| allowed.contains(hit.chunk.0)));
        sum += recall(&found.hits, &truth);
        plan = found.plan;
    }
    (sum / queries as f64, plan)
}

#[test]
fn the_graph_finds_the_nearest_with_and_without_filters() {
    let bench = bench(clustered(3, COUNT, DIMENSION, CLUSTERS));
    let every = |step: u32| (0..COUNT).step_by(step as usize).collect::<RoaringBitmap>();
    let clusters =
        |below: u32| (0..COUNT).filter(|id| id % CLUSTERS as u32 <= below).collect::<RoaringBitmap>();
    let filters = [
        ("all", RoaringBitmap::full()),
        ("half", every(2)),
        ("a twentieth", every(20)),
        ("a two hundredth", every(200)),
        ("half of the clusters", clusters(29)),
        ("three clusters", clusters(2)),
        ("one", [17].into_iter().collect()),
        ("none", RoaringBitmap::new()),
    ];
    for (name, allowed) in filters {
        let (recall, plan) = mean_recall(&bench, &allowed, 100, 128);
        println!("{name}: recall {recall:.4}; {plan}");
        assert!(recall >= 0.985, "{name}: recall {recall}; {plan}");
    }
}

#[test]
fn duplicates_stay_reachable() {
    // 3,000 equal vectors are far more than any node has links.
    let mut vectors = clustered(4, 3_000, DIMENSION, 20);
    let copy = vectors[&0].clone();
    vectors.extend((3_000..6_000).map(|id| (id, copy.clone())));
    let bench = bench(vectors);
    let (recall, plan) = mean_recall(&bench, &RoaringBitmap::full(), 60, 128);
    assert!(recall >= 0.98, "recall {recall}; {plan}");
    let found = bench.set.search(&copy, &RoaringBitmap::full(), 100, None).unwrap();
    assert!(found.hits.iter().all(|hit| hit.score > 0.9999), "{}", found.plan);
}

#[test]
fn the_same_vectors_give_the_same_file_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = clustered(6, 3_000, DIMENSION, 20);
    let one = VectorSettings { build_threads: 1, ..VectorSettings::for_dimension(DIMENSION) };
    let three = VectorSettings { build_threads: 3, ..one.clone() };
    segment(folder.path(), "one", &vectors, &one);
    segment(folder.path(), "three", &vectors, &three);
    let read = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    assert!(read("one.seg") == read("three.seg"));
}

#[test]
fn ef_is_tuned_to_its_target() {
    let bench = bench(clustered(8, COUNT, DIMENSION, 6));
    let live = RoaringBitmap::full();
    let low = tune_ef(&bench.set, &live, 60, 0.5).unwrap();
    let high = tune_ef(&bench.set, &live, 60, 0.99).unwrap();
    assert!(low.recall >= 0.5 && high.recall >= 0.99, "{low:?} {high:?}");
    assert!(low.ef <= high.ef);
    let tuned = bench.set.with_default_ef(high.ef);
    assert_eq!(tuned.search(&bench.vectors[&5], &live, 1, None).unwrap().hits[0].chunk, ChunkId(5));
    assert_eq!(tune_ef(&VectorSet::new(3), &live, 10, 0.9).unwrap().queries, 0);
}
