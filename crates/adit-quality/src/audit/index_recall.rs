use std::collections::HashSet;

use adit_core::{ChunkId, DenseSearch, Filter, IndexSnapshot, Scope};
use serde::{Deserialize, Serialize};

use super::Subject;
use crate::QualityError;
use crate::stored_vector::stored_vector;

/// Neighbours that are compared.
const NEIGHBOURS: usize = 10;
/// Candidates that a search takes from the dense side.
const DEPTH: usize = 100;
/// The largest `ef` that is tried.
const LARGEST_EF: usize = 2_048;

/// How much of the exact answer the approximate search gives.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct IndexRecall {
    /// Share of the 10 true nearest chunks among the first 10, as searches run.
    pub recall_at_10: f64,
    /// Stored vectors that were searched for; each one's own chunk is left out.
    pub queries: usize,
    /// The same over questions from the search log; `None` when none was logged, or without a model.
    pub logged: Option<LoggedRecall>,
    /// `ef` in use; `None` where it was not tuned because there is no graph.
    pub ef: Option<usize>,
    /// The smallest `ef` that reaches the target when only 10 results are asked for; `None` when 2,048 does
    /// not.
    pub ef_for_target: Option<usize>,
}

/// Index recall over questions that were asked.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct LoggedRecall {
    /// Share of the 10 true nearest chunks among the first 10.
    pub recall_at_10: f64,
    /// Different questions.
    pub queries: usize,
}

/// One query with its true neighbours.
struct Probe<'a> {
    reader: &'a Scope,
    filter: &'a Filter,
    /// The chunk whose vector is asked, which does not count as its own neighbour.
    chunk: Option<ChunkId>,
    vector: Vec<f32>,
    nearest: HashSet<ChunkId>,
}

pub(super) fn measure(subject: &Subject<'_>) -> Result<Option<IndexRecall>, QualityError> {
    let no_filter = Filter::default();
    let mut probes = Vec::new();
    for (reader, chunk) in subject.sample(subject.settings.recall_queries) {
        if let Some(vector) = stored_vector(subject.view, chunk)? {
            probes.extend(probe(subject, reader, &no_filter, Some(chunk), vector)?);
        }
    }
    if probes.is_empty() {
        return Ok(None);
    }
    Ok(Some(IndexRecall {
        recall_at_10: recall(subject, &probes, DEPTH, None)?,
        queries: probes.len(),
        logged: measure_logged(subject)?,
        ef: subject.retriever.index().statistics().tuned_ef,
        ef_for_target: smallest_ef(subject, &probes)?,
    }))
}

/// The newest different questions first.
fn measure_logged(subject: &Subject<'_>) -> Result<Option<LoggedRecall>, QualityError> {
    let Some(embedder) = subject.retriever.embedder() else { return Ok(None) };
    let mut seen = HashSet::new();
    let mut probes = Vec::new();
    for question in subject.logged.iter().rev() {
        if probes.len() >= subject.settings.recall_queries {
            break;
        }
        if !seen.insert(question.query.as_str()) {
            continue;
        }
        // A question longer than the model's window was searched by words.
        let Ok(vector) = embedder.embed_query(&question.query) else { continue };
        probes.extend(probe(subject, &question.scope, &question.filter, None, vector)?);
    }
    if probes.is_empty() {
        return Ok(None);
    }
    let recall_at_10 = recall(subject, &probes, DEPTH, None)?;
    Ok(Some(LoggedRecall { recall_at_10, queries: probes.len() }))
}

/// A query with its true neighbours; `None` when it has none.
fn probe<'a>(
    subject: &Subject<'_>,
    reader: &'a Scope,
    filter: &'a Filter,
    chunk: Option<ChunkId>,
    vector: Vec<f32>,
) -> Result<Option<Probe<'a>>, QualityError> {
    let search = search(subject, reader, filter, &vector, NEIGHBOURS + 1, None);
    let hits = subject.snapshot.search_dense_exact(search)?;
    let others = hits.iter().map(|hit| hit.chunk).filter(|other| Some(*other) != chunk);
    let nearest: HashSet<ChunkId> = others.take(NEIGHBOURS).collect();
    Ok((!nearest.is_empty()).then_some(Probe { reader, filter, chunk, vector, nearest }))
}

fn search<'a>(
    subject: &'a Subject<'_>,
    scope: &'a Scope,
    filter: &'a Filter,
    vector: &'a [f32],
    limit: usize,
    ef_search: Option<usize>,
) -> DenseSearch<'a> {
    DenseSearch { scope, filter, vector, fingerprint: subject.snapshot.fingerprint(), limit, ef_search }
}

fn recall(
    subject: &Subject<'_>,
    probes: &[Probe<'_>],
    limit: usize,
    ef: Option<usize>,
) -> Result<f64, QualityError> {
    let (mut found, mut wanted) = (0_usize, 0_usize);
    for probe in probes {
        let limit = limit.max(NEIGHBOURS + 1);
        let search = search(subject, probe.reader, probe.filter, &probe.vector, limit, ef);
        let hits = subject.snapshot.search_dense_with_plan(search)?.hits;
        let others = hits.iter().map(|hit| hit.chunk).filter(|chunk| Some(*chunk) != probe.chunk);
        found += others.take(NEIGHBOURS).filter(|chunk| probe.nearest.contains(chunk)).count();
        wanted += probe.nearest.len();
    }
    Ok(if wanted == 0 { 1.0 } else { found as f64 / wanted as f64 })
}

/// Recall rises with `ef`, so halving finds the smallest.
fn smallest_ef(subject: &Subject<'_>, probes: &[Probe<'_>]) -> Result<Option<usize>, QualityError> {
    let reaches = |ef: usize| -> Result<bool, QualityError> {
        Ok(recall(subject, probes, NEIGHBOURS + 1, Some(ef))? >= subject.settings.recall_target)
    };
    if !reaches(LARGEST_EF)? {
        return Ok(None);
    }
    let (mut below, mut enough) = (0, LARGEST_EF);
    while enough - below > 1 {
        let middle = below + (enough - below) / 2;
        if reaches(middle)? {
            enough = middle;
        } else {
            below = middle;
        }
    }
    Ok(Some(enough))
}
