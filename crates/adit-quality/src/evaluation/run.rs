use std::collections::BTreeMap;
use std::time::Instant;

use adit_core::IndexSnapshot;
use adit_eval::{GoldenItem, GoldenSet};
use adit_retrieve::{Fusion, Mode, RerankConfiguration, Retriever, SearchRequest};
use serde::{Deserialize, Serialize};

use super::gold::Collection;
use super::score::score;
use crate::QualityError;

/// Candidates that are looked through for the gold.
pub(super) const RANKED: usize = 100;

/// What decides the figures of a run, beside the documents.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Configuration {
    /// Which retrievers were asked.
    pub mode: Mode,
    /// How their lists were joined.
    #[serde(default = "reciprocal_rank")]
    pub fusion: Fusion,
    /// What meaning counted, where a call named it.
    #[serde(default)]
    pub dense_weight: Option<f32>,
    /// What multiplied scores after fusion.
    #[serde(default = "no_signals")]
    pub signals: String,
    /// Candidates taken from each.
    pub depth: usize,
    /// BM25's k1.
    pub k1: f32,
    /// BM25's b.
    pub b: f32,
    /// Candidates the vector graph keeps, where a call named them.
    pub ef_search: Option<usize>,
    /// Reranker, calibration and cut-off, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rerank: Option<RerankConfiguration>,
    /// Embedder, chunker, enrichment and analyser of the index, in words.
    pub fingerprint: String,
    /// The last change that the snapshot contains.
    pub sequence: u64,
}

/// Runs saved before there were any.
fn no_signals() -> String {
    "none".to_owned()
}

/// Runs saved before there was a choice.
fn reciprocal_rank() -> Fusion {
    Fusion::ReciprocalRank
}

/// One golden set run through the engine.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EvaluationRun {
    /// When, RFC 3339 in UTC.
    pub created: String,
    /// The golden set's file, as it was named.
    pub golden: String,
    /// What it was run with.
    pub configuration: Configuration,
    /// One for each question, in the set's order.
    pub items: Vec<ItemResult>,
    /// All questions together, in milliseconds.
    pub elapsed_ms: u64,
}

/// What became of one question.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ItemResult {
    /// Its id in the golden set.
    pub id: String,
    /// The question.
    pub question: String,
    /// Whether the documents answer it.
    pub answerable: bool,
    /// Values by segment name: `category`, `source`, `question_length`, `language`.
    pub segments: BTreeMap<String, String>,
    /// Values by metric name, 0 to 1; empty for a question that the documents do not answer.
    pub metrics: BTreeMap<String, f64>,
    /// Rank of the first chunk that reveals a gold span, from 1; `None` when none of 100 does.
    pub first_rank: Option<usize>,
    /// Whether the search itself said that its evidence is weak.
    pub weak_evidence: bool,
    /// Why gold spans could not be placed in the collection; they count as not found.
    pub unplaced: Vec<String>,
    /// The whole search, in microseconds.
    pub elapsed_us: u64,
}

/// Asks every question of `golden` as `template` says, whose own question is ignored, and reads the traces.
///
/// # Errors
/// [`QualityError::Nothing`] for an empty set or collection; a failing search.
pub fn evaluate(
    retriever: &Retriever,
    golden: &GoldenSet,
    golden_name: &str,
    template: &SearchRequest<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<EvaluationRun, QualityError> {
    if golden.items.is_empty() {
        return Err(QualityError::Nothing { what: format!("{golden_name} has no question") });
    }
    let view = retriever.catalog().view()?;
    let mut collection = Collection::open(&view, template.scope)?;
    if collection.is_empty() {
        return Err(QualityError::Nothing {
            what: "the collection has no document in this scope".to_owned(),
        });
    }
    let configuration = configuration(retriever, template);
    let started = Instant::now();
    let mut items = Vec::with_capacity(golden.items.len());
    for (index, item) in golden.items.iter().enumerate() {
        items.push(evaluate_item(retriever, &mut collection, item, template)?);
        progress(index + 1, golden.items.len());
    }
    Ok(EvaluationRun {
        created: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
        golden: golden_name.to_owned(),
        configuration,
        items,
        elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
    })
}

pub(super) fn configuration(retriever: &Retriever, template: &SearchRequest<'_>) -> Configuration {
    let snapshot = retriever.index().snapshot();
    Configuration {
        mode: template.mode,
        fusion: template.fusion,
        dense_weight: template.dense_weight,
        signals: retriever.signals().selection(template).to_string(),
        depth: template.depth,
        k1: template.bm25.k1,
        b: template.bm25.b,
        ef_search: template.ef_search,
        rerank: retriever.rerank_configuration(),
        fingerprint: snapshot.fingerprint().to_string(),
        sequence: snapshot.sequence().0,
    }
}

fn evaluate_item(
    retriever: &Retriever,
    collection: &mut Collection<'_>,
    item: &GoldenItem,
    template: &SearchRequest<'_>,
) -> Result<ItemResult, QualityError> {
    let request = SearchRequest { query: &item.question, ..*template };
    let started = Instant::now();
    let response = retriever.search(&request)?;
    let elapsed_us = u64::try_from(started.elapsed().as_micros()).unwrap_or(u64::MAX);
    let (placed, unplaced) = collection.place(item)?;
    let mut retrieved = Vec::new();
    for candidate in response.trace.candidates.iter().take(RANKED) {
        retrieved.extend(collection.retrieved(candidate.chunk)?);
    }
    let scored =
        if item.answerable { score(&placed, unplaced.len(), &retrieved) } else { Default::default() };
    Ok(ItemResult {
        id: item.id.clone(),
        question: item.question.clone(),
        answerable: item.answerable,
        segments: segments_of(collection, item),
        metrics: scored.metrics,
        first_rank: scored.first_rank,
        weak_evidence: response.passages.is_empty() || response.evidence.is_weak(),
        unplaced: unplaced.into_iter().map(|lost| format!("{}: {}", lost.source, lost.reason)).collect(),
        elapsed_us,
    })
}

pub(super) fn segments_of(collection: &Collection<'_>, item: &GoldenItem) -> BTreeMap<String, String> {
    let mut segments = BTreeMap::new();
    let mut add = |key: &str, value: String| segments.insert(key.to_owned(), value);
    if let Some(category) = &item.category {
        add("category", category.clone());
    }
    add("question_length", length_of(&item.question).to_owned());
    if let Some(record) = item.spans.first().and_then(|span| collection.document(&span.source).ok()) {
        add("language", record.language.clone());
        add("source", folder_of(&record.source).to_owned());
    }
    segments
}

/// By words; scripts without spaces count as one word for three characters.
fn length_of(question: &str) -> &'static str {
    let unspaced = question.chars().filter(|character| is_unspaced(*character)).count();
    match question.split_whitespace().count() + unspaced / 3 {
        0..=5 => "short (up to 5 words)",
        6..=12 => "medium (6 to 12 words)",
        _ => "long (more than 12 words)",
    }
}

fn is_unspaced(character: char) -> bool {
    matches!(character, '\u{0E00}'..='\u{0EFF}' | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}')
}

/// The folder a document lies in, or the document where it lies in none.
fn folder_of(source: &str) -> &str {
    source.rsplit_once('/').map_or(source, |(folder, _)| folder)
}
