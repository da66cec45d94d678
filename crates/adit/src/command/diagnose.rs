use std::path::Path;

use adit_core::AdministratorScope;
use adit_quality::{Diagnosis, DiagnosisRequest, Stage, diagnose};

use crate::arguments::DiagnoseArguments;
use crate::engine::{existing_home, filter, scope};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::read_session::ReadSession;

pub(super) fn run(
    home: Option<&Path>,
    arguments: &DiagnoseArguments,
    output: Output,
) -> Result<Exit, Failure> {
    if arguments.expect.trim().is_empty() {
        return Err(Failure::usage(
            "--expect is empty",
            "give some words of the document that answer the question",
        ));
    }
    let (home, settings) = existing_home(home)?;
    let scope = scope(&arguments.scope)?;
    let filter = filter(&arguments.filter)?;
    let session = ReadSession::open(&home, &settings, arguments.mode)?;
    let mut search = session.request(&arguments.question, &scope, &filter, arguments.mode);
    search.limit = arguments.limit.unwrap_or(search.limit);
    search.budget_tokens = arguments.budget.unwrap_or(search.budget_tokens);
    let base_folder = home.base_folder()?;
    let request = DiagnosisRequest {
        search,
        expected: &arguments.expect,
        source: arguments.source.as_deref(),
        base_folder: Some(&base_folder),
        answer: arguments.answer.as_deref(),
    };
    let administrator = AdministratorScope::assume("adit diagnose");
    let diagnosis = diagnose(&session.retriever, &administrator, &request)?;
    output.result(&diagnosis, describe)?;
    Ok(if diagnosis.stage == Stage::None { Exit::Done } else { Exit::Failures })
}

fn describe(diagnosis: &Diagnosis) -> String {
    let mut text = String::new();
    for finding in &diagnosis.findings {
        let mark = if finding.is_good { "ok  " } else { "LOST" };
        text += &format!("{mark} {:<9} {}\n", finding.check, finding.evidence);
    }
    text + &format!(
        "\nstage: {}\nwhy:   {}\ntry:   {}\n",
        diagnosis.stage, diagnosis.reason, diagnosis.remedy
    )
}
