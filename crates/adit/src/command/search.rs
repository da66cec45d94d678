use std::path::Path;

use adit_core::Trace;
use adit_retrieve::render_passages;

use crate::arguments::SearchArguments;
use crate::engine::{existing_home, filter, scope};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};
use crate::read_session::ReadSession;

pub(super) fn run(home: Option<&Path>, arguments: &SearchArguments, output: Output) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let scope = scope(&arguments.scope)?;
    let filter = filter(&arguments.filter)?;
    let query = arguments.query.join(" ");
    let session = ReadSession::open(&home, &settings, arguments.mode)?;
    let mut request = session.request(&query, &scope, &filter, arguments.mode);
    request.limit = arguments.limit.unwrap_or(request.limit);
    request.budget_tokens = arguments.budget.unwrap_or(request.budget_tokens);
    request.bm25.k1 = arguments.k1.unwrap_or(request.bm25.k1);
    request.bm25.b = arguments.b.unwrap_or(request.bm25.b);
    request.ef_search = arguments.ef;
    let response = session.retriever.search(&request)?;
    if arguments.trace && !output.json {
        note(&describe_trace(&response.trace));
    }
    output.result(&response, render_passages)?;
    Ok(Exit::Done)
}

fn describe_trace(trace: &Trace) -> String {
    let mut text = format!("snapshot at change {}, fingerprint {}\n", trace.sequence, trace.fingerprint);
    for stage in &trace.stages {
        text += &format!(
            "{:<12} {:>5} in {:>5} out {:>8} us  {}\n",
            stage.stage, stage.items_in, stage.items_out, stage.elapsed_us, stage.detail
        );
    }
    text
}
