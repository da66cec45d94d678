//! A run as one HTML page that needs nothing else: figures, plots, and the questions that went wrong.

use std::fmt::Write;

use adit_eval::statistics::Interval;

use super::compare::Comparison;
use super::run::{EvaluationRun, ItemResult};
use super::segments::{SegmentScores, Summary, summarise};

/// Questions listed, at most; the rest is counted.
const LISTED: usize = 200;
/// A gold passage below this rank is listed as badly found.
const WELL_FOUND: usize = 5;
/// The metric of the plot by segment.
const PLOTTED: &str = "ndcg@10";
const STYLE: &str = include_str!("report.css");

/// The page. `comparison` adds what changed since another run, whose name it carries.
#[must_use]
pub fn html_report(name: &str, run: &EvaluationRun, comparison: Option<(&str, &Comparison)>) -> String {
    let summary = summarise(run);
    let mut page = String::new();
    let title = escaped(name);
    // Writing to a string cannot fail.
    let _ = write!(
        page,
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><meta name=\"viewport\" \
         content=\"width=device-width\"><title>Evaluation {title}</title><style>{STYLE}</style></head>\
         <body><main><h1>Evaluation {title}</h1>"
    );
    head(&mut page, run, &summary);
    if let Some(all) = summary.segments.first() {
        cards(&mut page, all, &summary);
        recall_curve(&mut page, all);
    }
    if let Some((other, comparison)) = comparison {
        changes(&mut page, other, comparison);
    }
    segment_bars(&mut page, &summary);
    questions(&mut page, run);
    page.push_str("</main></body></html>\n");
    page
}

fn head(page: &mut String, run: &EvaluationRun, summary: &Summary) {
    let configuration = &run.configuration;
    let _ = write!(
        page,
        "<p class=\"meta\">{} · {} · mode {:?}, depth {}, k1 {}, b {} · change {} · {}</p>\
         <p>{} answerable and {} unanswerable questions in {:.1} s.</p>",
        escaped(&run.created),
        escaped(&run.golden),
        configuration.mode,
        configuration.depth,
        configuration.k1,
        configuration.b,
        configuration.sequence,
        escaped(&configuration.fingerprint),
        summary.answerable,
        summary.unanswerable,
        run.elapsed_ms as f64 / 1e3,
    );
    if summary.with_unplaced_gold > 0 {
        let _ = write!(
            page,
            "<p class=\"warning\">{} questions have gold that is nowhere in the collection; it counts as not found.</p>",
            summary.with_unplaced_gold
        );
    }
}

fn cards(page: &mut String, all: &SegmentScores, summary: &Summary) {
    page.push_str("<section class=\"cards\">");
    for (metric, interval) in &all.metrics {
        card(
            page,
            metric,
            &format!("{:.3}", interval.mean),
            &format!("{:.3} to {:.3}", interval.low, interval.high),
        );
    }
    if let Some(share) = summary.warned_of_unanswerable {
        let false_alarms = summary.warned_of_answerable.unwrap_or_default();
        let note = format!("false alarms {:.0}%", 100.0 * false_alarms);
        card(page, "warned of unanswerable", &format!("{:.0}%", 100.0 * share), &note);
    }
    card(page, "search", &format!("{:.1} ms", summary.p50_ms), &format!("p99 {:.1} ms", summary.p99_ms));
    page.push_str("</section>");
}

fn card(page: &mut String, name: &str, value: &str, note: &str) {
    let _ = write!(
        page,
        "<div class=\"card\"><span>{}</span><strong>{value}</strong><small>{note}</small></div>",
        escaped(name)
    );
}

/// Recall over k, on a logarithmic axis, with its interval as a band.
fn recall_curve(page: &mut String, all: &SegmentScores) {
    let points: Vec<(f64, &Interval)> = [5_u32, 25, 50, 100]
        .iter()
        .filter_map(|k| Some((f64::from(*k), all.metrics.get(&format!("recall@{k}"))?)))
        .collect();
    if points.len() < 2 {
        return;
    }
    let x = |k: f64| 50.0 + 500.0 * (k / 5.0).ln() / 20.0_f64.ln();
    let y = |share: f64| 190.0 - 170.0 * share;
    page.push_str(
        "<h2>Recall by depth</h2><svg viewBox=\"0 0 600 220\" role=\"img\" aria-label=\"recall by depth\">",
    );
    for tick in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let _ = write!(
            page,
            "<line class=\"grid\" x1=\"50\" x2=\"560\" y1=\"{0:.1}\" y2=\"{0:.1}\"/><text x=\"42\" y=\"{1:.1}\" text-anchor=\"end\">{tick}</text>",
            y(tick),
            y(tick) + 4.0
        );
    }
    let joined = |values: &mut dyn Iterator<Item = (f64, f64)>| {
        values.map(|(k, share)| format!("{:.1},{:.1}", x(k), y(share))).collect::<Vec<_>>().join(" ")
    };
    let upper = joined(&mut points.iter().map(|(k, interval)| (*k, interval.high)));
    let lower = joined(&mut points.iter().rev().map(|(k, interval)| (*k, interval.low)));
    let line = joined(&mut points.iter().map(|(k, interval)| (*k, interval.mean)));
    let _ = write!(
        page,
        "<polygon class=\"band\" points=\"{upper} {lower}\"/><polyline class=\"line\" points=\"{line}\"/>"
    );
    for (k, interval) in &points {
        let _ = write!(
            page,
            "<circle cx=\"{0:.1}\" cy=\"{1:.1}\" r=\"4\"/><text x=\"{0:.1}\" y=\"{2:.1}\" text-anchor=\"middle\">{3:.3}</text><text x=\"{0:.1}\" y=\"210\" text-anchor=\"middle\">k = {k}</text>",
            x(*k),
            y(interval.mean),
            y(interval.mean) + 20.0,
            interval.mean
        );
    }
    page.push_str("</svg>");
}

fn changes(page: &mut String, other: &str, comparison: &Comparison) {
    let _ = write!(page, "<h2>Since {}</h2>", escaped(other));
    for warning in &comparison.warnings {
        let _ = write!(page, "<p class=\"warning\">{}</p>", escaped(warning));
    }
    page.push_str("<table><thead><tr><th>segment</th><th>metric</th><th>before</th><th>after</th><th>difference, 95%</th><th>p</th><th>better / worse</th></tr></thead><tbody>");
    for segment in &comparison.segments {
        for metric in
            segment.metrics.iter().filter(|metric| segment.segment == "all" || metric.metric == PLOTTED)
        {
            let class = if metric.after < metric.before { "fell" } else { "" };
            let p = metric.p_randomisation.map_or_else(|| "-".to_owned(), |p| format!("{p:.3}"));
            let _ = write!(
                page,
                "<tr class=\"{class}\"><td>{} ({})</td><td>{}</td><td>{:.4}</td><td>{:.4}</td><td>{:+.4} to {:+.4}</td><td>{p}</td><td>{} / {}</td></tr>",
                escaped(&segment.segment),
                segment.questions,
                escaped(&metric.metric),
                metric.before,
                metric.after,
                metric.difference_low,
                metric.difference_high,
                metric.better,
                metric.worse
            );
        }
    }
    page.push_str("</tbody></table>");
}

fn segment_bars(page: &mut String, summary: &Summary) {
    let bars: Vec<(&SegmentScores, &Interval)> =
        summary.segments.iter().filter_map(|part| Some((part, part.metrics.get(PLOTTED)?))).collect();
    let height = 26 * bars.len() + 24;
    let _ = write!(
        page,
        "<h2>{PLOTTED} by segment</h2><svg viewBox=\"0 0 760 {height}\" role=\"img\" aria-label=\"{PLOTTED} by segment\">"
    );
    let x = |share: f64| 330.0 + 380.0 * share;
    for (index, (part, interval)) in bars.iter().enumerate() {
        let (top, center) = (26 * index + 4, 26 * index + 13);
        let _ = write!(
            page,
            "<text x=\"320\" y=\"{}\" text-anchor=\"end\">{} ({})</text><rect x=\"330\" y=\"{top}\" width=\"{:.1}\" height=\"18\"/><line class=\"whisker\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{center}\" y2=\"{center}\"/><text x=\"716\" y=\"{0}\">{:.3}</text>",
            top + 14,
            escaped(&shortened(&part.segment)),
            part.questions,
            x(interval.mean) - 330.0,
            x(interval.low),
            x(interval.high),
            interval.mean,
        );
    }
    page.push_str("</svg>");
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= 44 { name.to_owned() } else { name.chars().take(43).chain(['…']).collect() }
}

fn questions(page: &mut String, run: &EvaluationRun) {
    let is_bad = |item: &&ItemResult| item.answerable && item.first_rank.is_none_or(|rank| rank > WELL_FOUND);
    let mut bad: Vec<&ItemResult> = run.items.iter().filter(is_bad).collect();
    bad.sort_by_key(|item| std::cmp::Reverse(item.first_rank.unwrap_or(usize::MAX)));
    let _ = write!(
        page,
        "<h2>{} questions whose answer is not among the first {WELL_FOUND} chunks</h2>",
        bad.len()
    );
    if bad.len() > LISTED {
        let _ = write!(page, "<p>The worst {LISTED} are listed.</p>");
    }
    page.push_str("<table><thead><tr><th>question</th><th>rank</th><th>segments</th><th>remarks</th></tr></thead><tbody>");
    for item in bad.into_iter().take(LISTED) {
        let rank = item.first_rank.map_or_else(|| "none of 100".to_owned(), |rank| rank.to_string());
        let segments: Vec<&str> = item.segments.values().map(String::as_str).collect();
        let _ = write!(
            page,
            "<tr><td>{}</td><td>{rank}</td><td>{}</td><td>{}</td></tr>",
            escaped(&item.question),
            escaped(&segments.join(", ")),
            escaped(&item.unplaced.join("; "))
        );
    }
    page.push_str("</tbody></table>");
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
