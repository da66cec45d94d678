use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

use adit_core::{Filter, Scope, TenantId};
use adit_eval::{BeirSet, Latencies, Ranking, RetrievalScores, score_run, write_run};
use adit_ingest::{Settings, UnderstandSection};
use adit_lexical::Bm25Parameters;
use adit_retrieve::{RankedChunk, SearchRequest};
use serde::Serialize;

use super::eval_beir_learn::{LearnableQuestions, LearnedScores};
use crate::arguments::{EvalBeirArguments, ModeArgument};
use crate::beir_home::{BeirHome, open_beir_home, within_window};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};
use crate::reranking;

/// Candidates taken from each retriever, and the depth of the deepest recall that is reported.
const DEPTH: usize = 100;

/// What `eval beir --json` prints.
#[derive(Serialize)]
struct BeirResult {
    set: String,
    mode: String,
    chunk: String,
    precision: String,
    model: String,
    k1: f32,
    b: f32,
    documents: usize,
    chunks: usize,
    /// With `--chunk none`: documents of which only the beginning was embedded.
    documents_beyond_window: usize,
    /// With `--mode dense`: questions of which only the beginning was embedded.
    queries_beyond_window: usize,
    #[serde(flatten)]
    scores: RetrievalScores,
    #[serde(skip_serializing_if = "Option::is_none")]
    learned: Option<LearnedScores>,
}

pub(super) fn run(arguments: &EvalBeirArguments, output: Output) -> Result<Exit, Failure> {
    let set = BeirSet::open(&arguments.folder)?;
    let home = with_reranker(open_beir_home(&set, arguments)?, arguments)?;
    if let Some(file) = &arguments.calibrate {
        super::calibrate::on_judgments(&set, &home, arguments, file)?;
    }
    let rankings = rank_all(&set, &home, arguments)?;
    if let Some(file) = &arguments.run {
        write_run(file, &rankings.by_query, "adit")?;
    }
    let scores = score_run(&set.judgments, &rankings.by_query, &rankings.latencies);
    let learned =
        arguments.learn.map(|folds| rankings.learnable.compare(&home, &set.judgments, folds)).transpose()?;
    let result = BeirResult {
        set: set_name(&arguments.folder),
        mode: value_name(arguments.mode),
        chunk: value_name(arguments.chunk),
        precision: value_name(arguments.precision),
        model: arguments.model.clone(),
        k1: arguments.k1,
        b: arguments.b,
        documents: home.documents,
        chunks: home.chunks,
        documents_beyond_window: home.documents_beyond_window,
        queries_beyond_window: rankings.queries_beyond_window,
        scores,
        learned,
    };
    output.result(&result, describe)?;
    Ok(Exit::Done)
}

/// Without a deadline: a measurement waits.
fn with_reranker(mut home: BeirHome, arguments: &EvalBeirArguments) -> Result<BeirHome, Failure> {
    let mut settings = Settings::default();
    settings.rerank.model.clone_from(&arguments.rerank);
    settings.rerank.precision = value_name(arguments.precision);
    settings.rerank.deadline_ms = u64::from(u32::MAX);
    home.retriever = reranking::attach_reranker(home.retriever.clone(), &settings)?;
    Ok(home)
}

/// What a search of these arguments asks for.
pub(super) fn request<'a>(
    arguments: &EvalBeirArguments,
    text: &'a str,
    scope: &'a Scope,
    filter: &'a Filter,
) -> SearchRequest<'a> {
    SearchRequest {
        mode: arguments.mode.into(),
        depth: DEPTH,
        dense_weight: arguments.dense_weight,
        late_interaction_weight: arguments.late_interaction.weight(),
        fusion: arguments.fusion.into(),
        signals: arguments.signals,
        understanding: arguments.understanding.over(&UnderstandSection::default()),
        bm25: Bm25Parameters { k1: arguments.k1, b: arguments.b },
        ..SearchRequest::new(text, scope, filter)
    }
}

pub(super) fn set_name(folder: &Path) -> String {
    folder
        .file_name()
        .map_or_else(|| folder.display().to_string(), |name| name.to_string_lossy().into_owned())
}

fn value_name(value: impl clap::ValueEnum) -> String {
    value.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
}

struct Rankings {
    by_query: BTreeMap<String, Ranking>,
    latencies: Latencies,
    queries_beyond_window: usize,
    learnable: LearnableQuestions,
}

fn rank_all(set: &BeirSet, home: &BeirHome, arguments: &EvalBeirArguments) -> Result<Rankings, Failure> {
    let scope = Scope::new(TenantId::default_tenant(), []);
    let filter = Filter::default();
    let mut by_query = BTreeMap::new();
    let mut times = Vec::with_capacity(set.queries.len());
    let mut queries_beyond_window = 0;
    let mut learnable = LearnableQuestions::default();
    for query in &set.queries {
        let text = asked(&query.text, home, arguments.mode)?;
        queries_beyond_window += usize::from(text.len() < query.text.len());
        let request = request(arguments, text, &scope, &filter);
        let started = Instant::now();
        let ranked = home.retriever.rank(&request)?;
        times.push(started.elapsed());
        for notice in &ranked.notices {
            note(&format!("query {}: {notice}", query.id));
        }
        let places = ranked.chunks.iter().map(|chunk| (chunk.document.clone(), f64::from(chunk.score)));
        let places = places.collect::<Vec<_>>();
        let documents = adit_eval::best_chunk_per_document(&places, |id| home.set_ids.get(id).cloned());
        if arguments.learn.is_some() {
            let judged = set.judgments.get(&query.id);
            let grade = |chunk: &RankedChunk| {
                home.set_ids.get(&chunk.document).and_then(|id| judged?.get(id)).copied().unwrap_or(0)
            };
            learnable.add(&query.id, &home.retriever, &request, grade)?;
        }
        by_query.insert(query.id.clone(), Ranking::new(documents));
    }
    Ok(Rankings { by_query, latencies: Latencies::new(&times), queries_beyond_window, learnable })
}

/// The question; for the dense side alone only what the model can read of it, as published figures are made.
/// Users get an error, or a search by words, instead.
fn asked<'a>(text: &'a str, home: &BeirHome, mode: ModeArgument) -> Result<&'a str, Failure> {
    match (mode, home.retriever.embedder()) {
        (ModeArgument::Dense, Some(embedder)) => within_window(text, embedder.tokenizer()),
        _ => Ok(text),
    }
}

fn describe(result: &BeirResult) -> String {
    let scores = &result.scores;
    let learned = result.learned.as_ref().map(LearnedScores::describe).unwrap_or_default();
    format!(
        "{} ({}, chunk {}, {}, k1 {}, b {}): {} queries over {} documents in {} chunks\n\
         nDCG@10 {:.4}   recall@5 {:.4}  @25 {:.4}  @50 {:.4}  @100 {:.4}   MRR@10 {:.4}\n\
         {:.0} queries/s, p50 {:.1} ms, p99 {:.1} ms\n{}{learned}",
        result.set,
        result.mode,
        result.chunk,
        result.precision,
        result.k1,
        result.b,
        scores.queries,
        result.documents,
        result.chunks,
        scores.ndcg_at_10,
        scores.recall_at_5,
        scores.recall_at_25,
        scores.recall_at_50,
        scores.recall_at_100,
        scores.mrr_at_10,
        scores.queries_per_second,
        scores.p50_ms,
        scores.p99_ms,
        beyond_window(result)
    )
}

fn beyond_window(result: &BeirResult) -> String {
    let said = |count: usize, what: &str| match count {
        0 => String::new(),
        count => format!("of {count} {what} only the model's window was embedded\n"),
    };
    said(result.documents_beyond_window, "documents") + &said(result.queries_beyond_window, "questions")
}
