use std::path::Path;
use std::time::Instant;

use adit_core::Trace;
use adit_cost::Purpose;
use adit_log::{Door, SearchId};
use adit_retrieve::{SearchResponse, render_passages};
use adit_server::{LoggedRequest, log_search};
use serde::Serialize;

use crate::arguments::SearchArguments;
use crate::engine::{existing_home, filter, scope};
use crate::failure::{Exit, Failure};
use crate::language_model::language_model;
use crate::output::{Output, note};
use crate::read_session::ReadSession;
use crate::reranking::with_arguments;
use crate::search_log;

/// What `search --json` prints.
#[derive(Serialize)]
struct Searched {
    #[serde(flatten)]
    response: SearchResponse,
    /// For `adit feedback`; null when the search was not logged.
    search_id: Option<SearchId>,
}

pub(super) fn run(home: Option<&Path>, arguments: &SearchArguments, output: Output) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let settings = with_arguments(settings, &arguments.rerank);
    let scope = scope(&arguments.scope)?;
    let filter = filter(&arguments.filter)?;
    let query = arguments.query.join(" ");
    let understanding = arguments.understanding.over(&settings.understand);
    let mut session = ReadSession::open(&home, &settings, arguments.mode)?
        .with_signals(&home, arguments.signals.selection)?;
    if understanding.needs_model() {
        match language_model(&home, &settings, Purpose::Rewrite)? {
            Some(model) => session.retriever = session.retriever.with_language_model(model),
            None => note("note: no language model is configured; the question is searched for as it is"),
        }
    }
    let mut request = session.request(&query, &scope, &filter, arguments.mode);
    request.limit = arguments.limit.unwrap_or(request.limit);
    request.budget_tokens = arguments.budget.unwrap_or(request.budget_tokens);
    request.bm25.k1 = arguments.k1.unwrap_or(request.bm25.k1);
    request.bm25.b = arguments.b.unwrap_or(request.bm25.b);
    request.ef_search = arguments.ef;
    request.dense_weight = arguments.dense_weight;
    request.late_interaction_weight = arguments.late_interaction.weight();
    request.fusion = arguments.fusion.into();
    request.understanding = understanding;
    let started = Instant::now();
    let response = session.retriever.search(&request)?;
    let asked = LoggedRequest::of(&request, Door::CommandLine, started.elapsed());
    let search_id = search_log::record(&home, &settings, |log| log_search(log, &asked, &response));
    if arguments.trace && !output.json {
        note(&describe_trace(&response.trace));
    }
    let searched = Searched { response, search_id };
    output.result(&searched, |searched| render_passages(&searched.response))?;
    if let (Some(id), false) = (&searched.search_id, output.json) {
        note(&format!("search id: {id}"));
    }
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
