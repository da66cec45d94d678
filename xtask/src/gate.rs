//! `cargo xtask gate`: retrieval scores that were reached once and must not fall.

use std::path::{Path, PathBuf};
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
    floor("xquad-en", "hybrid", "ndcg_at_10", 0.9843),
    floor("xquad-en", "hybrid", "recall_at_5", 0.9966),
    floor("xquad-th", "hybrid", "ndcg_at_10", 0.9665),
    floor("claude-codebase-chunks", "hybrid", "ndcg_at_10", 0.7170),
    floor("claude-codebase-chunks", "hybrid", "recall_at_100", 0.9550),
    floor("claude-codebase-chunks", "lexical", "ndcg_at_10", 0.6117),
    floor("claude-codebase-chunks", "dense", "ndcg_at_10", 0.5824),
    floor("scifact", "hybrid", "ndcg_at_10", 0.7415),
    floor("scifact", "hybrid", "recall_at_100", 0.9583),
    floor("scifact", "lexical", "ndcg_at_10", 0.6841),
    floor("scifact", "dense", "ndcg_at_10", 0.6483),
];

/// Attention is computed in floats, which differ a little between processors.
const TOLERANCE: f64 = 0.003;

const fn floor(set: &'static str, mode: &'static str, key: &'static str, reached: f64) -> Floor {
    Floor { set, mode, key, reached, tolerance: TOLERANCE }
}

pub fn run() -> Result<()> {
    let binary = step::test_binary()?;
    let kept = step::target_folder().join("gate");
    step::remove_if_there(&kept)?;
    let root = step::root();
    let golden = root.join("golden/examples.jsonl");
    let examples =
        GoldenGate { name: "examples", documents: root.join("examples"), golden: Golden::File(golden) };
    examples.run(&binary, &kept)?;
    let Some(data) = step::shared_data() else {
        eprintln!(
            "skipped: the retrieval gate needs the labelled sets (set ADIT_SHARED_DATA to their folder)"
        );
        return Ok(());
    };
    let chunk_eval = data.join("chunk-eval");
    let documents = chunk_eval.join("corpora");
    GoldenGate { name: "chunk-eval", documents, golden: Golden::ChunkEval(chunk_eval) }
        .run(&binary, &kept)?;
    let mut fallen = Vec::new();
    let mut sets: Vec<(&str, &str)> = FLOORS.iter().map(|floor| (floor.set, floor.mode)).collect();
    sets.dedup();
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

/// Where a golden set comes from.
enum Golden {
    File(PathBuf),
    /// A folder in chunk-eval's layout, imported first.
    ChunkEval(PathBuf),
}

/// A golden set whose gate is `golden/NAME.gate.toml`, checked by `adit eval --gate` as a user would.
struct GoldenGate {
    name: &'static str,
    documents: PathBuf,
    golden: Golden,
}

impl GoldenGate {
    fn run(&self, binary: &Path, kept: &Path) -> Result<()> {
        let home = kept.join(self.name);
        std::fs::create_dir_all(&home)?;
        let rules = step::root().join(format!("golden/{}.gate.toml", self.name));
        std::fs::copy(&rules, home.join("adit.toml")).with_context(|| rules.display().to_string())?;
        let adit = || {
            let mut command = Command::new(binary);
            command.arg("--home").arg(&home);
            command
        };
        step::capture(adit().arg("index").arg(&self.documents))?;
        let mut eval = adit();
        eval.args(["eval", "--gate"]);
        match &self.golden {
            Golden::File(file) => {
                eval.arg("--golden").arg(file);
            }
            Golden::ChunkEval(folder) => {
                step::capture(adit().args(["golden", "import", "chunk-eval"]).arg(folder))?;
            }
        }
        step::run(&format!("gate of {}", self.name), &mut eval)
    }
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
