use std::fmt;

use serde::{Deserialize, Serialize};

/// Where in the pipeline something happened.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PipelineStage {
    /// Reading bytes from the source.
    Read,
    /// Bytes to block tree.
    Parse,
    /// Block tree to chunks.
    Chunk,
    /// Texts to vectors.
    Embed,
    /// Writing the document version.
    Commit,
}

impl fmt::Display for PipelineStage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Read => "read",
            Self::Parse => "parse",
            Self::Chunk => "chunk",
            Self::Embed => "embed",
            Self::Commit => "commit",
        })
    }
}

/// What became of a document. A document is in exactly one state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum DocumentState {
    /// All of its text is committed and will be in the next snapshot.
    Searchable,
    /// Some of its text is; the rest could not be read.
    Partial {
        /// Why.
        reason: String,
        /// Pages without text, from 1; empty when the format has no pages.
        missing_pages: Vec<u32>,
    },
    /// Nothing of it is searchable because a stage failed.
    Failed {
        /// Where.
        stage: PipelineStage,
        /// Why.
        cause: String,
        /// What to do next.
        hint: Option<String>,
    },
    /// Nothing of it is searchable by intention.
    Skipped {
        /// Why.
        reason: String,
    },
}

impl DocumentState {
    /// `searchable`, `partial`, `failed` or `skipped`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Searchable => "searchable",
            Self::Partial { .. } => "partial",
            Self::Failed { .. } => "failed",
            Self::Skipped { .. } => "skipped",
        }
    }

    /// Cause or reason in words, if there is one.
    #[must_use]
    pub fn reason(&self) -> Option<&str> {
        match self {
            Self::Searchable => None,
            Self::Partial { reason, .. } | Self::Skipped { reason } => Some(reason),
            Self::Failed { cause, .. } => Some(cause),
        }
    }
}

/// How many documents are in each state. Always counted by a query, never maintained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StateCounts {
    /// Fully searchable.
    pub searchable: u64,
    /// Searchable in part.
    pub partial: u64,
    /// Not searchable, with a cause.
    pub failed: u64,
    /// Left out on purpose, with a reason.
    pub skipped: u64,
}

impl StateCounts {
    /// All documents.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.searchable + self.partial + self.failed + self.skipped
    }

    /// Counts one more document in `state`.
    pub fn add(&mut self, state: &DocumentState) {
        match state {
            DocumentState::Searchable => self.searchable += 1,
            DocumentState::Partial { .. } => self.partial += 1,
            DocumentState::Failed { .. } => self.failed += 1,
            DocumentState::Skipped { .. } => self.skipped += 1,
        }
    }
}
