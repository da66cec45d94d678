use std::fmt;

use serde::{Deserialize, Serialize};

use crate::SearchId;

/// "Did we answer your question correctly?"
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It was answered.
    Yes,
    /// It was not.
    No,
}

impl fmt::Display for Verdict {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Yes => "yes",
            Self::No => "no",
        })
    }
}

/// What a reader said of one search.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Feedback {
    /// Of which search.
    pub search: SearchId,
    /// Whether it was answered.
    pub verdict: Verdict,
    /// In the reader's words, secrets taken out.
    pub note: Option<String>,
    /// Milliseconds since 1970 (UTC).
    pub given_unix_ms: i64,
    /// What the same search was given before and lost by this.
    pub replaced: Option<Verdict>,
}
