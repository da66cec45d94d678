use std::collections::BTreeMap;

use adit_eval::statistics::{bootstrap_mean, paired_randomisation_test};
use adit_eval::{Judgments, Metric, Ranking, per_query, read_run, read_trec_judgments};
use serde::Serialize;

use crate::arguments::EvalTrecArguments;
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};

const RESAMPLES: usize = 1_000;
const PERMUTATIONS: usize = 10_000;
const SEED: u64 = 1992;

/// What `eval trec --json` prints.
#[derive(Serialize)]
struct TrecResult {
    /// Judged queries with a relevant document; one that the run lacks counts 0.
    queries: usize,
    /// Judged queries that the run does not answer.
    missing_queries: Vec<String>,
    /// Queries of the run that nobody judged; they count nothing.
    unjudged_queries: Vec<String>,
    metrics: Vec<MetricResult>,
}

#[derive(Serialize)]
struct MetricResult {
    metric: String,
    mean: f64,
    low: f64,
    high: f64,
    /// The other run's mean.
    compared_mean: Option<f64>,
    /// Two-sided p-value of the paired randomisation test against it.
    p_randomisation: Option<f64>,
}

type Run = BTreeMap<String, Ranking>;

pub(super) fn run(arguments: &EvalTrecArguments, output: Output) -> Result<Exit, Failure> {
    let judgments = read_trec_judgments(&arguments.judgments)?;
    let run = read_run(&arguments.run)?;
    let other = arguments.compare.as_deref().map(read_run).transpose()?;
    let metrics: Vec<Metric> =
        arguments.metrics.iter().map(|name| name.parse()).collect::<Result<_, adit_eval::EvalError>>()?;
    let asked = per_query(Metric::MeanAveragePrecision, &judgments, &run);
    let result = TrecResult {
        queries: asked.len(),
        missing_queries: asked.keys().filter(|query| !run.contains_key(*query)).cloned().collect(),
        unjudged_queries: run.keys().filter(|query| !judgments.contains_key(*query)).cloned().collect(),
        metrics: metrics.iter().map(|metric| score(*metric, &judgments, &run, other.as_ref())).collect(),
    };
    if !result.unjudged_queries.is_empty() {
        note(&format!(
            "notice: {} queries of the run are not judged, such as {}",
            result.unjudged_queries.len(),
            result.unjudged_queries.first().map(String::as_str).unwrap_or_default()
        ));
    }
    output.result(&result, describe)?;
    Ok(Exit::Done)
}

fn score(metric: Metric, judgments: &Judgments, run: &Run, other: Option<&Run>) -> MetricResult {
    let values: Vec<f64> = per_query(metric, judgments, run).into_values().collect();
    let compared: Option<Vec<f64>> =
        other.map(|other| per_query(metric, judgments, other).into_values().collect());
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
    let interval = bootstrap_mean(&values, RESAMPLES, 0.95, SEED);
    MetricResult {
        metric: metric.to_string(),
        mean: mean(&values),
        low: interval.map_or(0.0, |interval| interval.low),
        high: interval.map_or(0.0, |interval| interval.high),
        compared_mean: compared.as_deref().map(mean),
        p_randomisation: compared
            .and_then(|compared| paired_randomisation_test(&values, &compared, PERMUTATIONS, SEED)),
    }
}

fn describe(result: &TrecResult) -> String {
    let mut text = format!(
        "{} judged queries, {} of them without an answer in the run (they count 0)\n{:<14} {:>8} {:>18} {:>8} {:>8}\n",
        result.queries,
        result.missing_queries.len(),
        "metric",
        "mean",
        "95% interval",
        "other",
        "p"
    );
    let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
    for one in &result.metrics {
        let interval = format!("{:.4} to {:.4}", one.low, one.high);
        text += &format!(
            "{:<14} {:>8.4} {interval:>18} {:>8} {:>8}\n",
            one.metric,
            one.mean,
            shown(one.compared_mean),
            shown(one.p_randomisation)
        );
    }
    text
}
