use std::collections::BTreeMap;
use std::time::Duration;

use adit_eval::Latencies;
use adit_eval::statistics::{Interval, bootstrap_mean};
use serde::{Deserialize, Serialize};

use super::METRICS;
use super::run::{EvaluationRun, ItemResult};

/// Draws of a bootstrap.
const RESAMPLES: usize = 1_000;
/// Share of the bootstrap's means inside the interval.
const CONFIDENCE: f64 = 0.95;
/// The same draws for the same run, so that a report does not change when it is made again.
const SEED: u64 = 1979;

/// Means over the answerable questions of one segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SegmentScores {
    /// `all`, or key and value such as `category=meaning`.
    pub segment: String,
    /// Answerable questions in it.
    pub questions: usize,
    /// Mean and 95% interval by metric.
    pub metrics: BTreeMap<String, Interval>,
}

/// A run in figures.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// Answerable questions.
    pub answerable: usize,
    /// Questions that the documents do not answer.
    pub unanswerable: usize,
    /// Questions of which a gold span is nowhere in the collection.
    pub with_unplaced_gold: usize,
    /// Everything, then each segment.
    pub segments: Vec<SegmentScores>,
    /// Share of the unanswerable questions at which the search warned of weak evidence; `None` without any.
    pub warned_of_unanswerable: Option<f64>,
    /// The same for answerable ones: false alarms.
    pub warned_of_answerable: Option<f64>,
    /// Half of the searches took no longer, in milliseconds, the query's embedding included.
    pub p50_ms: f64,
    /// 99 of 100 searches took no longer.
    pub p99_ms: f64,
}

/// Means, intervals and segments of a run.
#[must_use]
pub fn summarise(run: &EvaluationRun) -> Summary {
    let answerable: Vec<&ItemResult> = run.items.iter().filter(|item| item.answerable).collect();
    let unanswerable: Vec<&ItemResult> = run.items.iter().filter(|item| !item.answerable).collect();
    let segments = grouped(&answerable).into_iter().map(|(name, items)| scores_of(name, &items)).collect();
    let times: Vec<Duration> = run.items.iter().map(|item| Duration::from_micros(item.elapsed_us)).collect();
    let latencies = Latencies::new(&times);
    Summary {
        answerable: answerable.len(),
        unanswerable: unanswerable.len(),
        with_unplaced_gold: answerable.iter().filter(|item| !item.unplaced.is_empty()).count(),
        segments,
        warned_of_unanswerable: warned(&unanswerable),
        warned_of_answerable: warned(&answerable),
        p50_ms: latencies.percentile_ms(50.0),
        p99_ms: latencies.percentile_ms(99.0),
    }
}

/// `all` first, then the segments by name.
pub(super) fn grouped<'a>(items: &[&'a ItemResult]) -> Vec<(String, Vec<&'a ItemResult>)> {
    let mut segments: BTreeMap<String, Vec<&ItemResult>> = BTreeMap::new();
    for item in items {
        for (key, value) in &item.segments {
            segments.entry(format!("{key}={value}")).or_default().push(item);
        }
    }
    std::iter::once(("all".to_owned(), items.to_vec())).chain(segments).collect()
}

/// The values of one metric; a question that has none counts 0 where any question has one.
pub(super) fn values(items: &[&ItemResult], metric: &str) -> Option<Vec<f64>> {
    let is_measured = items.iter().any(|item| item.metrics.contains_key(metric));
    let value = |item: &&ItemResult| item.metrics.get(metric).copied().unwrap_or(0.0);
    is_measured.then(|| items.iter().map(value).collect())
}

fn scores_of(segment: String, items: &[&ItemResult]) -> SegmentScores {
    let interval = |metric: &&str| {
        let values = values(items, metric)?;
        Some(((*metric).to_owned(), bootstrap_mean(&values, RESAMPLES, CONFIDENCE, SEED)?))
    };
    SegmentScores { segment, questions: items.len(), metrics: METRICS.iter().filter_map(interval).collect() }
}

fn warned(items: &[&ItemResult]) -> Option<f64> {
    let weak = items.iter().filter(|item| item.weak_evidence).count();
    (!items.is_empty()).then(|| weak as f64 / items.len() as f64)
}
