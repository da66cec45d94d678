use std::path::Path;

use adit_eval::GoldenSet;
use adit_quality::{RankerTraining, train_ranker};

use super::eval::{GOLDEN, show_progress};
use super::eval_text::describe_comparison;
use crate::arguments::TrainRankerArguments;
use crate::engine::{existing_home, filter, scope};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};
use crate::read_session::ReadSession;
use crate::signals::ranker_file;

pub(super) fn run(
    home: Option<&Path>,
    arguments: &TrainRankerArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let file = arguments.golden.clone().unwrap_or_else(|| home.folder().join(GOLDEN));
    let golden = GoldenSet::read(&file)?;
    let scope = scope(&arguments.scope)?;
    let filter = filter(&arguments.filter)?;
    let session =
        ReadSession::open(&home, &settings, arguments.mode)?.with_signals(&home, arguments.signals)?;
    let template = session.request("", &scope, &filter, arguments.mode);
    let name = file.display().to_string();
    let mut progress = |done: usize, all: usize| show_progress(done, all);
    let training =
        train_ranker(&session.retriever, &golden, &name, &template, arguments.folds, &mut progress)?;
    if training.refused.is_none() {
        let path = ranker_file(&home);
        training.ranker.store(&path)?;
        note(&format!("ranker written to {}; use it with `--signals learned`", path.display()));
    }
    output.result(&training, describe)?;
    Ok(if training.refused.is_some() { Exit::Refused } else { Exit::Done })
}

fn describe(training: &RankerTraining) -> String {
    let mut text = format!(
        "{} questions in {} folds, {} trees\n{}",
        training.questions,
        training.folds,
        training.ranker.tree_count(),
        describe_comparison("default order", "trained ranker", &training.comparison)
    );
    match &training.refused {
        Some(reason) => text += &format!("\nrefused: {reason}\n"),
        None => text += "\naccepted\n",
    }
    text
}
