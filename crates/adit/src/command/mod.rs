//! One file a command.

mod advise;
mod ask;
mod ask_agent;
mod audit;
mod calibrate;
mod changed_sentences;
mod cost;
mod cost_estimate;
mod demo;
mod diagnose;
mod eval;
mod eval_answers;
mod eval_beir;
mod eval_beir_learn;
mod eval_golden_answers;
mod eval_text;
mod eval_trec;
mod eval_verification;
mod explain;
mod feedback;
mod fit_evidence;
mod gaps;
mod gaps_examiner;
mod golden;
mod grep;
mod index;
mod inspect;
mod mcp;
mod models;
mod rebuild;
mod remove;
mod search;
mod status;
mod train_ranker;

use crate::arguments::{Arguments, Command};
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// Runs the command that `arguments` name.
pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let output = Output { json: arguments.json };
    let home = arguments.home.as_deref();
    match &arguments.command {
        Command::Demo(demo) => demo::run(home, demo, output),
        Command::Index(index) => index::run(home, index, output),
        Command::Ask(ask) => ask::run(home, ask, output),
        Command::Search(search) => search::run(home, search, output),
        Command::Status(status) => status::run(home, status, output),
        Command::Rm(remove) => remove::run(home, remove, output),
        Command::Grep(grep) => grep::run(home, grep, output),
        Command::Inspect(inspect) => inspect::run(home, inspect, output),
        Command::Explain(explain) => explain::run(home, explain, output),
        Command::Rebuild(arguments) => rebuild::run(home, *arguments, output),
        Command::Models(models) => models::run(models, output),
        Command::Mcp(mcp) => mcp::run(home, mcp),
        Command::Eval(eval) => eval::run(home, eval, output),
        Command::Diagnose(diagnose) => diagnose::run(home, diagnose, output),
        Command::Audit(audit) => audit::run(home, audit, output),
        Command::Feedback(feedback) => feedback::run(home, feedback, output),
        Command::Gaps(gaps) => gaps::run(home, gaps, output),
        Command::Cost(cost) => cost::run(home, cost, output),
        Command::Golden(golden) => golden::run(home, golden, output),
        Command::Calibrate(calibrate) => calibrate::run(home, calibrate, output),
        Command::Advise(advise) => advise::run(home, advise, output),
        Command::TrainRanker(train) => train_ranker::run(home, train, output),
    }
}
