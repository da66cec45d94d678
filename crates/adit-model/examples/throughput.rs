//! Tokens per second and start time of the default model:
//! `cargo run -p adit-model --example throughput -- int8 2`.
#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::error::Error;
use std::time::Instant;

use adit_core::Embedder;
use adit_model::{BertEmbedder, BertTokenizer, ModelStore, Precision};

const QUERY: &str = "how many days of leave may be carried over into the next year";
const SENTENCE: &str =
    "The committee reviewed the maintenance schedule and postponed two inspections until spring. ";

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let precision: Precision = arguments.next().unwrap_or_else(|| "int8".to_owned()).parse()?;
    let threads: usize = arguments.next().map_or(Ok(2), |text| text.parse())?;
    let sentences: usize = arguments.next().map_or(Ok(16), |text| text.parse())?;
    let store = ModelStore::open(None)?;
    let mut start_ms = Vec::new();
    for _ in 0..7 {
        let start = Instant::now();
        let folder = store.ensure("default", &mut |progress| println!("{progress:?}"))?;
        let embedder = BertEmbedder::load(&folder, precision, threads)?;
        let loaded = start.elapsed();
        embedder.embed_query(QUERY)?;
        start_ms.push((start.elapsed().as_secs_f64() * 1000.0, loaded.as_secs_f64() * 1000.0));
    }
    start_ms.sort_by(|left, right| left.0.total_cmp(&right.0));
    println!("load and one query, load alone, ms, sorted: {start_ms:.1?}");

    let folder = store.ensure("default", &mut |_| {})?;
    let mut tokenizer_ms = f64::MAX;
    for _ in 0..7 {
        let start = Instant::now();
        BertTokenizer::load(&folder.path, 256)?;
        tokenizer_ms = tokenizer_ms.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    println!("the tokenizer alone: {tokenizer_ms:.1} ms");
    let embedder = BertEmbedder::load(&folder, precision, threads)?;
    let text = SENTENCE.repeat(sentences);
    let tokens = embedder.tokenizer().count_tokens(&text)?;
    let texts = vec![text.as_str(); (16_000 / tokens).max(1)];
    let mut best = 0.0_f64;
    for _ in 0..5 {
        let start = Instant::now();
        embedder.embed_documents(&texts)?;
        best = best.max((tokens * texts.len()) as f64 / start.elapsed().as_secs_f64());
    }
    let mut query_ms = f64::MAX;
    for _ in 0..50 {
        let start = Instant::now();
        embedder.embed_query(QUERY)?;
        query_ms = query_ms.min(start.elapsed().as_secs_f64() * 1000.0);
    }
    println!(
        "{precision}, {threads} threads, {tokens} tokens a text: {best:.0} tokens/s, a query {query_ms:.1} ms"
    );
    Ok(())
}
