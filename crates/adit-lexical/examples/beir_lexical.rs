//! nDCG@10 and recall@100 of the lexical index over BEIR-style folders:
//! `cargo run -p adit-lexical --example beir_lexical -- FOLDER [SET ...]` with k1 = 0.9 and b = 0.4, or
//! other values in `K1` and `B`. Whole documents, `title + " " + text`; linear gain and ties as trec_eval.
#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::indexing_slicing, missing_docs)]

use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::time::Instant;

use adit_core::{ChunkId, SequenceNumber};
use adit_lexical::{Bm25Parameters, LexicalIndex, detect_language};
use roaring::RoaringBitmap;
use serde_json::Value;

fn lines(path: &Path) -> Vec<Value> {
    let text = fs_err::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or("").to_owned()
}

fn parameter(name: &str, default: f32) -> f32 {
    std::env::var(name).ok().and_then(|value| value.parse().ok()).unwrap_or(default)
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().unwrap_or_else(|| "../shared/data/beir".to_owned());
    let mut sets: Vec<String> = arguments.collect();
    if sets.is_empty() {
        sets = fs_err::read_dir(&root)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        sets.sort();
    }
    println!("| set | documents | queries | nDCG@10 | recall@100 | index s | query ms | languages |");
    println!("|---|---|---|---|---|---|---|---|");
    for set in sets {
        measure(&Path::new(&root).join(&set), &set);
    }
}

fn measure(folder: &Path, set: &str) {
    let parameters = Bm25Parameters { k1: parameter("K1", 0.9), b: parameter("B", 0.4) };
    let corpus = lines(&folder.join("corpus.jsonl"));
    let mut judged: HashMap<String, HashMap<String, f64>> = HashMap::new();
    for line in fs_err::read_to_string(folder.join("qrels/test.tsv")).unwrap().lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        let Ok(grade) = fields[2].parse::<f64>() else { continue };
        judged.entry(fields[0].to_owned()).or_default().insert(fields[1].to_owned(), grade);
    }
    let temporary = tempfile::tempdir().unwrap();
    let index = LexicalIndex::open_or_create(temporary.path()).unwrap();
    let started = Instant::now();
    let mut languages = BTreeSet::new();
    for (id, document) in (0..).zip(&corpus) {
        let words = format!("{} {}", text(document, "title"), text(document, "text"));
        let language = detect_language(&words);
        languages.insert(language.to_owned());
        index.add(ChunkId(id), language, &words).unwrap();
    }
    index.commit(SequenceNumber(1)).unwrap();
    let index_seconds = started.elapsed().as_secs_f64();
    let searcher = index.searcher().unwrap();
    let languages: Vec<String> = languages.into_iter().collect();
    let allowed: RoaringBitmap = (0..corpus.len() as u32).collect();
    let (mut ndcg, mut recall, mut count, mut milliseconds) = (0.0, 0.0, 0.0, 0.0);
    for query in lines(&folder.join("queries.jsonl")) {
        let Some(grades) = judged.get(&text(&query, "_id")) else { continue };
        let question = text(&query, "text");
        let started = Instant::now();
        let hits = searcher.search(&question, &languages, &allowed, parameters, 1_000).unwrap();
        milliseconds += started.elapsed().as_secs_f64() * 1e3;
        let mut ranked: Vec<(f32, String)> =
            hits.iter().map(|hit| (hit.score, text(&corpus[hit.chunk.0 as usize], "_id"))).collect();
        // trec_eval: equal scores by falling document name.
        ranked.sort_by(|first, second| second.0.total_cmp(&first.0).then_with(|| second.1.cmp(&first.1)));
        let gain = |(rank, grade): (usize, f64)| grade / (rank as f64 + 2.0).log2();
        let grade = |name: &String| grades.get(name).copied().unwrap_or(0.0).max(0.0);
        let actual: f64 = ranked.iter().take(10).map(|(_, name)| grade(name)).enumerate().map(gain).sum();
        let mut best: Vec<f64> = grades.values().copied().filter(|grade| *grade > 0.0).collect();
        best.sort_by(|first, second| second.total_cmp(first));
        let relevant = best.len() as f64;
        if relevant == 0.0 {
            continue;
        }
        ndcg += actual / best.into_iter().take(10).enumerate().map(gain).sum::<f64>();
        recall += ranked.iter().take(100).filter(|(_, name)| grade(name) > 0.0).count() as f64 / relevant;
        count += 1.0;
    }
    println!(
        "| {set} | {} | {count} | {:.4} | {:.4} | {index_seconds:.1} | {:.2} | {} |",
        corpus.len(),
        ndcg / count,
        recall / count,
        milliseconds / count,
        languages.join(" ")
    );
}
