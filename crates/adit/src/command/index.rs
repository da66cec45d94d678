use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use adit_core::{DocumentState, StateCounts};
use adit_ingest::{Home, IngestReport, ReportedDocument, Settings};
use serde::Serialize;

use crate::arguments::IndexArguments;
use crate::engine::{home_to_fill, open_writer};
use crate::failure::{Exit, Failure};
use crate::interrupt::cancel_on_interrupt;
use crate::output::{Output, counted, note};
use crate::progress::IngestProgress;

/// Most failed or skipped documents to list in the terminal; `adit status --failed` has them all.
const LISTED: usize = 20;

/// What `index --json` prints.
#[derive(Debug, Serialize)]
pub(super) struct IndexResult {
    #[serde(flatten)]
    report: IngestReport,
    /// Documents of the whole catalog by state.
    documents: StateCounts,
    /// Peak memory of this process, where the system tells.
    peak_memory_bytes: Option<u64>,
}

impl IndexResult {
    /// Whether the run was cancelled.
    pub(super) fn is_interrupted(&self) -> bool {
        self.report.interrupted
    }

    /// The summary for a terminal.
    pub(super) fn describe(&self) -> String {
        describe(&self.report, &self.documents)
    }
}

pub(super) fn run(home: Option<&Path>, arguments: &IndexArguments, output: Output) -> Result<Exit, Failure> {
    let cancel = cancel_on_interrupt()?;
    let (home, settings) = home_to_fill(home)?;
    let result = index(&home, &settings, arguments, &cancel)?;
    output.result(&result, IndexResult::describe)?;
    Ok(exit_of(&result.report))
}

/// Runs the pipeline over a home.
pub(super) fn index(
    home: &Home,
    settings: &Settings,
    arguments: &IndexArguments,
    cancel: &Arc<AtomicBool>,
) -> Result<IndexResult, Failure> {
    let writer = open_writer(home, settings, arguments.reindex)?;
    let progress = IngestProgress::new();
    let report = writer.pipeline.run(&arguments.paths, &progress, cancel);
    progress.finish();
    let report = report?;
    if !report.interrupted {
        writer.index.wait_for_merges()?;
    }
    let documents = super::status::all_counts(&writer.pipeline.catalog)?;
    Ok(IndexResult { report, documents, peak_memory_bytes: peak_memory_bytes() })
}

fn exit_of(report: &IngestReport) -> Exit {
    if report.interrupted {
        note("hint: run the same command again: it goes on where it stopped");
        Exit::Interrupted
    } else if report.has_failures() {
        note("hint: `adit status --failed` says what to do about each");
        Exit::Failures
    } else {
        Exit::Done
    }
}

fn describe(report: &IngestReport, documents: &StateCounts) -> String {
    let mut text = String::new();
    for one in report.reported.iter().take(LISTED) {
        text += &format!("{}\n", describe_state(one));
    }
    if report.reported.len() > LISTED {
        text += &format!("... and {} more\n", report.reported.len() - LISTED);
    }
    let seconds = report.elapsed_ms as f64 / 1000.0;
    text += &format!(
        "{}{}: {} indexed into {}, {} unchanged, {} removed, in {seconds:.1} s\n",
        if report.interrupted { "interrupted after " } else { "" },
        counted(report.files, "file"),
        report.committed,
        counted(report.chunks, "chunk"),
        report.unchanged,
        report.removed,
    );
    text += &format!(
        "in the catalog: {} searchable, {} partial, {} failed, {} skipped\n",
        documents.searchable, documents.partial, documents.failed, documents.skipped
    );
    text
}

fn describe_state(one: &ReportedDocument) -> String {
    let reason = one.state.reason().unwrap_or_default();
    match &one.state {
        DocumentState::Failed { hint: Some(hint), .. } => {
            format!("failed   {}: {reason}\n         hint: {hint}", one.source)
        }
        state => format!("{:<8} {}: {reason}", state.name(), one.source),
    }
}

/// The high-water mark of this process's memory, from Linux's process table.
fn peak_memory_bytes() -> Option<u64> {
    let status = fs_err::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok().map(|kibibytes| kibibytes * 1024)
}
