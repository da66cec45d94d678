//! Latency and recall of the whole engine: catalog, lexical index, vector segments, filters, fusion.
//!
//! `cargo run --release -p adit --example engine_bench -- [chunks] [queries] [folder]` (200,000 chunks and 200
//! queries by default; a folder keeps the index for the next run). The query's embedding is looked up, not
//! computed; texts are not read. The last table is made while documents are added and segments merged.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::indexing_slicing
)]

mod collection;
mod queries;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use adit_core::{DenseSearch, Filter, Scope, TenantId};
use adit_index::SearchIndex;
use adit_retrieve::{Fusion, Mode, Retriever, SearchRequest};

use collection::Collection;
use queries::{LookedUpEmbedder, Query};

/// Queries whose recall is measured.
const RECALL_QUERIES: usize = 50;
/// Name, and the conditions as a user writes them.
const FILTERS: &[(&str, &[&str])] = &[
    ("none", &[]),
    ("50%", &["share_50=true"]),
    ("5%", &["share_5=true"]),
    ("0.5%", &["share_0_5=true"]),
    ("50% of the clusters", &["cluster<250"]),
    ("5% of the clusters", &["cluster<25"]),
    ("0.6% of the clusters", &["cluster<3"]),
];
const MODES: [(&str, Mode, Fusion); 4] = [
    ("lexical", Mode::Lexical, Fusion::Standardised),
    ("dense", Mode::Dense, Fusion::Standardised),
    ("hybrid", Mode::Hybrid, Fusion::Standardised),
    ("hybrid by rank", Mode::Hybrid, Fusion::ReciprocalRank),
];

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |at: usize, default| arguments.get(at).map_or(default, |text| text.parse().unwrap());
    let (chunks, queries) = (number(0, 200_000), number(1, 200));
    let temporary = tempfile::tempdir().unwrap();
    let folder = arguments.get(2).map_or_else(|| temporary.path().to_owned(), PathBuf::from);
    let collection = Collection::new(chunks / collection::CHUNKS_PER_DOCUMENT);
    collection.index_into(&folder);
    let bench = Bench::open(&folder, &collection, queries);
    bench.report_size(&folder);
    bench.filters();
    bench.during_merges(&collection);
}

struct Bench {
    index: Arc<SearchIndex>,
    retriever: Retriever,
    fingerprint: adit_core::Fingerprint,
    queries: Vec<Query>,
    frequent_queries: Vec<Query>,
    scope: Scope,
}

impl Bench {
    fn open(folder: &Path, collection: &Collection, count: usize) -> Self {
        let started = Instant::now();
        let catalog = collection::open_catalog(folder);
        let index = Arc::new(collection::open_index(folder, &catalog));
        println!("opened in {:.0} ms", started.elapsed().as_secs_f64() * 1e3);
        let queries = queries::generate(collection, count, 6, 100);
        let frequent_queries = queries::generate(collection, count, 10, 0);
        let embedder = LookedUpEmbedder::new([&queries, &frequent_queries].into_iter().flatten());
        let fingerprint = collection::fingerprint();
        let retriever = Retriever::new(Arc::clone(&index), catalog, Some(Arc::new(embedder)));
        let scope = Scope::new(TenantId::default_tenant(), []);
        Self { index, retriever, fingerprint, queries, frequent_queries, scope }
    }

    fn report_size(&self, folder: &Path) {
        let statistics = self.index.statistics();
        let chunks = statistics.live_chunks as f64;
        let dimension = collection::DIMENSION as f64;
        let catalog_bytes = std::fs::metadata(folder.join("catalog.db")).unwrap().len() as f64;
        println!(
            "{} documents, {} chunks, {} segments, tail {}, ef {:?}; bytes a chunk: vectors {:.0} (4d + 8M = {:.0}), lexical {:.0}, catalog {:.0}; resident memory {:.0} MiB",
            statistics.documents,
            statistics.live_chunks,
            statistics.segments,
            statistics.tail_vectors,
            statistics.tuned_ef,
            statistics.vector_bytes as f64 / chunks,
            4.0 * dimension + 8.0 * 16.0,
            statistics.lexical_bytes as f64 / chunks,
            catalog_bytes / chunks,
            resident_mib(),
        );
    }

    fn filters(&self) {
        println!(
            "\n| filter | allowed | mode | p50 ms | p99 ms | recall@10 | first, ms | plan of the last |"
        );
        println!("|---|---|---|---|---|---|---|---|");
        for (name, conditions) in FILTERS {
            let filter = Filter::parse(conditions).unwrap();
            let started = Instant::now();
            let allowed = self.index.snapshot().allowed_count(&self.scope, &filter);
            let first_ms = started.elapsed().as_secs_f64() * 1e3;
            for (mode_name, mode, fusion) in MODES {
                let (times, plan) = self.times(&self.queries, &filter, (mode, fusion));
                let recall = match mode {
                    Mode::Dense => format!("{:.4}", self.recall_at_10(&filter)),
                    _ => "-".to_owned(),
                };
                println!(
                    "| {name} | {allowed} | {mode_name} | {} | {recall} | {first_ms:.2} | {plan} |",
                    percentiles(times)
                );
            }
        }
        println!("\n10 words drawn by frequency:\n\n| filter | mode | p50 ms | p99 ms |\n|---|---|---|---|");
        for (name, conditions) in &FILTERS[..4] {
            let filter = Filter::parse(conditions).unwrap();
            for (mode_name, mode, fusion) in [MODES[0], MODES[2]] {
                let (times, _) = self.times(&self.frequent_queries, &filter, (mode, fusion));
                println!("| {name} | {mode_name} | {} |", percentiles(times));
            }
        }
    }

    fn times(
        &self,
        queries: &[Query],
        filter: &Filter,
        (mode, fusion): (Mode, Fusion),
    ) -> (Vec<f64>, String) {
        let mut plan = String::new();
        let mut times = Vec::with_capacity(queries.len());
        for query in queries {
            let request =
                SearchRequest { mode, fusion, ..SearchRequest::new(&query.words, &self.scope, filter) };
            let started = Instant::now();
            let ranking = self.retriever.rank(&request).unwrap();
            times.push(started.elapsed().as_secs_f64() * 1e3);
            let dense = ranking.stages.into_iter().find(|stage| stage.stage == "dense");
            plan = dense.map_or(plan, |stage| stage.detail);
        }
        (times, plan)
    }

    fn recall_at_10(&self, filter: &Filter) -> f64 {
        let snapshot = self.index.snapshot();
        let (mut found, mut wanted) = (0, 0);
        for query in self.queries.iter().take(RECALL_QUERIES) {
            let search = DenseSearch {
                scope: &self.scope,
                filter,
                vector: &query.vector,
                fingerprint: &self.fingerprint,
                limit: 10,
                ef_search: None,
            };
            let truth = snapshot.search_dense_exact(search).unwrap();
            let hits = snapshot.search_dense_with_plan(DenseSearch { limit: 100, ..search }).unwrap().hits;
            let hits: HashSet<u32> = hits.iter().take(10).map(|hit| hit.chunk.0).collect();
            found += truth.iter().filter(|hit| hits.contains(&hit.chunk.0)).count();
            wanted += truth.len();
        }
        found as f64 / wanted.max(1) as f64
    }

    /// Searches while another thread adds documents and segments are built and merged.
    fn during_merges(&self, collection: &Collection) {
        let is_done = AtomicBool::new(false);
        let no_filter = Filter::default();
        println!(
            "\n| while documents are added and merged | searches | p50 ms | p99 ms |\n|---|---|---|---|"
        );
        std::thread::scope(|threads| {
            threads.spawn(|| {
                collection.add_more(self.retriever.catalog(), &self.index);
                is_done.store(true, Ordering::Release);
            });
            let mut times: [Vec<f64>; 4] = Default::default();
            while !is_done.load(Ordering::Acquire) {
                for (times, (_, mode, fusion)) in times.iter_mut().zip(MODES) {
                    times.extend(
                        self.times(&self.queries[..20.min(self.queries.len())], &no_filter, (mode, fusion)).0,
                    );
                }
            }
            for (times, (name, _, _)) in times.into_iter().zip(MODES) {
                println!("| {name} | {} | {} |", times.len(), percentiles(times));
            }
        });
        println!("{} segments afterwards", self.index.statistics().segments);
    }
}

/// Median and 99th percentile as two cells.
fn percentiles(mut times: Vec<f64>) -> String {
    times.sort_by(f64::total_cmp);
    format!("{:.3} | {:.3}", times[times.len() / 2], times[times.len() * 99 / 100])
}

fn resident_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}
