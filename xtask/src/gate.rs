//! `cargo xtask gate`: retrieval scores that were reached once and must not fall.

use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::step;

/// One score that holds: measured when it was reached, with what noise may take from it.
struct Floor {
    set: &'static str,
    mode: &'static str,
    key: &'static str,
    reached: f64,
    tolerance: f64,
}

/// Raise a figure when a change improves it; never lower one to make a change pass.
const FLOORS: &[Floor] = &[
    floor("xquad-en", "hybrid", "ndcg_at_10", 0.9708),
    floor("xquad-en", "hybrid", "recall_at_5", 0.9933),
    floor("claude-codebase-chunks", "hybrid", "ndcg_at_10", 0.6866),
    floor("claude-codebase-chunks", "hybrid", "recall_at_100", 0.9583),
    floor("claude-codebase-chunks", "lexical", "ndcg_at_10", 0.6117),
    floor("claude-codebase-chunks", "dense", "ndcg_at_10", 0.5824),
];

/// Attention is computed in floats, which differ a little between processors.
const TOLERANCE: f64 = 0.003;

const fn floor(set: &'static str, mode: &'static str, key: &'static str, reached: f64) -> Floor {
    Floor { set, mode, key, reached, tolerance: TOLERANCE }
}

pub fn run() -> Result<()> {
    let Some(data) = step::shared_data() else {
        eprintln!(
            "skipped: the retrieval gate needs the labelled sets (set ADIT_SHARED_DATA to their folder)"
        );
        return Ok(());
    };
    let binary = step::test_binary()?;
    let mut fallen = Vec::new();
    let mut sets: Vec<(&str, &str)> = FLOORS.iter().map(|floor| (floor.set, floor.mode)).collect();
    sets.dedup();
    let kept = step::target_folder().join("gate");
    step::remove_if_there(&kept)?;
    eprintln!("{:<24} {:<8} {:<14} {:>8} {:>8}", "set", "mode", "score", "reached", "now");
    for (set, mode) in sets {
        let scores = evaluate(&binary, &data.join("beir").join(set), mode, "int8", &kept)?;
        for floor in FLOORS.iter().filter(|floor| floor.set == set && floor.mode == mode) {
            let now = scores[floor.key].as_f64().context("the score is missing")?;
            eprintln!("{set:<24} {mode:<8} {:<14} {:>8.4} {now:>8.4}", floor.key, floor.reached);
            if now < floor.reached - floor.tolerance {
                fallen.push(format!("{set} {mode} {}: {now:.4} is below {:.4}", floor.key, floor.reached));
            }
        }
    }
    if !fallen.is_empty() {
        bail!("retrieval scores fell:\n  {}", fallen.join("\n  "));
    }
    Ok(())
}

/// Scores of one set at document level, as `adit eval beir --json` prints them. The index is kept
/// under `kept`, so that a set is embedded once for all modes.
pub fn evaluate(binary: &Path, folder: &Path, mode: &str, precision: &str, kept: &Path) -> Result<Value> {
    let set = folder.file_name().unwrap_or_default().to_string_lossy();
    let mut command = Command::new(binary);
    command.arg("--json").args(["eval", "beir"]).arg(folder);
    command.args(["--mode", mode, "--chunk", "none", "--precision", precision]);
    command.arg("--keep").arg(kept.join(format!("{set}-{precision}")));
    serde_json::from_str(&step::capture(&mut command)?).context("adit did not print JSON")
}
