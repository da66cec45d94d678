//! Arguments of the commands about what readers asked: feedback, gaps.

use clap::{Args, ValueEnum};

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum VerdictArgument {
    /// The question was answered
    Yes,
    /// It was not
    No,
}

#[derive(Debug, Args)]
pub(crate) struct FeedbackArguments {
    /// The search, as its line `search id: ...` names it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// Did it answer your question correctly? Asked again, the new answer replaces the old one
    #[arg(value_enum)]
    pub(crate) verdict: VerdictArgument,
    /// What was wrong or missing, in your words; keys and passwords are taken out before it is stored
    #[arg(long, value_name = "TEXT")]
    pub(crate) note: Option<String>,
}

/// Show what was asked in vain: topics no document covers, and answers that are there and were not found.
///
/// Reads the log of every search (log.db in the home directory) and runs the failed ones again as the reader
/// who asked. It shows the questions of all readers of all tenants: an administrator's act, for whoever may
/// read the home directory.
#[derive(Debug, Args)]
pub(crate) struct GapsArguments {
    /// Only searches since then: a date (2026-01-31, UTC), a time (2026-01-31T12:00:00Z), or days back (7d)
    #[arg(long, value_name = "DATE")]
    pub(crate) since: Option<String>,
    /// Most groups to show
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub(crate) limit: usize,
}
