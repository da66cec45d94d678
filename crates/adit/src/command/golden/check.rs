use std::path::Path;

use adit_eval::GoldenSet;
use adit_eval::golden::{GoldenReport, SpanFinding, check_golden};
use serde::Serialize;

use super::indexed_texts::IndexedTexts;
use crate::arguments::GoldenFileArguments;
use crate::failure::{Exit, Failure};
use crate::output::{Output, counted};

/// Findings of one kind that are shown as text; `--json` has all.
const MOST_SHOWN: usize = 20;

/// What `golden check --json` prints.
#[derive(Serialize)]
struct Checked {
    file: String,
    #[serde(flatten)]
    report: GoldenReport,
}

/// Exit code 1 when a quote has no place, for figures over such a set would be too low.
pub(super) fn run(
    home: Option<&Path>,
    arguments: &GoldenFileArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let file = super::file(home, arguments)?;
    let set = GoldenSet::read(&file)?;
    let texts = IndexedTexts::open(home)?;
    let report = check_golden(&set, &mut |source| texts.text_of(source))?;
    let exit = if report.is_placed() { Exit::Done } else { Exit::Failures };
    output.result(&Checked { file: file.display().to_string(), report }, describe)?;
    Ok(exit)
}

fn describe(checked: &Checked) -> String {
    let report = &checked.report;
    let mut text = format!(
        "{}: {}, {}; {} word for word, {} moved, {} not found, {} in unknown documents\n",
        checked.file,
        counted(report.items, "question"),
        counted(report.spans, "quoted passage"),
        report.exact,
        report.moved.len(),
        report.not_placed.len(),
        report.unknown_sources.len()
    );
    findings(&mut text, "moved: found elsewhere or in similar words", &report.moved);
    findings(&mut text, "not found: edit the quote, or drop the question", &report.not_placed);
    findings(
        &mut text,
        "unknown document: not indexed, or its name fits several (`adit status --documents --all`)",
        &report.unknown_sources,
    );
    findings(&mut text, "stands there more than once: a longer quote would be clear", &report.ambiguous);
    for ids in report.duplicate_questions.iter().take(MOST_SHOWN) {
        text += &format!("asked more than once: {}\n", ids.join(", "));
    }
    text += &format!(
        "unanswerable: {} of {} ({:.0}%; about {:.0}% are wished)\n",
        report.unanswerable,
        report.items,
        report.unanswerable_share * 100.0,
        report.wished_unanswerable_share * 100.0
    );
    text += "category                  questions  answerable\n";
    for (name, counts) in &report.categories {
        let name = if name.is_empty() { "(none)" } else { name };
        text += &format!("{name:<24}  {:>9}  {:>10}\n", counts.items, counts.answerable);
    }
    text
}

fn findings(text: &mut String, heading: &str, findings: &[SpanFinding]) {
    if findings.is_empty() {
        return;
    }
    *text += heading;
    text.push('\n');
    for finding in findings.iter().take(MOST_SHOWN) {
        let similarity =
            finding.similarity.map(|share| format!(" ({:.0}% the same)", share * 100.0)).unwrap_or_default();
        let quote = finding.quote.as_deref().unwrap_or("the whole document");
        *text += &format!("  {}  {}{similarity}: {quote}\n", finding.id, finding.source);
    }
    if findings.len() > MOST_SHOWN {
        *text += &format!("  [{} more; --json lists all]\n", findings.len() - MOST_SHOWN);
    }
}
