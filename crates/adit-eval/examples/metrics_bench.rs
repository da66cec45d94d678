//! Scores one million query-document pairs with every metric and prints the seconds:
//! `cargo run --release -p adit-eval --example metrics_bench`.
#![allow(clippy::print_stdout, clippy::unwrap_used, reason = "a program that a person starts and reads")]

use std::collections::BTreeMap;
use std::time::Instant;

use adit_eval::{Judgments, Metric, RankedDocument, Ranking, per_query};

const QUERIES: usize = 1_000;
const PLACES: usize = 1_000;
const JUDGED: usize = 100;
const METRICS: [&str; 8] =
    ["recall@100", "precision@5", "hit_rate@10", "mrr@10", "ndcg@10", "ndcg_exp@10", "map", "r_precision"];

fn main() {
    let (places, judgments) = data();
    let start = Instant::now();
    let run: BTreeMap<String, Ranking> =
        places.into_iter().map(|(query, places)| (query, Ranking::new(places))).collect();
    let sorted = start.elapsed();
    for name in METRICS {
        let metric: Metric = name.parse().unwrap();
        let values = per_query(metric, &judgments, &run);
        println!("{name:12} {:.4}", values.values().sum::<f64>() / values.len() as f64);
    }
    println!("{} pairs, {} metrics", QUERIES * PLACES, METRICS.len());
    println!("{:.3} s, of which {:.3} s sorting", start.elapsed().as_secs_f64(), sorted.as_secs_f64());
}

/// Scores scattered by a multiplicative hash, coarse enough to tie; every tenth document is judged.
fn data() -> (Vec<(String, Vec<RankedDocument>)>, Judgments) {
    let scattered = |query: usize, place: usize| (query * 7_919 + place * 104_729) % 65_521;
    let place = |query, place| RankedDocument {
        document: format!("document-{:07}", query * 31 + place),
        score: scattered(query, place) as f64 / 64.0,
    };
    let places =
        (0..QUERIES).map(|query| (format!("q{query}"), (0..PLACES).map(|i| place(query, i)).collect()));
    let grades = |query: usize| {
        (0..JUDGED)
            .map(move |i| (format!("document-{:07}", query * 31 + i * 10), (scattered(query, i) % 4) as i64))
    };
    let judgments = (0..QUERIES).map(|query| (format!("q{query}"), grades(query).collect()));
    (places.collect(), judgments.collect())
}
