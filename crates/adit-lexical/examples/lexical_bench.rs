//! Latency over synthetic chunks of 100 Zipf words:
//! `cargo run -p adit-lexical --example lexical_bench -- [CHUNKS]`. Prints p50 and p99 (of the best of five runs) for queries of 3 and
//! 10 words, with everything and with random 50 %, 5 % and 0.5 % of the chunks allowed.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing, missing_docs)]

use std::time::Instant;

use adit_core::{ChunkId, SequenceNumber};
use adit_lexical::{Bm25Parameters, LexicalIndex};
use adit_testkit::ZipfWords;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use roaring::RoaringBitmap;

const WORDS_PER_CHUNK: usize = 100;
const VOCABULARY: usize = 200_000;
const QUERIES: usize = 300;
const REPETITIONS: usize = 5;

fn main() {
    let count: u32 = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(200_000);
    let mut random = StdRng::seed_from_u64(1);
    let zipf = ZipfWords::new(VOCABULARY);
    let folder = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open_or_create(folder.path()).unwrap();
    let started = Instant::now();
    for chunk in 0..count {
        index.add(ChunkId(chunk), "und", &zipf.text(WORDS_PER_CHUNK, &mut random)).unwrap();
    }
    index.commit(SequenceNumber(1)).unwrap();
    println!("{count} chunks added and committed in {:.1} s", started.elapsed().as_secs_f64());
    let started = Instant::now();
    let searcher = index.searcher().unwrap();
    println!(
        "opened in {:.1} ms, {} segments",
        started.elapsed().as_secs_f64() * 1e3,
        searcher.segment_count()
    );

    println!("| words | drawn from | allowed | p50 ms | p99 ms |\n|---|---|---|---|---|");
    for (kind, skipped) in [("all words by frequency", 0), ("all but the 100 most frequent", 100)] {
        for words in [3, 10] {
            let queries: Vec<String> =
                (0..QUERIES).map(|_| zipf.query(words, skipped, &mut random)).collect();
            for share in [1.0, 0.5, 0.05, 0.005] {
                let allowed: RoaringBitmap = (0..count).filter(|_| random.random_bool(share)).collect();
                let mut times: Vec<f64> = queries
                    .iter()
                    .map(|query| {
                        // The best of a few, so that other work on the machine counts little.
                        let run = || {
                            let started = Instant::now();
                            let hits = searcher.search(query, &[], &allowed, Bm25Parameters::default(), 100);
                            std::hint::black_box(hits.unwrap());
                            started.elapsed().as_secs_f64() * 1e3
                        };
                        (0..REPETITIONS).map(|_| run()).fold(f64::INFINITY, f64::min)
                    })
                    .collect();
                times.sort_by(f64::total_cmp);
                let (median, high) = (times[QUERIES / 2], times[QUERIES * 99 / 100]);
                println!("| {words} | {kind} | {} % | {median:.3} | {high:.3} |", share * 100.0);
            }
        }
    }
}
