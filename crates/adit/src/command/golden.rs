//! `adit golden`: one file a subcommand.

mod add;
mod check;
mod import;
mod indexed_texts;
mod review;
mod split;

use std::path::{Path, PathBuf};

use adit_eval::{EvalError, GoldenSet};

use crate::arguments::{GoldenCommand, GoldenFileArguments, GoldenGenerateArguments};
use crate::engine::existing_home;
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// The golden set inside the home.
const GOLDEN: &str = "golden.jsonl";

pub(super) fn run(home: Option<&Path>, command: &GoldenCommand, output: Output) -> Result<Exit, Failure> {
    match command {
        GoldenCommand::Add(add) => add::run(home, add, output),
        GoldenCommand::Import(import) => import::run(home, import, output),
        GoldenCommand::Check(file) => check::run(home, file, output),
        GoldenCommand::Review(review) => review::run(home, review, output),
        GoldenCommand::Split(split) => split::run(home, split, output),
        GoldenCommand::Generate(generate) => Err(no_language_model(generate)),
    }
}

fn file(home: Option<&Path>, arguments: &GoldenFileArguments) -> Result<PathBuf, Failure> {
    match &arguments.file {
        Some(file) => Ok(file.clone()),
        None => Ok(existing_home(home)?.0.folder().join(GOLDEN)),
    }
}

/// The set in `file`, or an empty one where the file is not there yet.
fn read_or_start(file: &Path) -> Result<GoldenSet, Failure> {
    match GoldenSet::read(file) {
        Err(EvalError::NoGoldenSet { .. }) => Ok(GoldenSet::default()),
        other => Ok(other?),
    }
}

/// The generation itself is `adit_eval::golden::generate_golden`; what is missing is a model to call.
fn no_language_model(arguments: &GoldenGenerateArguments) -> Failure {
    Failure::usage(
        format!(
            "no language model is configured, so none can propose the {} questions; nothing was called or written",
            arguments.questions
        ),
        "this version has no provider for language models yet: write questions yourself with `adit golden add`, or \
         take over a labelled set with `adit golden import`",
    )
}
