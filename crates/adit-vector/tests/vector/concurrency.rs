use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use adit_core::ChunkId;
use adit_vector::{VectorSet, VectorSettings, merge_segments};
use roaring::RoaringBitmap;

use crate::support::*;

const DIMENSION: usize = 32;

/// Readers hold a set while the writer derives the next ones, merges, and removes the files of the old.
#[test]
fn searches_go_on_while_sets_are_derived_and_files_removed() {
    let folder = tempfile::tempdir().unwrap();
    let settings = VectorSettings { graph_from_vectors: 500, ..VectorSettings::for_dimension(DIMENSION) };
    let vectors = clustered(12, 4_000, DIMENSION, 20);
    let part =
        |from: u32, to: u32| vectors.range(from..to).map(|(id, v)| (*id, v.clone())).collect::<Vectors>();
    let first = segment(folder.path(), "first", &part(0, 2_000), &settings);
    let start = VectorSet::new(DIMENSION).with_segments(vec![first]).unwrap();
    let published = Mutex::new((Arc::new(start), 2_000_u32));
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..3)
            .map(|seed| {
                let (published, stop, vectors) = (&published, &stop, &vectors);
                scope.spawn(move || {
                    let mut random = generator(seed);
                    let mut searches = 0_u32;
                    while !stop.load(Ordering::Relaxed) || searches < 20 {
                        let (set, end) = published.lock().unwrap().clone();
                        let allowed: RoaringBitmap = (0..end).collect();
                        let query = random_unit(&mut random, DIMENSION);
                        let hits = set.search(&query, &allowed, 10, None).unwrap().hits;
                        assert_eq!(hits.len(), 10);
                        assert!(hits.iter().all(|hit| hit.chunk.0 < end));
                        // The newest chunk of the set is found by its own vector.
                        let newest = &vectors[&(end - 1)];
                        let hits = set.search(newest, &allowed, 1, None).unwrap().hits;
                        assert_eq!(hits[0].chunk, ChunkId(end - 1));
                        searches += 1;
                    }
                    searches
                })
            })
            .collect();
        for round in 0..10_u32 {
            let (from, to) = (2_000 + round * 200, 2_200 + round * 200);
            for start in (from..to).step_by(10) {
                let (set, _) = published.lock().unwrap().clone();
                let rows = vectors.range(start..start + 10).map(|(id, v)| (ChunkId(*id), v));
                let next = set.with_tail_vectors(rows).unwrap();
                *published.lock().unwrap() = (Arc::new(next), start + 10);
            }
            let (set, end) = published.lock().unwrap().clone();
            let fresh = segment(folder.path(), &format!("part{round}"), &part(from, to), &settings);
            let mut segments = set.segments().to_vec();
            segments.push(fresh);
            if round % 3 == 2 {
                let live = RoaringBitmap::full();
                let (name, cancel) = (format!("merged{round}"), AtomicBool::new(false));
                let info =
                    merge_segments(folder.path(), &name, &segments, &live, &settings, &cancel, &mut |_| ())
                        .unwrap();
                for entry in std::fs::read_dir(folder.path()).unwrap() {
                    let entry = entry.unwrap();
                    if entry.file_name().to_str() != Some(&info.file_name) {
                        std::fs::remove_file(entry.path()).unwrap();
                    }
                }
                segments = vec![adit_vector::open_segment(folder.path(), &info, true).unwrap()];
            }
            let next = set.with_segments(segments).unwrap().retain_tail(&RoaringBitmap::new());
            *published.lock().unwrap() = (Arc::new(next), end);
        }
        stop.store(true, Ordering::Relaxed);
        let total: u32 = readers.into_iter().map(|reader| reader.join().unwrap()).sum();
        println!("{total} searches beside 10 rounds");
    });
    let (set, end) = published.into_inner().unwrap();
    assert_eq!((set.len(), end), (4_000, 4_000));
}
