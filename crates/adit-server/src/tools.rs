use std::time::Instant;

use adit_core::{Classified, DocumentId, Filter, MetadataValue, PassageId, ReadScope, Scope, Test};
use adit_index::Facet;
use adit_log::{Door, LogError, SearchId, SearchLog};
use adit_retrieve::{
    DocumentExcerpt, MIN_BUDGET_TOKENS, ReadFrom, RetrieveError, Retriever, SearchRequest, render_excerpt,
    render_passages,
};
use rmcp::model::JsonObject;
use serde_json::json;

use crate::arguments::{Arguments, BadCall};
use crate::ask::render;
use crate::schema::MAX_LIMIT;
use crate::search_logging::{LoggedRequest, log_ranking, log_search};
use crate::{Answering, ServerOptions, reading};

/// Documents that `search` returns.
const CONNECTOR_RESULTS: usize = 10;

/// Everything a call is answered with. Blocking: run it off the async threads.
pub(crate) struct Desk<'a> {
    pub(crate) retriever: &'a Retriever,
    pub(crate) scope: &'a Scope,
    pub(crate) options: &'a ServerOptions,
    pub(crate) answering: &'a Answering,
}

/// What a call is answered with.
pub(crate) struct Answer {
    pub(crate) text: String,
    /// Under which name the search was logged.
    pub(crate) search_id: Option<SearchId>,
}

impl From<String> for Answer {
    fn from(text: String) -> Self {
        Self { text, search_id: None }
    }
}

impl From<RetrieveError> for BadCall {
    fn from(error: RetrieveError) -> Self {
        let hint = error.hint().unwrap_or_else(|| "try again; if it happens again, tell the user".to_owned());
        Self::new(error.to_string(), hint)
    }
}

impl Desk<'_> {
    /// What answers a call, or `None` when there is no such tool.
    pub(crate) fn call(&self, name: &str, given: Option<JsonObject>) -> Option<Result<Answer, BadCall>> {
        let arguments = Arguments::new(given);
        match name {
            "search_docs" => Some(self.search_docs(arguments)),
            "read_document" => Some(self.read_document(arguments).map(Answer::from)),
            "search" => Some(self.search(arguments)),
            "fetch" => Some(self.fetch(arguments).map(Answer::from)),
            "ask" => Some(self.ask(arguments)),
            "grep" | "list_documents" => Some(self.reading(name, arguments).map(Answer::from)),
            _ => None,
        }
    }

    fn search_docs(&self, mut arguments: Arguments) -> Result<Answer, BadCall> {
        let query = arguments.text("query")?;
        let filter = arguments.filter("filters")?;
        let limit = arguments.number("limit", 1, MAX_LIMIT)?;
        let budget = self.budget(&mut arguments)?;
        arguments.finish()?;
        self.check_filter(&filter)?;
        let request = SearchRequest {
            mode: self.options.mode,
            limit: limit.unwrap_or(self.options.limit),
            budget_tokens: budget,
            ..SearchRequest::new(&query, self.scope, &filter)
        };
        let started = Instant::now();
        let response = self.retriever.search(&request)?;
        let asked = LoggedRequest::of(&request, Door::Mcp, started.elapsed());
        let search_id = self.logged(|log| log_search(log, &asked, &response));
        Ok(Answer { text: render_passages(&response), search_id })
    }

    fn ask(&self, mut arguments: Arguments) -> Result<Answer, BadCall> {
        let question = arguments.text("question")?;
        let filter = arguments.filter("filters")?;
        let budget = self.budget(&mut arguments)?;
        arguments.finish()?;
        self.check_filter(&filter)?;
        let request = SearchRequest {
            mode: self.options.mode,
            limit: self.options.limit,
            budget_tokens: budget,
            ..SearchRequest::new(&question, self.scope, &filter)
        };
        let started = Instant::now();
        let outcome = self.answering.ask(request)?;
        let asked = LoggedRequest::of(&request, Door::Mcp, started.elapsed());
        let search_id = self.logged(|log| log_search(log, &asked, &outcome.response));
        Ok(Answer { text: render(&outcome, budget), search_id })
    }

    fn reading(&self, name: &str, mut arguments: Arguments) -> Result<String, BadCall> {
        let budget = self.budget(&mut arguments)?;
        reading::call(self.retriever, self.scope, name, &arguments.rest(), budget)
    }

    /// No call fails because the log does.
    fn logged(&self, write: impl FnOnce(&SearchLog) -> Result<SearchId, LogError>) -> Option<SearchId> {
        match write(self.options.search_log.as_deref()?) {
            Ok(id) => Some(id),
            Err(error) => {
                tracing::warn!(%error, "the search was not logged");
                None
            }
        }
    }

    fn read_document(&self, mut arguments: Arguments) -> Result<String, BadCall> {
        let (document, around) = document_id(&arguments.text("id")?);
        let chunk = arguments.number("start_chunk", 0, u32::MAX as usize)?;
        let character = arguments.number("start_character", 0, usize::MAX)?;
        let budget = self.budget(&mut arguments)?;
        arguments.finish()?;
        let chunk = chunk.and_then(|chunk| u32::try_from(chunk).ok()).or(around);
        let from = match (character, chunk) {
            (Some(start), _) => ReadFrom::Character { start, end: None },
            (None, Some(first)) => ReadFrom::Chunk { first, count: None },
            (None, None) => ReadFrom::default(),
        };
        Ok(render_excerpt(&self.retriever.read_document(&document, self.scope, from, budget)?))
    }

    /// `{"results": [{"id", "title", "url"}]}`, one result a document.
    fn search(&self, mut arguments: Arguments) -> Result<Answer, BadCall> {
        let query = arguments.text("query")?;
        arguments.finish()?;
        let filter = Filter::default();
        let request =
            SearchRequest { mode: self.options.mode, ..SearchRequest::new(&query, self.scope, &filter) };
        let started = Instant::now();
        let snapshot = self.retriever.index().snapshot();
        let ranking = self.retriever.rank(&request)?;
        let asked = LoggedRequest::of(&request, Door::Mcp, started.elapsed());
        let view = self.retriever.catalog().view().map_err(RetrieveError::from)?;
        let mut seen: Vec<DocumentId> = Vec::new();
        let mut results = Vec::new();
        for chunk in &ranking.chunks {
            if seen.len() == CONNECTOR_RESULTS {
                break;
            }
            if seen.contains(&chunk.document) {
                continue;
            }
            let record = view.document(&chunk.document, ReadScope::Reader(self.scope));
            if let Some(record) = record.map_err(RetrieveError::from)? {
                let url = url(&record.id, &record.source);
                results.push(json!({ "id": record.id.as_str(), "title": record.title, "url": url }));
            }
            seen.push(chunk.document.clone());
        }
        let found = results.len();
        let search_id = self.logged(|log| log_ranking(log, &asked, &query, &snapshot, ranking, found));
        Ok(Answer { text: json!({ "results": results }).to_string(), search_id })
    }

    /// `{"id", "title", "text", "url", "metadata"}`; `metadata.truncated` says whether the text is whole.
    fn fetch(&self, mut arguments: Arguments) -> Result<String, BadCall> {
        let (document, around) = document_id(&arguments.text("id")?);
        arguments.finish()?;
        let from = around.map_or_else(ReadFrom::default, |first| ReadFrom::Chunk { first, count: None });
        let budget = self.options.max_budget_tokens;
        let excerpt = self.retriever.read_document(&document, self.scope, from, budget)?;
        let url = url(&excerpt.document, &excerpt.source);
        let DocumentExcerpt { title, text, source, truncated, continue_with, notices, .. } = excerpt;
        let metadata = json!({
            "source": source, "truncated": truncated.to_string(),
            "continue_with": continue_with.unwrap_or_default(), "notes": notices.join("; ")
        });
        Ok(json!({
            "id": document.as_str(), "title": title, "text": text, "url": url, "metadata": metadata
        })
        .to_string())
    }

    fn budget(&self, arguments: &mut Arguments) -> Result<usize, BadCall> {
        let most = self.options.max_budget_tokens;
        let default = self.options.budget_tokens.clamp(MIN_BUDGET_TOKENS, most);
        Ok(arguments.number("max_tokens", MIN_BUDGET_TOKENS, most)?.unwrap_or(default))
    }

    /// Refuses a value that no document in scope has, naming those there are: a model corrects itself
    /// better than it reads an empty answer.
    fn check_filter(&self, filter: &Filter) -> Result<(), BadCall> {
        if filter.is_empty() {
            return Ok(());
        }
        let facets = self.retriever.index().snapshot().facets(self.scope);
        for condition in &filter.conditions {
            let facet = facets.iter().find(|facet| facet.key == condition.key);
            if let (Some(facet), Test::AnyOf(wanted)) = (facet, &condition.test)
                && let Some(unknown) = wanted.iter().find(|value| is_absent(facet, value))
            {
                let values: Vec<String> =
                    facet.values.iter().map(|value| format!("`{}`", value.value)).collect();
                return Err(BadCall::new(
                    format!("no document has `{}` = `{}`", condition.key, unknown.to_text()),
                    format!("the values are {}", values.join(", ")),
                ));
            }
        }
        Ok(())
    }
}

/// Only where the list of values is whole can absence be told.
fn is_absent(facet: &Facet, wanted: &MetadataValue) -> bool {
    facet.values.len() == facet.distinct_values
        && !facet.values.iter().any(|value| MetadataValue::parse(&value.value).same_as(wanted))
}

/// A document id as models write it: bare, with `doc:`, in brackets, or as a passage id.
fn document_id(text: &str) -> (DocumentId, Option<u32>) {
    let bare = text.trim().trim_start_matches('[').trim_end_matches(']').trim();
    match bare.parse::<PassageId>() {
        Ok(passage) => (passage.document, Some(passage.chunk_index)),
        Err(_) => (DocumentId::from_stored(bare.trim_start_matches("doc:")), None),
    }
}

fn url(id: &DocumentId, source: &str) -> String {
    if source.contains("://") { source.to_owned() } else { format!("adit://document/{id}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_as_models_write_them() {
        let expected = DocumentId::from_stored("3f9a1c20b7d4");
        for written in ["3f9a1c20b7d4", "doc:3f9a1c20b7d4", " [doc:3f9a1c20b7d4] "] {
            assert_eq!(document_id(written), (expected.clone(), None));
        }
        assert_eq!(document_id("[doc:3f9a1c20b7d4#2]"), (expected, Some(2)));
    }
}
