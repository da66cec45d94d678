use std::path::Path;

use adit_core::{ChunkId, DocumentId, Filter, Scope, TenantId};
use adit_eval::calibration::{CalibrationMethod, ChosenCalibration, ReliabilityBin};
use adit_eval::{BeirSet, GoldenSet};
use adit_quality::{CalibrationRun, QualityError, calibrate, calibrate_on_golden};

use super::eval::{GOLDEN, show_progress};
use super::eval_beir;
use crate::arguments::{CalibrateArguments, EvalBeirArguments};
use crate::beir_home::BeirHome;
use crate::engine::{existing_home, filter, scope};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};
use crate::read_session::ReadSession;
use crate::reranking::{attach_reranker, calibration_file, with_arguments};

/// Questions named in a notice.
const NAMED_QUESTIONS: usize = 3;

pub(super) fn run(
    home: Option<&Path>,
    arguments: &CalibrateArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let settings = with_arguments(settings, &arguments.rerank);
    let golden_file = arguments.golden.clone().unwrap_or_else(|| home.folder().join(GOLDEN));
    let golden = GoldenSet::read(&golden_file)?;
    let scope = scope(&arguments.scope)?;
    let filter = filter(&arguments.filter)?;
    // Opened without the settings' own cut-off and calibration: those are what is to be fitted.
    let mut plain = settings.clone();
    plain.rerank = adit_ingest::RerankSection::default();
    let session = ReadSession::open(&home, &plain, arguments.mode)?;
    let retriever = attach_reranker(session.retriever.clone().without_reranker(), &settings)?;
    let mut template = session.request("", &scope, &filter, arguments.mode);
    template.fusion = arguments.fusion.into();
    let name = golden_file.display().to_string();
    let top_n = settings.rerank.top_n;
    let run = calibrate_on_golden(&retriever, &golden, &name, &template, top_n, &mut show_progress)?;
    let file = arguments.out.clone().unwrap_or_else(|| calibration_file(&home));
    run.file.write(&file)?;
    tell(&run);
    output.result(&run, |run| format!("{}written to {}\n", describe(&run.file.evidence), file.display()))?;
    Ok(Exit::Done)
}

/// Fits to a labelled set's judgments: a chunk is relevant when its document is.
pub(super) fn on_judgments(
    set: &BeirSet,
    home: &BeirHome,
    arguments: &EvalBeirArguments,
    file: &Path,
) -> Result<(), Failure> {
    let scope = Scope::new(TenantId::default_tenant(), []);
    let filter = Filter::default();
    let template = eval_beir::request(arguments, "", &scope, &filter);
    let view = home.retriever.catalog().view()?;
    let mut label = |question: usize, chunk: ChunkId| -> Result<Option<bool>, QualityError> {
        let Some(query) = set.queries.get(question) else { return Ok(None) };
        let stored = view.chunk(chunk)?;
        let grade = |document: &DocumentId| {
            let id = home.set_ids.get(document)?;
            set.judgments.get(&query.id)?.get(id).copied()
        };
        Ok(stored.map(|stored| grade(&stored.document).unwrap_or(0) > 0))
    };
    let questions: Vec<&str> = set.queries.iter().map(|query| query.text.as_str()).collect();
    let name = eval_beir::set_name(&arguments.folder);
    let top_n = adit_ingest::RerankSection::default().top_n;
    let run =
        calibrate(&home.retriever, &questions, &name, &template, top_n, &mut label, &mut show_progress)?;
    run.file.write(file)?;
    tell(&run);
    note(&describe(&run.file.evidence));
    Ok(())
}

fn tell(run: &CalibrationRun) {
    if run.unplaced_questions > 0 {
        note(&format!(
            "notice: {} questions are left out: their answer is nowhere in the collection",
            run.unplaced_questions
        ));
    }
    if !run.unscored_questions.is_empty() {
        let named: Vec<&str> =
            run.unscored_questions.iter().take(NAMED_QUESTIONS).map(String::as_str).collect();
        note(&format!(
            "notice: {} questions are left out: they were not reranked ({})",
            run.unscored_questions.len(),
            named.join("; ")
        ));
    }
}

fn describe(chosen: &ChosenCalibration) -> String {
    let mut text = format!(
        "{} candidates of {} questions, {} relevant; held out, by questions:\n",
        chosen.pairs, chosen.questions, chosen.relevant
    );
    text += "method     log loss   brier    calibration error\n";
    text += &format!("share only {:<10.4}\n", chosen.base_log_loss);
    for held_out in &chosen.held_out {
        let reliability = &held_out.reliability;
        text += &format!(
            "{:<10} {:<10.4} {:<8.4} {:.4}\n",
            name_of(held_out.method),
            reliability.log_loss,
            reliability.brier,
            reliability.expected_calibration_error
        );
    }
    text += &format!("\nchosen: {}. Reliability, held out:\n", name_of(chosen.method));
    text += "said       candidates   mean said   relevant\n";
    let bins = chosen.held_out.first().map(|held_out| held_out.reliability.bins.as_slice());
    for bin in bins.unwrap_or_default() {
        text += &describe_bin(bin);
    }
    text
}

fn describe_bin(bin: &ReliabilityBin) -> String {
    if bin.count == 0 {
        return format!("{:.1} to {:.1} {:>10}\n", bin.from, bin.to, 0);
    }
    format!(
        "{:.1} to {:.1} {:>10} {:>12.3} {:>10.3}\n",
        bin.from, bin.to, bin.count, bin.predicted, bin.observed
    )
}

fn name_of(method: CalibrationMethod) -> &'static str {
    match method {
        CalibrationMethod::Platt => "platt",
        CalibrationMethod::Isotonic => "isotonic",
    }
}
