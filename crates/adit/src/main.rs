//! The `adit` command: arguments in, wiring, results on stdout, everything else on stderr.

mod answer_lines;
mod arguments;
mod beir_home;
mod command;
mod corpus_survey;
mod engine;
mod failure;
mod interrupt;
mod language_model;
mod output;
mod progress;
mod read_session;
mod reranking;
mod search_log;
mod signals;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::Arguments;

fn main() -> ExitCode {
    let mut raw = std::env::args_os().skip(1);
    if raw.next().is_some_and(|first| first == adit_parse::WORKER_ARGUMENT) {
        let name = raw.next().unwrap_or_default();
        return ExitCode::from(adit_parse::run_worker(&name.to_string_lossy()));
    }
    let arguments = Arguments::parse();
    start_logging();
    let json = arguments.json;
    match command::run(arguments) {
        Ok(code) => code.into(),
        Err(failure) => {
            failure.report(json);
            failure.exit_code().into()
        }
    }
}

/// Logs go to stderr and are silent unless `ADIT_LOG` asks for them.
fn start_logging() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("ADIT_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("error"));
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
