//! What answering adds to searching, over a model without latency, and whether memory stays flat.
//!
//! `cargo run --release -p adit-answer --example ask_bench [QUESTIONS]` prints one JSON object.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement for people, which fails by panicking"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use adit_answer::{AnswerSettings, Answerer, AskRequest};
use adit_core::Filter;
use adit_retrieve::SearchRequest;
use adit_testkit::{IndexedCollection, ScriptedModel};

const DOCUMENTS: usize = 300;
const TIMED: usize = 200;

fn main() {
    let questions: usize = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(10_000);
    let texts: Vec<(String, String)> =
        (0..DOCUMENTS).map(|number| (format!("rules/{number}.md"), text(number))).collect();
    let documents: Vec<(&str, &str, &str)> =
        texts.iter().map(|(source, text)| (source.as_str(), "Rules", text.as_str())).collect();
    let collection = IndexedCollection::of(&documents);
    let (scope, filter, settings) =
        (IndexedCollection::reader(), Filter::default(), AnswerSettings::default());
    let answer: String = (0..8)
        .map(|number| {
            format!(
                "Department {number} receives {} days of leave [doc:{}]. ",
                number + 20,
                collection.passage_id(&format!("rules/{number}.md"), 0)
            )
        })
        .collect();
    let extractive = Answerer::new(collection.retriever.clone());
    let mut searching = Vec::new();
    let mut generating = Vec::new();
    let mut extracting = Vec::new();
    for number in 0..TIMED {
        let question = format!("How many days of leave does department {} receive?", number % DOCUMENTS);
        let search = SearchRequest::new(&question, &scope, &filter);
        let request = AskRequest::new(search, &settings);
        searching.push(timed(|| drop(collection.retriever.search(&search).unwrap())));
        generating.push(timed(|| drop(generative(&collection, &answer).ask(&request).unwrap())));
        extracting.push(timed(|| drop(extractive.ask(&request).unwrap())));
    }
    let warm_kib = resident_kib();
    for number in 0..questions {
        let question = format!("How many days of leave does department {} receive?", number % DOCUMENTS);
        let request = AskRequest::new(SearchRequest::new(&question, &scope, &filter), &settings);
        // A script remembers what it was asked, so each question gets a model of its own.
        let outcome = generative(&collection, &answer).ask(&request).unwrap();
        assert!(!outcome.response.passages.is_empty());
    }
    let result = serde_json::json!({
        "search_p50_ms": median_ms(&mut searching),
        "ask_p50_ms": median_ms(&mut generating),
        "ask_extractive_p50_ms": median_ms(&mut extracting),
        "questions": questions,
        "resident_kib_before": warm_kib,
        "resident_kib_after": resident_kib(),
    });
    println!("{result}");
}

fn generative(collection: &IndexedCollection, answer: &str) -> Answerer {
    let model = ScriptedModel::new().answer("Question:", answer);
    Answerer::new(collection.retriever.clone()).with_model(Some(Arc::new(model)))
}

fn text(number: usize) -> String {
    let sentence = format!("Department {number} receives {} days of leave. ", number % 30 + 20);
    let filler =
        "Requests go to the office, which answers within two weeks and keeps a record of each. ".repeat(15);
    format!("{sentence}{filler}\n\nRule R-{number} names the exceptions. {filler}")
}

fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

fn median_ms(times: &mut [Duration]) -> f64 {
    times.sort_unstable();
    times.get(times.len() / 2).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}

/// Resident memory of this process, from the kernel's `statm` in pages of 4 KiB; 0 where there is none.
fn resident_kib() -> u64 {
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap_or_default();
    statm.split(' ').nth(1).and_then(|pages| pages.parse::<u64>().ok()).map_or(0, |pages| pages * 4)
}
