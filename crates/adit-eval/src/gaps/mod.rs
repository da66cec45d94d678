//! What readers asked for in vain, and why: questions that failed are grouped by meaning, and each group is
//! a topic gap (nothing near is in the documents) or a capability gap (it is there and was not found).
//!
//! Everything here works on plain values, so that a log, a labelled set or a test may feed it.

mod classify;
mod cluster;
mod group;
mod next_step;
mod question;
mod report;
mod similarity;
mod words;

pub use classify::{GapKind, classify};
pub use cluster::cluster;
pub use group::{GapExample, GapGroup, TermCount};
pub use question::{AskedQuestion, Outcome, TermStanding, Trouble};
pub use report::{GapOptions, GapReport, find_gaps};
pub use words::question_words;
