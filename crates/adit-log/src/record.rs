use std::fmt;

use adit_core::{Filter, Scope, Trace};
use serde::{Deserialize, Serialize};

/// Which way a search came in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Door {
    /// `adit search`.
    CommandLine,
    /// A tool of the MCP server.
    Mcp,
}

impl Door {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CommandLine => "command_line",
            Self::Mcp => "mcp",
        }
    }

    pub(crate) fn from_name(name: &str) -> Option<Self> {
        [Self::CommandLine, Self::Mcp].into_iter().find(|door| door.name() == name)
    }
}

impl fmt::Display for Door {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// What spoke for the documents answering at all, as retrieval weighed it.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct EvidenceFigures {
    /// Whether retrieval called it weak.
    pub is_weak: bool,
    /// Cosine of the nearest chunk, when meaning was searched.
    pub top_cosine: Option<f32>,
    /// Content words of the question.
    pub content_terms: usize,
    /// Those of them that stand in none of the passages.
    pub missing_terms: Vec<String>,
}

/// One search, as it goes into the log.
#[derive(Debug, Clone)]
pub struct SearchRecord<'a> {
    /// Everything that happened.
    pub trace: &'a Trace,
    /// Who asked.
    pub scope: &'a Scope,
    /// What else had to hold.
    pub filter: &'a Filter,
    /// Which way it came in.
    pub door: Door,
    /// `hybrid`, `dense` or `lexical`.
    pub mode: &'a str,
    /// Passages (or documents) that were returned.
    pub passages: usize,
    /// `None` where the evidence was not weighed.
    pub evidence: Option<EvidenceFigures>,
    /// Wall time of the search in microseconds.
    pub elapsed_us: u64,
}
