use std::io::Write;
use std::path::Path;

use adit_eval::GoldenSet;
use adit_ingest::{Home, Settings};
use adit_quality::{
    Comparison, EvaluationRun, GateOutcome, GateRule, LogEntry, SavedEvaluations, Summary, check_gate,
    compare, evaluate, html_report, summarise,
};
use adit_retrieve::SearchRequest;
use serde::Serialize;

use super::eval_text::{describe, describe_comparison, describe_log};
use super::{eval_answers, eval_beir, eval_golden_answers, eval_trec, eval_verification, fit_evidence};
use crate::arguments::{EvalArguments, EvalCommand, EvalRunArguments};
use crate::engine::{existing_home, filter, scope};
use crate::failure::{Exit, Failure};
use crate::output::{Output, is_interactive, note};
use crate::read_session::ReadSession;
use crate::reranking::with_arguments;

/// Folder of the saved evaluations inside the home.
const FOLDER: &str = "evaluations";
/// The golden set inside the home.
pub(super) const GOLDEN: &str = "golden.jsonl";

/// What `eval --json` prints.
#[derive(Serialize)]
pub(super) struct EvalResult {
    pub(super) summary: Summary,
    pub(super) comparison: Option<Comparison>,
    pub(super) gate: Option<Vec<GateOutcome>>,
    pub(super) run: EvaluationRun,
}

pub(super) fn run(home: Option<&Path>, arguments: &EvalArguments, output: Output) -> Result<Exit, Failure> {
    match &arguments.command {
        Some(EvalCommand::Beir(beir)) => eval_beir::run(beir, output),
        Some(EvalCommand::Answers(answers)) => eval_answers::run(answers, output),
        Some(EvalCommand::GoldenAnswers(golden)) => eval_golden_answers::run(home, golden, output),
        Some(EvalCommand::Verification(set)) => eval_verification::run(set, output),
        Some(EvalCommand::FitEvidence(fit)) => fit_evidence::run(fit, output),
        Some(EvalCommand::Trec(trec)) => eval_trec::run(trec, output),
        Some(EvalCommand::Log) => {
            let (home, _) = existing_home(home)?;
            output.result(&saved(&home).read_log()?, |entries| describe_log(entries))?;
            Ok(Exit::Done)
        }
        Some(EvalCommand::Compare { before, after }) => compare_saved(home, before, after, output),
        None => match arguments.run.compare.as_slice() {
            [before, after] => compare_saved(home, before, after, output),
            other => run_golden(home, &arguments.run, other.first().map(String::as_str), output),
        },
    }
}

fn saved(home: &Home) -> SavedEvaluations {
    SavedEvaluations::in_folder(&home.folder().join(FOLDER))
}

fn compare_saved(home: Option<&Path>, before: &str, after: &str, output: Output) -> Result<Exit, Failure> {
    let (home, _) = existing_home(home)?;
    let saved = saved(&home);
    let comparison = compare((before, &saved.load(before)?), (after, &saved.load(after)?))?;
    output.result(&comparison, |comparison| describe_comparison(before, after, comparison))?;
    Ok(Exit::Done)
}

fn run_golden(
    home: Option<&Path>,
    arguments: &EvalRunArguments,
    against: Option<&str>,
    output: Output,
) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let saved = saved(&home);
    // Before the questions are asked: a misspelt name should not cost a run.
    let earlier = against.map(|name| saved.load(name)).transpose()?;
    let accepted = if arguments.gate { saved.accepted()? } else { None };
    let run = ask_all(&home, &settings, arguments)?;
    let summary = summarise(&run);
    let named = arguments.save.as_deref().unwrap_or("this run");
    let comparison = match (against, &earlier) {
        (Some(name), Some(earlier)) => Some(compare((name, earlier), (named, &run))?),
        _ => None,
    };
    let gate = arguments.gate.then(|| check_gate(&rules(&settings), &run, accepted.as_ref())).transpose()?;
    if let Some(name) = &arguments.save {
        saved.save(name, &run)?;
    }
    if arguments.accept {
        saved.accept(&run)?;
    }
    saved.append_to_log(&LogEntry::new(arguments.save.as_deref(), &run, &summary))?;
    if let Some(path) = &arguments.report {
        let page = html_report(named, &run, against.zip(comparison.as_ref()));
        fs_err::write(path, page).map_err(|error| Failure::world(error.to_string()))?;
        note(&format!("report written to {}", path.display()));
    }
    let fails = gate.iter().flatten().any(|outcome| !outcome.passed);
    output.result(&EvalResult { summary, comparison, gate, run }, |result| describe(result, against))?;
    Ok(if fails { Exit::Refused } else { Exit::Done })
}

fn ask_all(home: &Home, settings: &Settings, arguments: &EvalRunArguments) -> Result<EvaluationRun, Failure> {
    let file = arguments.golden.clone().unwrap_or_else(|| home.folder().join(GOLDEN));
    let golden = GoldenSet::read(&file)?;
    let scope = scope(&arguments.scope)?;
    let filter = filter(&arguments.filter)?;
    let settings = with_arguments(settings.clone(), &arguments.rerank);
    let session = ReadSession::open(home, &settings, arguments.mode)?
        .with_signals(home, arguments.signals.selection)?;
    let mut template: SearchRequest<'_> = session.request("", &scope, &filter, arguments.mode);
    template.bm25.k1 = arguments.k1.unwrap_or(template.bm25.k1);
    template.bm25.b = arguments.b.unwrap_or(template.bm25.b);
    template.depth = arguments.depth;
    template.ef_search = arguments.ef;
    template.fusion = arguments.fusion.into();
    template.dense_weight = arguments.dense_weight;
    template.understanding = arguments.understanding.over(&settings.understand);
    template.late_interaction_weight = arguments.late_interaction.weight();
    let mut progress = |done: usize, all: usize| show_progress(done, all);
    Ok(evaluate(&session.retriever, &golden, &file.display().to_string(), &template, &mut progress)?)
}

pub(super) fn show_progress(done: usize, all: usize) {
    let mut stderr = std::io::stderr().lock();
    // Progress that cannot be shown is not missed.
    if is_interactive() {
        let end = if done == all { "\n" } else { "" };
        let _ = write!(stderr, "\r{done} of {all} questions{end}");
    } else if done.is_multiple_of(100) {
        let _ = writeln!(stderr, "{done} of {all} questions");
    }
}

fn rules(settings: &Settings) -> Vec<GateRule> {
    let rule = |section: &adit_ingest::GateSection| GateRule {
        metric: section.metric.clone(),
        segment: section.segment.clone(),
        at_least: section.at_least,
        most_loss: section.most_loss,
    };
    settings.gate.iter().map(rule).collect()
}
