use std::path::Path;

use adit_retrieve::{ExplainTarget, render_explanation};

use crate::arguments::{ExplainArguments, ModeArgument};
use crate::engine::{existing_home, filter, scope};
use crate::failure::{Exit, Failure};
use crate::output::Output;
use crate::read_session::ReadSession;
use crate::reranking::with_arguments;

pub(super) fn run(
    home: Option<&Path>,
    arguments: &ExplainArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let settings = with_arguments(settings, &arguments.rerank);
    let scope = scope(&arguments.scope)?;
    let filter = filter(&arguments.filter)?;
    let session = ReadSession::open(&home, &settings, ModeArgument::Hybrid)?
        .with_signals(&home, arguments.signals.selection)?;
    let request = session.request(&arguments.query, &scope, &filter, ModeArgument::Hybrid);
    let target = ExplainTarget::read(&arguments.target);
    let explanation = session.retriever.explain(&request, &target)?;
    output.result(&explanation, render_explanation)?;
    Ok(Exit::Done)
}
