//! A run over SciFact against ir-measures, where the labelled sets are at hand (`ADIT_SHARED_DATA`, or
//! `shared/data` beside the clone). `reference/make_scifact.py` made the numbers and says what the run is.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test fails by panicking and says what it skips"
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use adit_eval::{BeirSet, RankedDocument, Ranking, per_query, read_run, write_run};

fn scifact() -> Option<PathBuf> {
    let named = std::env::var_os("ADIT_SHARED_DATA").map(PathBuf::from);
    let beside = || Some(Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?.join("shared/data"));
    let folder = named.or_else(beside)?.join("beir/scifact");
    folder.is_dir().then_some(folder)
}

fn words(text: &str) -> BTreeSet<String> {
    let text = text.to_lowercase();
    let is_between = |letter: char| !letter.is_ascii_alphanumeric();
    text.split(is_between).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

/// Documents by the number of the query's words that they hold, the best 1000.
fn ranking(query: &BTreeSet<String>, documents: &[(String, BTreeSet<String>)]) -> Ranking {
    let place = |(document, held): &(String, BTreeSet<String>)| RankedDocument {
        document: document.clone(),
        score: query.intersection(held).count() as f64 / 3.0,
    };
    let all = Ranking::new(documents.iter().map(place).collect());
    Ranking::new(all.places().iter().take(1000).cloned().collect())
}

#[test]
fn a_run_over_scifact_has_the_figures_of_ir_measures() {
    let Some(folder) = scifact() else {
        eprintln!("skipped: SciFact is not here; set ADIT_SHARED_DATA to the folder that holds beir/scifact");
        return;
    };
    let set = BeirSet::open(&folder).unwrap();
    let mut documents = Vec::new();
    set.for_each_document(&mut |document| {
        documents.push((document.id, words(&format!("{} {}", document.title, document.text))));
    })
    .unwrap();
    let queries: BTreeMap<&str, _> =
        set.queries.iter().map(|query| (query.id.as_str(), words(&query.text))).collect();
    let kept = queries.iter().enumerate().filter(|(number, _)| number % 7 != 6);
    let run = kept.map(|(_, (id, query))| ((*id).to_owned(), ranking(query, &documents))).collect();
    let work = tempfile::tempdir().unwrap();
    let path = work.path().join("run.trec");
    write_run(&path, &run, "words").unwrap();
    let run = read_run(&path).unwrap();
    let reference = include_str!("reference/scifact.json");
    for (name, expected) in serde_json::from_str::<BTreeMap<String, f64>>(reference).unwrap() {
        let values = per_query(name.parse().unwrap(), &set.judgments, &run);
        let mean = values.values().sum::<f64>() / values.len() as f64;
        assert!((mean - expected).abs() < 1e-9, "{name}: {mean}, ir-measures says {expected}");
    }
}
