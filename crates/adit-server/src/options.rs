use std::sync::Arc;

use adit_log::SearchLog;
use adit_retrieve::Mode;

use crate::Answering;

/// How the server answers where a call does not say.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// Tokens of an answer when the call names none.
    pub budget_tokens: usize,
    /// The most tokens a call may ask for.
    pub max_budget_tokens: usize,
    /// Passages of an answer when the call names no limit.
    pub limit: usize,
    /// Which retrievers are asked.
    pub mode: Mode,
    /// Calls answered at the same time; further ones wait.
    pub concurrent_calls: usize,
    /// Where searches are logged; `None` logs none.
    pub search_log: Option<Arc<SearchLog>>,
    /// What answers `ask`; `None` answers with the documents' own sentences.
    pub answering: Option<Answering>,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            budget_tokens: 4_000,
            max_budget_tokens: 20_000,
            limit: 8,
            mode: Mode::Hybrid,
            concurrent_calls: 4,
            search_log: None,
            answering: None,
        }
    }
}
