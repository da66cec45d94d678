use std::sync::atomic::AtomicBool;

use adit_core::ChunkId;
use adit_vector::{
    BuildProgress, SegmentBuilder, VectorError, VectorSet, VectorSettings, build_segment, merge_segments,
    open_segment,
};
use proptest::prelude::*;
use roaring::RoaringBitmap;

use crate::support::*;

/// Small numbers, so that equal vectors and equal scores are common.
fn coarse_vectors() -> impl Strategy<Value = Vec<Vec<i8>>> {
    prop::collection::vec(prop::collection::vec(-2_i8..=2, 5), 0..80)
}

fn coarse(raw: &[i8]) -> Vec<f32> {
    unit(raw.iter().map(|component| f32::from(*component)).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn a_set_answers_as_brute_force(
        raw in coarse_vectors(),
        places in prop::collection::vec((0_u8..4, 1_u32..40), 80),
        mask in prop::collection::vec(any::<bool>(), 80),
        everything in any::<bool>(),
        query in prop::collection::vec(-2_i8..=2, 5),
        limit in 0_usize..20,
    ) {
        let settings = VectorSettings::for_dimension(5);
        let folder = tempfile::tempdir().unwrap();
        let mut vectors = Vectors::new();
        let mut parts = vec![Vectors::new(); 4];
        let mut id = 0;
        for (raw, (place, gap)) in raw.iter().zip(&places) {
            id += gap;
            vectors.insert(id, coarse(raw));
            parts[usize::from(*place)].insert(id, coarse(raw));
        }
        let segments = vec![
            segment(folder.path(), "a", &parts[0], &settings),
            segment(folder.path(), "b", &parts[1], &settings),
        ];
        let set = VectorSet::new(5).with_segments(segments).unwrap();
        let set = set.with_tail_vectors(parts[2].iter().map(|(id, v)| (ChunkId(*id), v))).unwrap();
        let set = set.with_tail_vectors(parts[3].iter().map(|(id, v)| (ChunkId(*id), v))).unwrap();
        prop_assert_eq!(set.len(), vectors.len());
        let allowed: RoaringBitmap = if everything {
            RoaringBitmap::full()
        } else {
            vectors.keys().zip(&mask).filter(|(_, keep)| **keep).map(|(id, _)| *id).collect()
        };
        let query = coarse(&query);
        let truth = brute_force(&vectors, &query, &allowed, limit);
        let found = set.search(&query, &allowed, limit, None).unwrap();
        prop_assert!(found.hits.iter().all(|hit| allowed.contains(hit.chunk.0)));
        let exact = set.exact(&query, &allowed, limit).unwrap();
        assert_exact(&exact, &truth, &vectors, &query);
        // Up to 40 candidates a part are scored exactly; more are chosen by int8, whose ties are its own.
        if allowed.intersection_len(&vectors.keys().copied().collect()) <= 40 {
            prop_assert_eq!(&found.hits, &exact);
        }
        let lowest_gain = found.hits.iter().zip(&exact).map(|(f, e)| e.score - f.score).fold(0.0, f32::max);
        prop_assert!(lowest_gain < 0.02, "int8 chose much worse: {}", lowest_gain);
        prop_assert_eq!(found.hits.len(), exact.len());
        for (id, vector) in &vectors {
            prop_assert_eq!(set.vector(ChunkId(*id)), Some(vector.as_slice()));
        }
    }

    #[test]
    fn a_merge_has_what_lives(
        ids in prop::collection::btree_set(0_u32..200, 0..60),
        owners in prop::collection::vec(0_usize..3, 60),
        dead in prop::collection::btree_set(0_u32..200, 0..60),
    ) {
        let settings = VectorSettings::for_dimension(7);
        let folder = tempfile::tempdir().unwrap();
        let mut random = generator(5);
        let vectors: Vectors = ids.iter().map(|id| (*id, random_unit(&mut random, 7))).collect();
        let mut parts = vec![Vectors::new(); 3];
        vectors.iter().zip(&owners).for_each(|((id, v), owner)| { parts[*owner].insert(*id, v.clone()); });
        let names = ["a", "b", "c"];
        let segments: Vec<_> =
            parts.iter().zip(names).map(|(part, name)| segment(folder.path(), name, part, &settings)).collect();
        let live: RoaringBitmap = (0..200).filter(|id| !dead.contains(id)).collect();
        let cancel = AtomicBool::new(false);
        let info = merge_segments(folder.path(), "m", &segments, &live, &settings, &cancel, &mut |_| ()).unwrap();
        let merged = open_segment(folder.path(), &info, true).unwrap();
        let expected: Vec<u32> = ids.iter().copied().filter(|id| live.contains(*id)).collect();
        prop_assert_eq!(merged.chunk_ids().iter().collect::<Vec<_>>(), expected.clone());
        for (ordinal, id) in expected.iter().enumerate() {
            prop_assert_eq!(merged.chunk_id(ordinal as u32), Some(ChunkId(*id)));
            prop_assert_eq!(merged.vector(ordinal as u32), Some(vectors[id].as_slice()));
        }
    }

    #[test]
    fn the_tail_keeps_what_it_is_told_to(
        batches in prop::collection::vec(prop::collection::btree_set(0_u32..500, 0..20), 0..12),
        keep in prop::collection::btree_set(0_u32..500, 0..300),
    ) {
        let mut random = generator(9);
        let mut vectors = Vectors::new();
        let mut set = VectorSet::new(3);
        for batch in &batches {
            let fresh: Vec<u32> = batch.iter().copied().filter(|id| !vectors.contains_key(id)).collect();
            let rows: Vec<_> = fresh.iter().map(|id| (ChunkId(*id), random_unit(&mut random, 3))).collect();
            vectors.extend(rows.iter().map(|(id, v)| (id.0, v.clone())));
            set = set.with_tail_vectors(rows).unwrap();
        }
        let keep: RoaringBitmap = keep.into_iter().collect();
        set = set.retain_tail(&keep);
        let expected: RoaringBitmap = vectors.keys().copied().filter(|id| keep.contains(*id)).collect();
        prop_assert_eq!(set.tail_ids(), expected.clone());
        prop_assert_eq!(set.tail_len() as u64, expected.len());
        for id in expected {
            prop_assert_eq!(set.vector(ChunkId(id)), Some(vectors[&id].as_slice()));
        }
    }
}

#[test]
fn an_empty_set_finds_nothing() {
    let set = VectorSet::new(4);
    let found = set.search(&[0.5; 4], &RoaringBitmap::full(), 10, None).unwrap();
    assert!(found.hits.is_empty());
    assert_eq!(found.plan, "no vector is allowed");
    assert!(set.is_empty());
}

#[test]
fn wrong_vectors_are_refused() {
    let set = VectorSet::new(4);
    assert!(matches!(
        set.search(&[1.0; 3], &RoaringBitmap::full(), 1, None),
        Err(VectorError::Dimension { expected: 4, given: 3 })
    ));
    let infinite = [f32::INFINITY, 0.0, 0.0, 0.0];
    assert!(matches!(
        set.search(&infinite, &RoaringBitmap::full(), 1, None),
        Err(VectorError::NotFinite { .. })
    ));
    assert!(matches!(set.with_tail_vectors([(ChunkId(1), infinite)]), Err(VectorError::NotFinite { .. })));
    let folder = tempfile::tempdir().unwrap();
    let settings = VectorSettings::for_dimension(4);
    let mut builder = SegmentBuilder::create(folder.path(), "x", &settings).unwrap();
    builder.push(ChunkId(7), &[0.5; 4]).unwrap();
    assert!(matches!(builder.push(ChunkId(7), &[0.5; 4]), Err(VectorError::Order { previous: 7, given: 7 })));
    drop(builder);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "an abandoned build left a file");
}

#[test]
fn a_cancelled_build_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let vectors = clustered(1, 3_000, 16, 10);
    let cancel = AtomicBool::new(false);
    let mut heard = Vec::new();
    let rows = vectors.iter().map(|(id, v)| (ChunkId(*id), v));
    let settings = VectorSettings { graph_from_vectors: 100, ..VectorSettings::for_dimension(16) };
    let result = build_segment(folder.path(), "x", rows, &settings, &cancel, &mut |progress| {
        heard.push(progress);
        if progress.done > 1_000 {
            cancel.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    });
    assert!(matches!(result, Err(VectorError::Cancelled)));
    assert!(heard.windows(2).all(|pair| pair[0].done < pair[1].done));
    assert!(matches!(heard.last(), Some(BuildProgress { done: 1_001..3_000, total: 3_000 })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
