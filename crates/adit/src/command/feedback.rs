use std::path::Path;

use adit_log::{Feedback, SearchId, Verdict};

use crate::arguments::{FeedbackArguments, VerdictArgument};
use crate::engine::existing_home;
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::search_log;

impl From<VerdictArgument> for Verdict {
    fn from(argument: VerdictArgument) -> Self {
        match argument {
            VerdictArgument::Yes => Self::Yes,
            VerdictArgument::No => Self::No,
        }
    }
}

pub(super) fn run(
    home: Option<&Path>,
    arguments: &FeedbackArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let id: SearchId = arguments.id.parse()?;
    let log = search_log::open_existing(&home, &settings)?;
    let feedback = log.give_feedback(&id, arguments.verdict.into(), arguments.note.as_deref())?;
    output.result(&feedback, describe)?;
    Ok(Exit::Done)
}

fn describe(feedback: &Feedback) -> String {
    let instead = feedback.replaced.map(|before| format!(" instead of {before}")).unwrap_or_default();
    format!("noted for search {}: {}{instead}", feedback.search, feedback.verdict)
}
