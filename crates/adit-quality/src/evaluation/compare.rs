use std::collections::BTreeMap;

use adit_eval::statistics::{bootstrap_mean, effect, paired_randomisation_test, paired_t_test};
use serde::{Deserialize, Serialize};

use super::METRICS;
use super::run::{EvaluationRun, ItemResult};
use super::segments::{grouped, values};
use crate::QualityError;

const PERMUTATIONS: usize = 10_000;
const SEED: u64 = 1935;
/// Segments of fewer questions are shown but raise no warning: one question more or less is chance.
const LEAST_QUESTIONS_TO_WARN: usize = 5;
/// A segment falls when its mean falls by more than this.
const FALL: f64 = 0.005;

/// One metric over the questions that both runs asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MetricComparison {
    /// Such as `ndcg@10`.
    pub metric: String,
    /// Mean of the first run.
    pub before: f64,
    /// Mean of the second.
    pub after: f64,
    /// 95% interval of the mean difference, after less before.
    pub difference_low: f64,
    /// Its upper end.
    pub difference_high: f64,
    /// Two-sided p-value of the paired randomisation test (Fisher); `None` when it cannot be computed.
    pub p_randomisation: Option<f64>,
    /// Two-sided p-value of the paired t test.
    pub p_t_test: Option<f64>,
    /// Questions that got better.
    pub better: usize,
    /// Questions that got worse.
    pub worse: usize,
}

/// The metrics of one segment.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SegmentComparison {
    /// `all`, or key and value.
    pub segment: String,
    /// Questions in it.
    pub questions: usize,
    /// One for each metric that was measured.
    pub metrics: Vec<MetricComparison>,
}

/// Two runs over the questions they have in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// Everything, then each segment.
    pub segments: Vec<SegmentComparison>,
    /// Where the mean rises while a segment falls (Simpson's paradox), and what else a reader must know.
    pub warnings: Vec<String>,
    /// Ids of questions that only one of the runs asked; they are left out.
    pub left_out: Vec<String>,
}

/// Compares two runs question by question.
///
/// # Errors
/// [`QualityError::NothingInCommon`].
pub fn compare(
    (before_name, before): (&str, &EvaluationRun),
    (after_name, after): (&str, &EvaluationRun),
) -> Result<Comparison, QualityError> {
    let later: BTreeMap<&str, &ItemResult> =
        after.items.iter().map(|item| (item.id.as_str(), item)).collect();
    let earlier: BTreeMap<&str, &ItemResult> =
        before.items.iter().map(|item| (item.id.as_str(), item)).collect();
    let both: Vec<&ItemResult> = before
        .items
        .iter()
        .filter(|item| item.answerable && later.get(item.id.as_str()).is_some_and(|item| item.answerable))
        .collect();
    if both.is_empty() {
        return Err(QualityError::NothingInCommon { left: before_name.into(), right: after_name.into() });
    }
    let only = |items: &[ItemResult], others: &BTreeMap<&str, &ItemResult>| -> Vec<String> {
        let missing = items.iter().filter(|item| !others.contains_key(item.id.as_str()));
        missing.map(|item| item.id.clone()).collect()
    };
    let mut left_out = only(&before.items, &later);
    left_out.extend(only(&after.items, &earlier));
    let segments: Vec<SegmentComparison> =
        grouped(&both).into_iter().map(|(name, items)| compare_segment(name, &items, &later)).collect();
    let mut warnings = simpson_warnings(&segments);
    if before.configuration.sequence != after.configuration.sequence {
        warnings.push(format!(
            "the documents changed between the runs: change {} and change {}",
            before.configuration.sequence, after.configuration.sequence
        ));
    }
    if !left_out.is_empty() {
        warnings.push(format!("{} questions are in one run only and are left out", left_out.len()));
    }
    Ok(Comparison { segments, warnings, left_out })
}

fn compare_segment(
    segment: String,
    items: &[&ItemResult],
    later: &BTreeMap<&str, &ItemResult>,
) -> SegmentComparison {
    let followed: Vec<&ItemResult> =
        items.iter().filter_map(|item| later.get(item.id.as_str()).copied()).collect();
    let metrics = METRICS.iter().filter_map(|metric| {
        let (left, right) = (values(items, metric)?, values(&followed, metric)?);
        compare_metric(metric, &left, &right)
    });
    SegmentComparison { segment, questions: items.len(), metrics: metrics.collect() }
}

fn compare_metric(metric: &str, before: &[f64], after: &[f64]) -> Option<MetricComparison> {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let differences: Vec<f64> = before.iter().zip(after).map(|(before, after)| after - before).collect();
    let effect = effect(before, after)?;
    let interval = bootstrap_mean(&differences, 1_000, 0.95, SEED)?;
    Some(MetricComparison {
        metric: metric.to_owned(),
        before: mean(before),
        after: mean(after),
        difference_low: interval.low,
        difference_high: interval.high,
        p_randomisation: paired_randomisation_test(before, after, PERMUTATIONS, SEED),
        p_t_test: paired_t_test(before, after).map(|test| test.p_value).filter(|value| !value.is_nan()),
        better: effect.wins,
        worse: effect.losses,
    })
}

/// A mean that rises can hide a group of questions that got worse.
fn simpson_warnings(segments: &[SegmentComparison]) -> Vec<String> {
    let Some((all, parts)) = segments.split_first() else { return Vec::new() };
    let mut warnings = Vec::new();
    for metric in all.metrics.iter().filter(|metric| metric.after > metric.before) {
        for part in parts.iter().filter(|part| part.questions >= LEAST_QUESTIONS_TO_WARN) {
            let Some(fallen) = part.metrics.iter().find(|other| other.metric == metric.metric) else {
                continue;
            };
            if fallen.after < fallen.before - FALL {
                warnings.push(format!(
                    "{} rises from {:.4} to {:.4}, but falls from {:.4} to {:.4} for {} ({} questions)",
                    metric.metric,
                    metric.before,
                    metric.after,
                    fallen.before,
                    fallen.after,
                    part.segment,
                    part.questions
                ));
            }
        }
    }
    warnings
}
