use std::sync::atomic::AtomicBool;

use adit_core::ChunkId;
use adit_vector::{SegmentInfo, VectorError, VectorSet, VectorSettings, build_segment, open_segment};
use rand::RngExt;
use roaring::RoaringBitmap;

use crate::support::*;

const DIMENSION: usize = 24;

fn built(folder: &std::path::Path) -> SegmentInfo {
    let vectors = clustered(2, 600, DIMENSION, 8);
    let settings = VectorSettings { graph_from_vectors: 100, ..VectorSettings::for_dimension(DIMENSION) };
    let rows = vectors.iter().map(|(id, v)| (ChunkId(*id * 3), v));
    build_segment(folder, "s", rows, &settings, &AtomicBool::new(false), &mut |_| ()).unwrap()
}

/// Uses a damaged segment in every way; anything but undefined behaviour and a crash is right.
fn use_everything(folder: &std::path::Path, info: &SegmentInfo) {
    let Ok(segment) = open_segment(folder, info, false) else { return };
    let set = VectorSet::new(DIMENSION).with_segments(vec![segment]).unwrap();
    let mut random = generator(1);
    for _ in 0..3 {
        let query = random_unit(&mut random, DIMENSION);
        for allowed in [RoaringBitmap::full(), (0..900).collect(), (0..40).collect()] {
            for ef in [16, 200] {
                let found = set.search(&query, &allowed, 10, Some(ef)).unwrap();
                assert!(found.hits.len() <= 10);
                assert!(found.hits.iter().all(|hit| allowed.contains(hit.chunk.0)));
            }
            set.exact(&query, &allowed, 10).unwrap();
        }
    }
}

#[test]
fn any_changed_byte_is_noticed_and_harms_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let info = built(folder.path());
    let path = folder.path().join(&info.file_name);
    let sound = std::fs::read(&path).unwrap();
    open_segment(folder.path(), &info, true).unwrap();
    let mut random = generator(3);
    // Every byte of the header, and random ones elsewhere; single bits and whole runs.
    let places = (0..256).chain((0..150).map(|_| random.random_range(0..sound.len()))).collect::<Vec<_>>();
    for place in places {
        let mut damaged = sound.clone();
        if place % 2 == 0 {
            damaged[place] ^= 1 << random.random_range(0..8);
        } else {
            let end = (place + 64).min(damaged.len());
            damaged[place..end].iter_mut().for_each(|byte| *byte = !*byte);
        }
        std::fs::write(&path, &damaged).unwrap();
        let error = open_segment(folder.path(), &info, true).expect_err("the damage was not noticed");
        assert!(
            matches!(error, VectorError::Damaged { .. } | VectorError::NewerFormat { .. }),
            "byte {place}: {error}"
        );
        assert!(error.to_string().contains("s.seg"), "{error}");
        use_everything(folder.path(), &info);
    }
}

#[test]
fn short_long_missing_and_swapped_files_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    let info = built(folder.path());
    let path = folder.path().join(&info.file_name);
    let sound = std::fs::read(&path).unwrap();
    for length in [0, 1, 255, 256, 257, sound.len() / 2, sound.len() - 1] {
        std::fs::write(&path, &sound[..length]).unwrap();
        // Even when the manifest believes the length.
        let believed = SegmentInfo { file_bytes: length as u64, ..info.clone() };
        for info in [&info, &believed] {
            let error = open_segment(folder.path(), info, false).expect_err("a short file was opened");
            assert!(
                matches!(error, VectorError::Damaged { .. } | VectorError::Io { .. }),
                "{length}: {error}"
            );
        }
    }
    std::fs::write(&path, [sound.as_slice(), &[0; 64]].concat()).unwrap();
    assert!(matches!(open_segment(folder.path(), &info, false), Err(VectorError::Damaged { .. })));
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(open_segment(folder.path(), &info, false), Err(VectorError::Io { .. })));
    // A sound segment of the same size under this one's name.
    std::fs::write(&path, &sound).unwrap();
    let other = SegmentInfo { header_crc32: info.header_crc32 ^ 1, ..info };
    assert!(matches!(open_segment(folder.path(), &other, false), Err(VectorError::Damaged { .. })));
}

#[test]
fn a_newer_format_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let info = built(folder.path());
    let path = folder.path().join(&info.file_name);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[8] = 9;
    std::fs::write(&path, bytes).unwrap();
    let error = open_segment(folder.path(), &info, false).expect_err("a newer format was opened");
    assert!(matches!(error, VectorError::NewerFormat { found: 9, supported: 1, .. }), "{error}");
}
