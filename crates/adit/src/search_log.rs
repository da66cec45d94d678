//! The log of searches of one home, as its settings want it.

use std::path::PathBuf;

use adit_ingest::{Home, IngestError, Settings};
use adit_log::{LOG_FILE, LogError, LogOptions, SearchId, SearchLog};

use crate::failure::Failure;
use crate::output::note;

/// Logs one search, if searches are logged. A log that cannot be written is told and fails nothing.
pub(crate) fn record(
    home: &Home,
    settings: &Settings,
    write: impl FnOnce(&SearchLog) -> Result<SearchId, LogError>,
) -> Option<SearchId> {
    let log = open_for_searches(home, settings)?;
    write(&log).inspect_err(tell_unlogged).ok()
}

/// The log that searches are to be written to, if they are to be.
pub(crate) fn open_for_searches(home: &Home, settings: &Settings) -> Option<SearchLog> {
    if !settings.log.searches {
        return None;
    }
    let opened = options(home, settings)
        .and_then(|options| Ok(SearchLog::open(&file(home), options)?))
        .inspect_err(tell_unlogged);
    opened.ok()
}

/// The log of a command that reads it.
pub(crate) fn open_existing(home: &Home, settings: &Settings) -> Result<SearchLog, Failure> {
    Ok(SearchLog::open_existing(&file(home), options(home, settings)?)?)
}

fn tell_unlogged(reason: &impl std::fmt::Display) {
    note(&format!("notice: this search is not logged: {reason}"));
}

fn file(home: &Home) -> PathBuf {
    home.folder().join(LOG_FILE)
}

fn options(home: &Home, settings: &Settings) -> Result<LogOptions, Failure> {
    let redaction = settings
        .log
        .redaction()
        .map_err(|error| IngestError::Settings { path: home.settings_file(), detail: error.to_string() })?;
    Ok(LogOptions { redaction, max_bytes: settings.log.max_bytes })
}
