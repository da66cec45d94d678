use std::path::Path;
use std::sync::Arc;

use adit_agent::Agent;
use adit_cost::Purpose;
use adit_ingest::{Home, Settings};
use adit_retrieve::Retriever;
use adit_server::{Answering, ServerOptions, serve_stdio};

use super::ask::{answerer, settings_of};
use super::ask_agent::agent_settings;

use crate::arguments::{McpArguments, ModeArgument};
use crate::engine::{existing_home, scope};
use crate::failure::{Exit, Failure};
use crate::language_model::language_model;
use crate::read_session::ReadSession;
use crate::search_log;

pub(super) fn run(home: Option<&Path>, arguments: &McpArguments) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let scope = scope(&arguments.scope)?;
    let session = ReadSession::open(&home, &settings, ModeArgument::Hybrid)?;
    let search_log = search_log::open_for_searches(&home, &settings).map(Arc::new);
    let answering = Some(answering(&home, &session.retriever, &settings)?);
    let budget_tokens = arguments.budget;
    let options = ServerOptions { budget_tokens, search_log, answering, ..ServerOptions::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::world(format!("cannot start the server: {error}")))?;
    runtime.block_on(serve_stdio(Arc::new(session.retriever), scope, options))?;
    Ok(Exit::Done)
}

/// What answers `ask`: an agent where there is a language model, the documents' own sentences where not.
fn answering(home: &Home, retriever: &Retriever, settings: &Settings) -> Result<Answering, Failure> {
    let model = language_model(home, settings, Purpose::Answer)?;
    let answerer = answerer(retriever, settings, model.clone());
    let agent = model.map(|model| (Agent::new(answerer.clone(), model), agent_settings(settings)));
    Ok(Answering { answerer, settings: settings_of(&settings.answer), agent })
}
