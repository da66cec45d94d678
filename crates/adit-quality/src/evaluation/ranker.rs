//! A ranker trained on a golden set, and whether it may be used.

use adit_core::{ChunkId, IndexSnapshot};
use adit_eval::{GoldenItem, GoldenSet};
use adit_learn::{JudgedRows, Ranker, TrainingSettings, cross_validated_scores, train};
use adit_retrieve::{FEATURE_NAMES, Retriever, SearchRequest};
use serde::Serialize;

use super::gold::{Collection, PlacedSpan, RetrievedSpan};
use super::run::{EvaluationRun, ItemResult, configuration, segments_of};
use super::score::{reveals, score};
use super::{Comparison, compare};
use crate::QualityError;

/// Of the metrics, the one that decides.
const DECIDING: &str = "ndcg@10";
/// Two-sided p-value from which on a gain counts as chance.
const SIGNIFICANT: f64 = 0.05;
/// Segments with fewer questions decide nothing.
const LEAST_SEGMENT_QUESTIONS: usize = 5;

/// What training came to.
#[derive(Debug, Serialize)]
pub struct RankerTraining {
    /// Answerable questions with a candidate that answers them: what there was to learn from.
    pub questions: usize,
    /// Folds of the cross-validation.
    pub folds: usize,
    /// The default order against that of rankers which never saw the question.
    pub comparison: Comparison,
    /// Why it is refused; `None` for one that may be used.
    pub refused: Option<String>,
    /// Trained on all questions.
    #[serde(skip)]
    pub ranker: Ranker,
}

/// Trains a ranker on the candidates of `golden`'s questions, asked as `template` says. It is refused unless
/// in cross-validation nDCG@10 rises, by the paired randomisation test not by chance, and no segment falls
/// by more than chance. Questions about one document stand in one fold.
///
/// # Errors
/// [`QualityError::Nothing`] for too few questions, [`QualityError::Learn`], a failing search.
pub fn train_ranker(
    retriever: &Retriever,
    golden: &GoldenSet,
    golden_name: &str,
    template: &SearchRequest<'_>,
    folds: usize,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<RankerTraining, QualityError> {
    let view = retriever.catalog().view()?;
    let mut collection = Collection::open(&view, template.scope)?;
    let items: Vec<&GoldenItem> = golden.items.iter().filter(|item| item.answerable).collect();
    let mut asked = Vec::with_capacity(items.len());
    for (index, item) in items.iter().enumerate() {
        asked.push(Asked::new(retriever, &mut collection, item, template)?);
        progress(index + 1, items.len());
    }
    let questions = asked.iter().filter(|one| one.rows.grades.contains(&1)).count();
    let needed = 2 * folds.max(2);
    if questions < needed {
        let what = format!(
            "{questions} questions of {golden_name} have an answer among their candidates; {needed} are needed"
        );
        return Err(QualityError::Nothing { what });
    }
    let rows: Vec<JudgedRows> = asked.iter().map(|one| one.rows.clone()).collect();
    let fold_of: Vec<usize> = items.iter().map(|item| fold(item, folds.max(2))).collect();
    let settings = TrainingSettings::default();
    let scores = cross_validated_scores(&FEATURE_NAMES, &rows, &fold_of, &settings)?;
    let run = |items: Vec<ItemResult>| EvaluationRun {
        created: String::new(),
        golden: golden_name.to_owned(),
        configuration: configuration(retriever, template),
        items,
        elapsed_ms: 0,
    };
    let before = run(asked.iter().map(|one| one.result(None)).collect());
    let after = run(asked.iter().zip(&scores).map(|(one, scores)| one.result(Some(scores))).collect());
    let comparison = compare(("default order", &before), ("trained ranker", &after))?;
    let refused = refusal(&comparison);
    let snapshot = retriever.index().snapshot();
    let trained_on = format!("{questions} questions of {golden_name}");
    let ranker =
        train(&FEATURE_NAMES, &rows, &settings)?.described(&snapshot.fingerprint().hash(), &trained_on);
    Ok(RankerTraining { questions, folds: folds.max(2), comparison, refused, ranker })
}

/// By the document that answers, so that no fold learns another's documents.
fn fold(item: &GoldenItem, folds: usize) -> usize {
    let source = item.spans.first().map_or(item.id.as_str(), |span| span.source.as_str());
    // FNV-1a: small, and the same on every machine.
    let hash = source.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    usize::try_from(hash % folds as u64).unwrap_or(0)
}

fn refusal(comparison: &Comparison) -> Option<String> {
    for segment in &comparison.segments {
        let Some(metric) = segment.metrics.iter().find(|metric| metric.metric == DECIDING) else { continue };
        let is_chance = metric.p_randomisation.is_none_or(|p| p >= SIGNIFICANT);
        if segment.segment == "all" && (metric.after <= metric.before || is_chance) {
            return Some(format!(
                "{DECIDING} goes from {:.4} to {:.4} in cross-validation (p = {:.3}): no gain beyond chance",
                metric.before,
                metric.after,
                metric.p_randomisation.unwrap_or(1.0)
            ));
        }
        if segment.questions >= LEAST_SEGMENT_QUESTIONS && metric.after < metric.before && !is_chance {
            return Some(format!(
                "{DECIDING} falls from {:.4} to {:.4} for {} ({} questions)",
                metric.before, metric.after, segment.segment, segment.questions
            ));
        }
    }
    None
}

/// One question with its candidates in the default order.
struct Asked {
    result: ItemResult,
    placed: Vec<PlacedSpan>,
    lost: usize,
    retrieved: Vec<RetrievedSpan>,
    rows: JudgedRows,
}

impl Asked {
    fn new(
        retriever: &Retriever,
        collection: &mut Collection<'_>,
        item: &GoldenItem,
        template: &SearchRequest<'_>,
    ) -> Result<Self, QualityError> {
        let request = SearchRequest { query: &item.question, ..*template };
        let (ranking, features) = retriever.rank_with_features(&request)?;
        let (placed, unplaced) = collection.place(item)?;
        let mut spans = |chunk: ChunkId| collection.retrieved(chunk);
        let mut rows = JudgedRows::default();
        for one in features {
            let span = spans(one.chunk)?;
            let answers = span.is_some_and(|span| placed.iter().any(|gold| reveals(&span, gold)));
            rows.rows.push(one.values);
            rows.grades.push(u32::from(answers));
        }
        let mut retrieved = Vec::new();
        for chunk in ranking.chunks.iter().take(super::run::RANKED) {
            retrieved.extend(spans(chunk.chunk)?);
        }
        let result = ItemResult {
            id: item.id.clone(),
            question: item.question.clone(),
            answerable: true,
            segments: segments_of(collection, item),
            metrics: std::collections::BTreeMap::new(),
            first_rank: None,
            weak_evidence: false,
            unplaced: Vec::new(),
            elapsed_us: 0,
        };
        Ok(Self { result, placed, lost: unplaced.len(), retrieved, rows })
    }

    /// Scored in the default order, or with the first candidates in the order of `scores`.
    fn result(&self, scores: Option<&Vec<f64>>) -> ItemResult {
        let mut retrieved = self.retrieved.clone();
        if let Some(scores) = scores {
            let mut order: Vec<(usize, f64)> = scores.iter().copied().enumerate().collect();
            order.sort_by(|left, right| right.1.total_cmp(&left.1));
            let first: Vec<RetrievedSpan> =
                order.iter().filter_map(|(at, _)| self.retrieved.get(*at).cloned()).collect();
            retrieved.splice(..scores.len().min(retrieved.len()), first);
        }
        let scored = score(&self.placed, self.lost, &retrieved);
        ItemResult { metrics: scored.metrics, first_rank: scored.first_rank, ..self.result.clone() }
    }
}
