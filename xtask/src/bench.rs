//! `cargo xtask bench [quality [SET ...]|indexing|search]`: the figures of docs/measurements. Each part prints a
//! Markdown table; the pages there say with which command and when they were made.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::{gate, step};

/// Sets measured at document level, in the order of the table.
const SETS: &[&str] = &[
    "scifact",
    "hotpotqa-200",
    "musique-train100",
    "claude-codebase-chunks",
    "claude-codebase-docs",
    "tau-banking-knowledge",
    "covid-qa-200423",
    "xquad-en",
    "xquad-de",
    "xquad-th",
    "xquad-zh",
    "jaquad-ja",
];

/// Sets on which float32 is measured beside int8.
const REFERENCE_SETS: &[&str] = &["scifact", "hotpotqa-200", "claude-codebase-chunks", "xquad-en"];

const KEYS: &[&str] =
    &["ndcg_at_10", "recall_at_5", "recall_at_25", "recall_at_50", "recall_at_100", "mrr_at_10"];

/// Warm searches from the shell.
const SEARCHES: usize = 20;

pub fn run(part: Option<&str>, sets: &[String]) -> Result<()> {
    match part {
        None => {
            quality(&[])?;
            indexing()?;
            search()
        }
        Some("quality") => quality(sets),
        Some("indexing") => indexing(),
        Some("search") => search(),
        Some(other) => bail!("there is no bench part `{other}`: expected quality, indexing or search"),
    }
}

fn data() -> Result<PathBuf> {
    step::shared_data().context("the labelled sets are missing (set ADIT_SHARED_DATA to their folder)")
}

/// All sets, or the ones that are named.
fn quality(named: &[String]) -> Result<()> {
    if let Some(unknown) = named.iter().find(|set| !SETS.contains(&set.as_str())) {
        bail!("there is no set `{unknown}`: expected one of {}", SETS.join(", "));
    }
    let (binary, data) = (step::release_binary()?, data()?);
    let kept = step::target_folder().join("bench/sets");
    step::remove_if_there(&kept)?;
    println!("| set | mode | precision | {} | queries/s | p50 ms | p99 ms |", KEYS.join(" | "));
    println!("|---|---|---|{}---|---|---|", "---|".repeat(KEYS.len()));
    for set in SETS.iter().filter(|set| named.is_empty() || named.iter().any(|name| name == *set)) {
        let folder = data.join("beir").join(set);
        for mode in ["lexical", "dense", "hybrid"] {
            let with_reference = REFERENCE_SETS.contains(set) && mode != "lexical";
            for precision in if with_reference { &["int8", "f32"][..] } else { &["int8"][..] } {
                let scores = gate::evaluate(&binary, &folder, mode, precision, &kept)?;
                let shown = if mode == "lexical" { "-" } else { precision };
                print!("| {set} | {mode} | {shown} |");
                for key in KEYS {
                    print!(" {:.4} |", scores[*key].as_f64().unwrap_or(f64::NAN));
                }
                for key in ["queries_per_second", "p50_ms", "p99_ms"] {
                    print!(" {:.1} |", scores[key].as_f64().unwrap_or(f64::NAN));
                }
                println!();
            }
        }
    }
    Ok(())
}

fn indexing() -> Result<()> {
    let (binary, data) = (step::release_binary()?, data()?);
    println!(
        "| collection | files | chunks | tokens | s | chunks/s | share of time in the model | peak MiB |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for collection in ["rust-book", "prometheus-docs", "python-peps"] {
        let home = step::target_folder().join("bench").join(collection);
        step::remove_if_there(&home)?;
        let mut command = Command::new(&binary);
        command
            .arg("--home")
            .arg(&home)
            .args(["--json", "index"])
            .arg(data.join("markdown").join(collection));
        // Exit code 1 is "done, with failures listed".
        let output = command.output()?;
        let report: Value = serde_json::from_slice(&output.stdout)
            .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
        let number = |key: &str| report[key].as_f64().unwrap_or(f64::NAN);
        let seconds = number("elapsed_ms") / 1000.0;
        println!(
            "| {collection} | {} | {} | {} | {seconds:.1} | {:.1} | {:.1}% | {:.0} |",
            number("files"),
            number("chunks"),
            number("embedded_tokens"),
            number("chunks") / seconds,
            100.0 * number("embedding_ms") / number("elapsed_ms"),
            number("peak_memory_bytes") / 1024.0 / 1024.0,
        );
    }
    Ok(())
}

/// Whole `adit search` processes over the example handbook, model loading included.
fn search() -> Result<()> {
    let binary = step::release_binary()?;
    let home = step::target_folder().join("bench/examples");
    step::remove_if_there(&home)?;
    let mut index = Command::new(&binary);
    index.arg("--home").arg(&home).arg("index").arg(step::root().join("examples"));
    index.output()?;
    println!("| warm search from the shell | min ms | median ms | max ms |");
    println!("|---|---|---|---|");
    for mode in ["hybrid", "dense", "lexical"] {
        let mut times_ms = Vec::with_capacity(SEARCHES);
        for _ in 0..=SEARCHES {
            times_ms.push(time_search(&binary, &home, mode)?);
        }
        // The first run pays for cold files.
        times_ms.remove(0);
        times_ms.sort_by(f64::total_cmp);
        println!(
            "| {mode} | {:.0} | {:.0} | {:.0} |",
            times_ms[0],
            times_ms[times_ms.len() / 2],
            times_ms[times_ms.len() - 1]
        );
    }
    Ok(())
}

fn time_search(binary: &Path, home: &Path, mode: &str) -> Result<f64> {
    let mut command = Command::new(binary);
    command.arg("--home").arg(home).args(["search", "--mode", mode, "what is error ERR_4021"]);
    let started = Instant::now();
    let output = command.output()?;
    if !output.status.success() {
        bail!("search failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(started.elapsed().as_secs_f64() * 1000.0)
}
