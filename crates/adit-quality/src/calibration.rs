//! Probabilities of relevance fitted to labelled questions, as the running engine ranks them.

use std::collections::BTreeSet;

use adit_core::{Calibration, ChunkId, ScoreSource};
use adit_eval::GoldenSet;
use adit_eval::calibration::{CalibrationFile, LabelledScore, choose_calibration};
use adit_retrieve::{Retriever, SearchRequest};
use serde::Serialize;

use crate::QualityError;
use crate::evaluation::{Collection, reveals_any};

/// A calibration, and the questions it could not use.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CalibrationRun {
    /// To be kept.
    pub file: CalibrationFile,
    /// Questions whose answer is nowhere in the collection: their labels would be wrong.
    pub unplaced_questions: usize,
    /// Questions whose candidates the reranker did not score, with what it said.
    pub unscored_questions: BTreeSet<String>,
}

/// Whether a candidate of a question is relevant; `None` leaves the question out.
pub type LabelOfChunk<'a> = dyn FnMut(usize, ChunkId) -> Result<Option<bool>, QualityError> + 'a;

/// Fits a calibration to the reranker's scores, or without one to the fused scores, of the first `top_n`
/// candidates of every question of `golden`. A chunk that holds half of a gold span is relevant; every other
/// candidate is not, and neither is any for a question that the documents do not answer.
///
/// # Errors
/// A failing search; [`adit_eval::EvalError`] where labels are too few or scores say nothing.
pub fn calibrate_on_golden(
    retriever: &Retriever,
    golden: &GoldenSet,
    golden_name: &str,
    template: &SearchRequest<'_>,
    top_n: usize,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<CalibrationRun, QualityError> {
    let view = retriever.catalog().view()?;
    let mut collection = Collection::open(&view, template.scope)?;
    let mut gold = Vec::with_capacity(golden.items.len());
    for item in &golden.items {
        let (placed, unplaced) = collection.place(item)?;
        gold.push((!item.answerable || unplaced.is_empty()).then_some(placed));
    }
    let unplaced_questions = gold.iter().filter(|one| one.is_none()).count();
    let questions: Vec<&str> = golden.items.iter().map(|item| item.question.as_str()).collect();
    let mut label = |question: usize, chunk: ChunkId| {
        let Some(Some(spans)) = gold.get(question) else { return Ok(None) };
        let retrieved = collection.retrieved(chunk)?;
        Ok(retrieved.map(|retrieved| reveals_any(&retrieved, spans)))
    };
    let run = calibrate(retriever, &questions, golden_name, template, top_n, &mut label, progress)?;
    Ok(CalibrationRun { unplaced_questions, ..run })
}

/// As [`calibrate_on_golden`], with labels of the caller's.
///
/// # Errors
/// As [`calibrate_on_golden`].
pub fn calibrate(
    retriever: &Retriever,
    questions: &[&str],
    data_name: &str,
    template: &SearchRequest<'_>,
    top_n: usize,
    label: &mut LabelOfChunk<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<CalibrationRun, QualityError> {
    let reranker = retriever.rerank_configuration().and_then(|configuration| configuration.reranker);
    let Some(first) = questions.iter().find(|question| !question.trim().is_empty()) else {
        return Err(QualityError::Nothing { what: format!("{data_name} has no question") });
    };
    let source = match &reranker {
        Some(reranker) => ScoreSource::Reranker(reranker.clone()),
        None => retriever.fused_score_source(&SearchRequest { query: first, ..*template })?,
    };
    let mut scores = Vec::new();
    let mut unscored_questions = BTreeSet::new();
    for (index, question) in questions.iter().enumerate() {
        let request = SearchRequest { query: question, ..*template };
        let response = retriever.search(&request)?;
        let mut is_scored = false;
        for candidate in response.trace.candidates.iter().take(top_n) {
            let rank = if reranker.is_some() { candidate.reranked } else { candidate.fused };
            let Some(rank) = rank else { continue };
            is_scored = true;
            let Some(is_relevant) = label(index, candidate.chunk)? else { continue };
            scores.push(LabelledScore { question: index, score: f64::from(rank.score), is_relevant });
        }
        if !is_scored && !response.trace.candidates.is_empty() {
            unscored_questions.insert(format!("{question}: {}", response.notices.join("; ")));
        }
        progress(index + 1, questions.len());
    }
    let evidence = choose_calibration(&scores)?;
    let calibration = Calibration {
        source,
        curve: evidence.curve.clone(),
        fitted_on: data_name.to_owned(),
        pairs: evidence.pairs,
        relevant: evidence.relevant,
        created: jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    };
    let file = CalibrationFile::new(calibration, evidence);
    Ok(CalibrationRun { file, unplaced_questions: 0, unscored_questions })
}
