use adit_core::{DocumentState, SequenceNumber};
use serde::Serialize;

/// What happens during a run, for progress displays and logs.
#[derive(Debug, Clone)]
pub enum IngestEvent<'a> {
    /// The walk is over.
    Found {
        /// Files to look at.
        files: usize,
        /// Their sizes together.
        bytes: u64,
    },
    /// A file was found to hold one more document, which counts as one more file.
    FoundInside,
    /// A file was read and compared; it is new, changed or to be tried again.
    Reading {
        /// Its source name.
        source: &'a str,
    },
    /// A file needs nothing.
    Unchanged {
        /// Its source name.
        source: &'a str,
    },
    /// Chunks were embedded.
    Embedded {
        /// How many just now (those found among stored vectors included).
        chunks: usize,
        /// Their tokens.
        tokens: u64,
        /// Of these chunks, how many the model had to run for.
        computed: usize,
    },
    /// A document version is committed.
    Committed {
        /// Its source name.
        source: &'a str,
        /// Its state.
        state: &'a DocumentState,
        /// Its chunks.
        chunks: usize,
    },
    /// A document whose file is gone was removed.
    Removed {
        /// Its source name.
        source: &'a str,
    },
    /// A new snapshot was published.
    Published {
        /// Up to this change.
        sequence: SequenceNumber,
    },
    /// Something a person should know that is no document's state.
    Notice {
        /// One sentence.
        text: &'a str,
    },
}

/// Listens to a run. Called from the run's own thread.
pub trait IngestObserver: Send + Sync {
    /// Takes one event.
    fn event(&self, event: &IngestEvent<'_>);
}

/// Listens to nothing.
#[derive(Debug, Clone, Copy, Default)]
pub struct SilentObserver;

impl IngestObserver for SilentObserver {
    fn event(&self, _event: &IngestEvent<'_>) {}
}

/// One document with a reason, for the list at the end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ReportedDocument {
    /// Its source name.
    pub source: String,
    /// Its state.
    pub state: DocumentState,
}

/// What a run did.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct IngestReport {
    /// Files looked at, those inside other files included.
    pub files: usize,
    /// Documents committed, whatever their state.
    pub committed: usize,
    /// Files that needed nothing.
    pub unchanged: usize,
    /// Documents removed because their file is gone.
    pub removed: usize,
    /// Chunks of the committed documents.
    pub chunks: usize,
    /// Chunks the model ran for.
    pub embedded_chunks: usize,
    /// Tokens the model ran for.
    pub embedded_tokens: u64,
    /// Time inside the model.
    pub embedding_ms: u64,
    /// Time of the whole run.
    pub elapsed_ms: u64,
    /// Documents of this run that are not fully searchable.
    pub reported: Vec<ReportedDocument>,
    /// Folders and files that could not be looked into.
    pub problems: Vec<String>,
    /// Whether the run was cancelled before its end.
    pub interrupted: bool,
}

impl IngestReport {
    /// Whether any document of the run failed or any folder could not be read.
    #[must_use]
    pub fn has_failures(&self) -> bool {
        !self.problems.is_empty()
            || self.reported.iter().any(|one| matches!(one.state, DocumentState::Failed { .. }))
    }
}
