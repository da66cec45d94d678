use std::path::Path;
use std::sync::Arc;

use adit_server::{ServerOptions, serve_stdio};

use crate::arguments::{McpArguments, ModeArgument};
use crate::engine::{existing_home, scope};
use crate::failure::{Exit, Failure};
use crate::read_session::ReadSession;
use crate::search_log;

pub(super) fn run(home: Option<&Path>, arguments: &McpArguments) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let scope = scope(&arguments.scope)?;
    let session = ReadSession::open(&home, &settings, ModeArgument::Hybrid)?;
    let search_log = search_log::open_for_searches(&home, &settings).map(Arc::new);
    let options = ServerOptions { budget_tokens: arguments.budget, search_log, ..ServerOptions::default() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(|error| Failure::world(format!("cannot start the server: {error}")))?;
    runtime.block_on(serve_stdio(Arc::new(session.retriever), scope, options))?;
    Ok(Exit::Done)
}
