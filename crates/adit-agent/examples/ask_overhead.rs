//! What `ask` and the loop add to a search, over a scripted model without latency, and whether memory stays flat.
//!
//! `cargo run --release -p adit-agent --example ask_overhead [QUESTIONS]` prints one line a thousand questions.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a measuring program prints, and ends where it cannot measure"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use adit_agent::{Agent, AgentRequest, AgentSettings, Policy};
use adit_answer::{AnswerSettings, Answerer, AskRequest};
use adit_core::{
    Completion, CompletionRequest, Filter, LanguageModel, LanguageModelDescription, LanguageModelError,
    StopReason, ToolCall,
};
use adit_retrieve::SearchRequest;
use adit_testkit::IndexedCollection;
use serde_json::json;

const DOCUMENTS: usize = 300;

/// Searches once where it may, then answers with the first passage that it was given. It keeps nothing, unlike a
/// scripted model, whose memory of requests would be measured too.
struct WithoutLatency {
    description: LanguageModelDescription,
}

impl LanguageModel for WithoutLatency {
    fn description(&self) -> &LanguageModelDescription {
        &self.description
    }

    fn complete(&self, request: &CompletionRequest) -> Result<Completion, LanguageModelError> {
        let text = request.user_text();
        if !request.tools.is_empty() && request.messages.len() == 1 {
            let query = text.rsplit("Question: ").next().unwrap_or_default();
            let call = ToolCall {
                id: "1".to_owned(),
                name: "search_docs".to_owned(),
                arguments: json!({ "query": query }),
            };
            let stop = StopReason::ToolCalls;
            return Ok(Completion { tool_calls: vec![call], stop, ..Completion::default() });
        }
        let id = text.split("id=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or("doc:none#0");
        let answer = format!("The kiln is glazed with celadon in its hall [{id}].");
        Ok(Completion { text: answer, ..Completion::default() })
    }
}

fn collection() -> IndexedCollection {
    let documents: Vec<(String, String)> = (0..DOCUMENTS)
        .map(|number| {
            let paragraphs: Vec<String> = (0..8)
                .map(|part| {
                    format!("The kiln of hall {number} part {part} is glazed with celadon and fired slowly.")
                })
                .collect();
            (format!("kiln-{number}.md"), paragraphs.join("\n\n"))
        })
        .collect();
    let borrowed: Vec<(&str, &str, &str)> =
        documents.iter().map(|(source, text)| (source.as_str(), "Kilns", text.as_str())).collect();
    IndexedCollection::of(&borrowed)
}

/// Resident memory in MiB; none where the system does not tell.
fn resident_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"))?;
    line.split_whitespace().nth(1)?.parse::<f64>().ok().map(|kib| kib / 1024.0)
}

fn main() {
    let questions: usize = std::env::args().nth(1).and_then(|count| count.parse().ok()).unwrap_or(10_000);
    let collection = collection();
    let model: Arc<dyn LanguageModel> =
        Arc::new(WithoutLatency { description: LanguageModelDescription::default() });
    let answerer = Answerer::new(collection.retriever.clone()).with_model(Some(Arc::clone(&model)));
    let agent = Agent::new(answerer.clone(), model);
    let (scope, filter) = (IndexedCollection::reader(), Filter::default());
    let (answers, settings) = (AnswerSettings::default(), AgentSettings::default());
    let mut spent = [Duration::ZERO; 3];
    let block = questions.clamp(1, 1_000);
    for number in 1..=questions {
        let question = format!("What is the kiln of hall {} glazed with?", number % DOCUMENTS);
        let search = SearchRequest::new(&question, &scope, &filter);
        let ask = AskRequest::new(search, &answers);
        let started = Instant::now();
        collection.retriever.search(&search).unwrap();
        spent[0] += started.elapsed();
        let started = Instant::now();
        answerer.ask(&ask).unwrap();
        spent[1] += started.elapsed();
        let started = Instant::now();
        agent.ask(&AgentRequest { ask, settings: &settings, policy: Policy::Loop }).unwrap();
        spent[2] += started.elapsed();
        if number % block == 0 {
            let mean_ms = |at: usize| spent[at].as_secs_f64() * 1e3 / block as f64;
            println!(
                "{number} questions: search {:.2} ms, ask {:.2} ms, loop of one search {:.2} ms, {:.1} MiB resident",
                mean_ms(0),
                mean_ms(1),
                mean_ms(2),
                resident_mib().unwrap_or(f64::NAN)
            );
            spent = [Duration::ZERO; 3];
        }
    }
}
