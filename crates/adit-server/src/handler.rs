use std::sync::Arc;

use adit_answer::{AnswerSettings, Answerer};
use adit_core::Scope;
use adit_log::SearchId;
use adit_retrieve::{RetrieveError, Retriever};
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, JsonObject,
    ListToolsResult, MetaObject, PaginatedRequestParams, ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler, ServiceExt};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::arguments::BadCall;
use crate::collection::Collection;
use crate::tools::{Answer, Desk};
use crate::{Answering, ServerError, ServerOptions, reading, schema};

const INSTRUCTIONS: &str = "Documents with citations. Call search_docs when a question may be answered by the \
    user's own documents, and cite passages as [doc:ID]. Call read_document for the surroundings of a passage, \
    grep for an exact name or code, list_documents to learn what there is, and ask for a checked answer at once. \
    When search_docs says that nothing matches or that the evidence is weak, say so instead of guessing.";

/// In `_meta` of a search's result: the id for `adit feedback`.
const SEARCH_ID_KEY: &str = "adit/search_id";

/// Answers MCP calls for one reader.
#[derive(Clone)]
pub struct DocumentServer {
    retriever: Arc<Retriever>,
    scope: Arc<Scope>,
    options: Arc<ServerOptions>,
    answering: Arc<Answering>,
    calls: Arc<Semaphore>,
}

impl DocumentServer {
    /// A server whose every answer lies inside `scope`.
    #[must_use]
    pub fn new(retriever: Arc<Retriever>, scope: Scope, options: ServerOptions) -> Self {
        let calls = Arc::new(Semaphore::new(options.concurrent_calls.max(1)));
        let answering = options.answering.clone().unwrap_or_else(|| Answering {
            answerer: Answerer::new(retriever.as_ref().clone()),
            settings: AnswerSettings::default(),
            agent: None,
        });
        Self {
            retriever,
            scope: Arc::new(scope),
            options: Arc::new(options),
            answering: Arc::new(answering),
            calls,
        }
    }

    /// Runs `work` on a thread that may block, after taking over what a writer has published since. A
    /// bounded number of calls runs at once.
    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Desk<'_>) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let internal = |detail: String| ErrorData::internal_error(detail, None);
        let permit = self.calls.clone().acquire_owned().await.map_err(|error| internal(error.to_string()))?;
        let server = self.clone();
        let task = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            if let Err(error) = server.retriever.index().catch_up() {
                tracing::warn!(%error, "the snapshot could not be refreshed; answering from the last one");
            }
            work(&Desk {
                retriever: &server.retriever,
                scope: &server.scope,
                options: &server.options,
                answering: &server.answering,
            })
        });
        task.await.map_err(|error| internal(format!("the call did not finish: {error}")))
    }
}

impl ServerHandler for DocumentServer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("adit", env!("CARGO_PKG_VERSION")))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let listed = self.run(|desk| {
            let collection = Collection::look(desk.retriever, desk.scope)?;
            let reading = reading::definitions(desk.retriever, desk.scope);
            Ok(schema::tools(&collection, desk.options, reading))
        });
        let tools = listed
            .await?
            .map_err(|error: RetrieveError| ErrorData::internal_error(error.to_string(), None))?;
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let CallToolRequestParams { name, arguments, .. } = request;
        let called = name.clone();
        match self.run(move |desk| desk.call(&called, arguments)).await? {
            None => Err(ErrorData::invalid_params(format!("there is no tool `{name}`"), None)),
            Some(Ok(Answer { text, search_id })) => {
                let mut result = CallToolResult::success(vec![ContentBlock::text(text)]);
                // Beside the text, since there it would take of the model's budget.
                let meta = |id: SearchId| JsonObject::from_iter([(SEARCH_ID_KEY.to_owned(), json!(id))]);
                result.meta = search_id.map(|id| MetaObject(meta(id)));
                Ok(result.into())
            }
            Some(Err(BadCall { problem, hint })) => {
                let text = format!("error: {problem}\nhint: {hint}");
                Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into())
            }
        }
    }
}

/// Serves one MCP client on stdin and stdout until it hangs up. Nothing but the protocol is written to
/// stdout.
///
/// # Errors
/// [`ServerError::Handshake`] when the client never starts a session, [`ServerError::Session`].
pub async fn serve_stdio(
    retriever: Arc<Retriever>,
    scope: Scope,
    options: ServerOptions,
) -> Result<(), ServerError> {
    let server = DocumentServer::new(retriever, scope, options);
    let session = server
        .serve(rmcp::transport::stdio())
        .await
        .map_err(|error| ServerError::Handshake { detail: error.to_string() })?;
    session.waiting().await.map_err(|error| ServerError::Session { detail: error.to_string() })?;
    Ok(())
}
