//! Evaluations as tables for a terminal.

use adit_quality::{Comparison, GateOutcome, LogEntry, SegmentScores};

use super::eval::EvalResult;

/// Metrics with a column of their own.
const COLUMNS: &[&str] =
    &["recall@5", "recall@25", "recall@50", "recall@100", "ndcg@10", "mrr@10", "span_iou@5"];
/// Questions that are listed.
const LISTED: usize = 10;

pub(super) fn describe(result: &EvalResult, against: Option<&str>) -> String {
    let (summary, run) = (&result.summary, &result.run);
    let mut text = format!(
        "{} answerable and {} unanswerable questions of {} in {:.1} s\n{}\n\n",
        summary.answerable,
        summary.unanswerable,
        run.golden,
        run.elapsed_ms as f64 / 1e3,
        run.configuration.fingerprint
    );
    text += &segment_table(&summary.segments);
    if let Some(share) = summary.warned_of_unanswerable {
        text += &format!(
            "\nwarned of weak evidence: {:.0}% of the unanswerable questions, {:.0}% of the answerable ones\n",
            100.0 * share,
            100.0 * summary.warned_of_answerable.unwrap_or_default()
        );
    }
    text += &format!(
        "search, with the question's embedding: p50 {:.1} ms, p99 {:.1} ms\n",
        summary.p50_ms, summary.p99_ms
    );
    text += &not_found(result);
    if let (Some(name), Some(comparison)) = (against, &result.comparison) {
        text += &format!("\n{}", describe_comparison(name, "this run", comparison));
    }
    if let Some(gate) = &result.gate {
        text += &format!("\n{}", describe_gate(gate));
    }
    text
}

fn segment_table(segments: &[SegmentScores]) -> String {
    let width = segments.iter().map(|part| part.segment.chars().count()).max().unwrap_or(0).clamp(8, 48);
    let mut text = format!("{:<width$} {:>9}", "segment", "questions");
    for column in COLUMNS {
        text += &format!(" {column:>10}");
    }
    text.push('\n');
    for part in segments {
        let name: String = part.segment.chars().take(width).collect();
        text += &format!("{name:<width$} {:>9}", part.questions);
        for column in COLUMNS {
            text += &match part.metrics.get(*column) {
                Some(interval) => format!(" {:>10.3}", interval.mean),
                None => format!(" {:>10}", "-"),
            };
        }
        text.push('\n');
    }
    if let Some(interval) = segments.first().and_then(|all| all.metrics.get("ndcg@10")) {
        text += &format!("95% interval of ndcg@10 over all: {:.3} to {:.3}\n", interval.low, interval.high);
    }
    text
}

fn not_found(result: &EvalResult) -> String {
    let mut text = String::new();
    for item in result.run.items.iter().filter(|item| !item.unplaced.is_empty()) {
        text += &format!("gold not placed: {}: {}\n", item.id, item.unplaced.join("; "));
    }
    let lost: Vec<_> =
        result.run.items.iter().filter(|item| item.answerable && item.first_rank.is_none()).collect();
    if !lost.is_empty() {
        text += &format!("\nnot among 100 candidates ({} questions):\n", lost.len());
        for item in lost.iter().take(LISTED) {
            text += &format!("  {}\n", item.question);
        }
        text += "say why with: adit diagnose QUESTION --expect QUOTE\n";
    }
    text
}

pub(super) fn describe_comparison(before: &str, after: &str, comparison: &Comparison) -> String {
    let mut text = format!(
        "{before} -> {after}\n{:<36} {:<16} {:>8} {:>8} {:>18} {:>8} {:>7} {:>6}\n",
        "segment", "metric", "before", "after", "difference, 95%", "p", "better", "worse"
    );
    for segment in &comparison.segments {
        let shown = |name: &str| segment.segment == "all" || matches!(name, "ndcg@10" | "recall@100");
        for metric in segment.metrics.iter().filter(|metric| shown(&metric.metric)) {
            let name: String =
                format!("{} ({})", segment.segment, segment.questions).chars().take(36).collect();
            let p = metric.p_randomisation.map_or_else(|| "-".to_owned(), |p| format!("{p:.3}"));
            text += &format!(
                "{name:<36} {:<16} {:>8.4} {:>8.4} {:>8.4} to {:>6.4} {p:>8} {:>7} {:>6}\n",
                metric.metric,
                metric.before,
                metric.after,
                metric.difference_low,
                metric.difference_high,
                metric.better,
                metric.worse
            );
        }
    }
    for warning in &comparison.warnings {
        text += &format!("warning: {warning}\n");
    }
    text
}

fn describe_gate(outcomes: &[GateOutcome]) -> String {
    let mut text =
        format!("{:<6} {:<36} {:<16} {:>8} {:>8}\n", "gate", "segment", "metric", "now", "accepted");
    for outcome in outcomes {
        let shown = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"));
        text += &format!(
            "{:<6} {:<36} {:<16} {:>8} {:>8}  {}\n",
            if outcome.passed { "pass" } else { "FAIL" },
            outcome.rule.segment,
            outcome.rule.metric,
            shown(outcome.now),
            shown(outcome.accepted),
            outcome.reason.as_deref().unwrap_or_default()
        );
    }
    text
}

pub(super) fn describe_log(entries: &[LogEntry]) -> String {
    if entries.is_empty() {
        return "no evaluation has run yet: `adit eval`\n".to_owned();
    }
    let mut text = format!(
        "{:<21} {:<16} {:>9} {:>8} {:>10} {:>8}  configuration\n",
        "when", "name", "questions", "ndcg@10", "recall@100", "mrr@10"
    );
    for entry in entries {
        let value = |metric: &str| {
            entry.metrics.get(metric).map_or_else(|| "-".to_owned(), |value| format!("{value:.4}"))
        };
        let configuration = &entry.configuration;
        text += &format!(
            "{:<21} {:<16} {:>9} {:>8} {:>10} {:>8}  {:?} {:?} depth {} k1 {} b {}, change {}, {}\n",
            entry.created,
            entry.name.as_deref().unwrap_or("-"),
            entry.questions,
            value("ndcg@10"),
            value("recall@100"),
            value("mrr@10"),
            configuration.mode,
            configuration.fusion,
            configuration.depth,
            configuration.k1,
            configuration.b,
            configuration.sequence,
            configuration.fingerprint.split(' ').next().unwrap_or_default()
        );
    }
    text
}
