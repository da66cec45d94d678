//! Speed of a cross-encoder: `cargo run -p adit-model --example rerank_bench -- FOLDER int8 2 50 400`, with
//! precision, threads, passages and tokens of a passage.
#![allow(clippy::print_stdout, reason = "a command-line program")]

use std::error::Error;
use std::time::Instant;

use adit_core::Reranker;
use adit_model::{CrossEncoder, ModelStore, Precision};

const QUESTION: &str = "how many days of leave may be carried over into the next year";
const ROUNDS: usize = 7;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let argument =
        |at: usize, default: &str| arguments.get(at).cloned().unwrap_or_else(|| default.to_owned());
    let precision: Precision = argument(1, "int8").parse()?;
    let threads: usize = argument(2, "2").parse()?;
    let passages: usize = argument(3, "50").parse()?;
    let tokens: usize = argument(4, "400").parse()?;
    let folder = ModelStore::open(None)?.ensure_cross_encoder(&argument(0, "."), &mut |_| {})?;
    let encoder = CrossEncoder::load(&folder, precision, threads)?;
    // One token a word; lengths differ by a few, as those of chunks do.
    let texts: Vec<String> = (0..passages).map(|number| "water ".repeat(tokens - number % 8)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let mut elapsed_ms = Vec::with_capacity(ROUNDS);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        encoder.score(QUESTION, &texts)?;
        elapsed_ms.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    elapsed_ms.sort_by(f64::total_cmp);
    println!(
        "{precision}, {threads} threads, {passages} passages of {tokens} tokens, {ROUNDS} rounds, ms: {elapsed_ms:.0?}"
    );
    Ok(())
}
