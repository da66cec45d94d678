//! Numbers of the Python package bm25s (method "lucene"); `tests/reference/generate.py` made them.

use adit_core::{ChunkId, SequenceNumber};
use adit_lexical::{Bm25Parameters, LexicalIndex};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    documents: Vec<String>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    k1: f32,
    b: f32,
    query: String,
    scores: Vec<f32>,
}

#[test]
fn scores_are_those_of_bm25s() {
    let reference: Reference = serde_json::from_str(include_str!("../reference/bm25s_lucene.json")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open_or_create(folder.path()).unwrap();
    for (id, text) in (0..).zip(&reference.documents) {
        index.add(ChunkId(id), "und", text).unwrap();
        if id % 70 == 0 {
            index.commit(SequenceNumber(1)).unwrap();
        }
    }
    index.commit(SequenceNumber(2)).unwrap();
    let searcher = index.searcher().unwrap();
    let allowed = (0..reference.documents.len() as u32).collect();
    assert!(!reference.cases.is_empty());
    for case in &reference.cases {
        let parameters = Bm25Parameters { k1: case.k1, b: case.b };
        let hits =
            searcher.search(&case.query, &[], &allowed, parameters, reference.documents.len()).unwrap();
        let mut scores = vec![0.0_f32; reference.documents.len()];
        for hit in hits {
            scores[hit.chunk.0 as usize] = hit.score;
        }
        for (ours, theirs) in scores.iter().zip(&case.scores) {
            assert!((ours - theirs).abs() <= 1e-5 * theirs.max(1e-3), "{}: {ours} and {theirs}", case.query);
        }
    }
}
