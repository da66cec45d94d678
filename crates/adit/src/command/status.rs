use std::path::Path;
use std::sync::Arc;

use adit_catalog::Catalog;
use adit_core::{AdministratorScope, DocumentRecord, DocumentState, IndexSnapshot, ReadScope, StateCounts};
use adit_index::{IndexOptions, IndexStatistics, SearchIndex};
use serde::Serialize;

use crate::arguments::StatusArguments;
use crate::engine::{existing_home, scope};
use crate::failure::{Exit, Failure};
use crate::output::{Output, human_bytes};

/// What `status --json` prints.
#[derive(Serialize)]
struct Status {
    home: String,
    documents: StateCounts,
    /// Changes in the catalog, and those the published snapshot contains.
    catalog_sequence: u64,
    searchable_sequence: u64,
    fingerprint: Option<String>,
    index: Option<IndexStatistics>,
    /// Why the index could not be opened.
    index_problem: Option<String>,
    listed: Vec<DocumentRecord>,
}

pub(super) fn run(home: Option<&Path>, arguments: &StatusArguments, output: Output) -> Result<Exit, Failure> {
    let (home, _) = existing_home(home)?;
    let reader = scope(&arguments.scope)?;
    let administrator = AdministratorScope::assume("adit status --all");
    let read = if arguments.all {
        tracing::info!(reason = administrator.reason(), "administrator scope");
        ReadScope::Administrator(&administrator)
    } else {
        ReadScope::Reader(&reader)
    };
    let catalog = Arc::new(Catalog::open_read_only(&home.catalog_file())?);
    let opened =
        SearchIndex::open_reader(&home.derived_folder(), Arc::clone(&catalog), IndexOptions::default());
    let view = catalog.view()?;
    let listed = list(view.documents(read)?, arguments);
    let status = Status {
        home: home.folder().display().to_string(),
        documents: view.state_counts(read)?,
        catalog_sequence: view.last_sequence().0,
        searchable_sequence: opened.as_ref().map_or(0, |index| index.snapshot().sequence().0),
        fingerprint: catalog.fingerprint()?.map(|fingerprint| fingerprint.to_string()),
        index: opened.as_ref().ok().map(SearchIndex::statistics),
        index_problem: opened.err().map(|error| error.to_string()),
        listed,
    };
    output.result(&status, describe)?;
    Ok(if status.documents.failed > 0 { Exit::Failures } else { Exit::Done })
}

fn list(documents: Vec<DocumentRecord>, arguments: &StatusArguments) -> Vec<DocumentRecord> {
    let wanted = |record: &DocumentRecord| {
        arguments.documents || arguments.failed && matches!(record.state, DocumentState::Failed { .. })
    };
    documents.into_iter().filter(wanted).collect()
}

/// Counts over every tenant, for the summary of a run that has just written them.
pub(super) fn all_counts(catalog: &Catalog) -> Result<StateCounts, Failure> {
    let administrator = AdministratorScope::assume("summary after adit index");
    Ok(catalog.view()?.state_counts(ReadScope::Administrator(&administrator))?)
}

fn describe(status: &Status) -> String {
    let counts = &status.documents;
    let mut text = format!(
        "{}: {} documents: {} searchable, {} partial, {} failed, {} skipped\n",
        status.home,
        counts.total(),
        counts.searchable,
        counts.partial,
        counts.failed,
        counts.skipped
    );
    if let Some(fingerprint) = &status.fingerprint {
        text += &format!("fingerprint: {fingerprint}\n");
    }
    if status.searchable_sequence < status.catalog_sequence {
        text += &format!(
            "the snapshot is at change {} of {}: the next `adit index` or search catches up\n",
            status.searchable_sequence, status.catalog_sequence
        );
    }
    match (&status.index, &status.index_problem) {
        (Some(index), _) => text += &describe_index(index),
        (None, Some(problem)) => text += &format!("index: {problem}\n"),
        (None, None) => {}
    }
    for record in &status.listed {
        text += &describe_document(record);
    }
    text
}

fn describe_index(index: &IndexStatistics) -> String {
    let mut text = format!(
        "index: {} live chunks, {} dead, {} vector segments, {} in the tail, {} on disk\n",
        index.live_chunks,
        index.dead_chunks,
        index.segments,
        index.tail_vectors,
        human_bytes(index.bytes_on_disk)
    );
    text += &match &index.token_codes {
        Some(make) => format!(
            "token codes: {} of {} live chunks, {} bytes a chunk ({make})\n",
            index.token_coded_chunks, index.live_chunks, index.token_bytes_per_chunk
        ),
        None => "token codes: none, searched without late interaction\n".to_owned(),
    };
    if index.token_coded_chunks < index.live_chunks {
        text += "hint: `adit rebuild --late-interaction` gives token codes to the chunks without\n";
    }
    text
}

fn describe_document(record: &DocumentRecord) -> String {
    let mut text = format!(
        "{}  {:<10}  {}  ({}, {}, {} chunks)\n",
        record.id,
        record.state.name(),
        record.source,
        record.media_type,
        record.language,
        record.chunk_count
    );
    if let Some(reason) = record.state.reason() {
        text += &format!("              {reason}\n");
    }
    if let DocumentState::Failed { hint: Some(hint), .. } = &record.state {
        text += &format!("              hint: {hint}\n");
    }
    for warning in &record.coverage.warnings {
        text += &format!("              warning: {warning}\n");
    }
    text
}
