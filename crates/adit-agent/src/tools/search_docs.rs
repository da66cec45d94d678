use adit_core::ToolDefinition;
use adit_retrieve::SearchRequest;
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::schema;
use crate::reader::{Reader, failure};
use crate::{Privilege, Tool, ToolFailure, ToolOutput};

/// Passages by words and meaning.
pub(super) struct SearchDocs<'a> {
    pub(super) reader: Reader<'a>,
}

const MOST_PASSAGES: u64 = 20;

impl Tool for SearchDocs<'_> {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "search_docs".to_owned(),
            description:
                "Finds passages in the documents by their words and by their meaning. Ask for one thing \
                a call, in 2 to 8 keywords or a short question; copy names, codes and numbers exactly. For a \
                question with several parts, search for each part. A second search with the same words finds \
                the same passages: use other words."
                    .to_owned(),
            input_schema: schema(
                &json!({
                    "query": { "type": "string", "minLength": 1, "description": "What to look for." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": MOST_PASSAGES }
                }),
                &["query"],
            ),
            strict: true,
        }
    }

    fn privilege(&self) -> Privilege {
        Privilege::Read
    }

    fn call(&self, arguments: &Map<String, Value>, budget_tokens: usize) -> Result<ToolOutput, ToolFailure> {
        let arguments = Arguments::new(arguments, &["query", "limit"])?;
        let query = arguments.text("query")?;
        let limit =
            arguments.number("limit", 1, MOST_PASSAGES)?.and_then(|limit| usize::try_from(limit).ok());
        let request = SearchRequest {
            query,
            limit: limit.unwrap_or(self.reader.search.limit),
            budget_tokens,
            ..self.reader.search
        };
        let response = self.reader.retriever.search(&request).map_err(failure)?;
        let mut notes = Vec::new();
        if response.passages.is_empty() {
            notes.push("nothing was found; try other words, or grep for an exact name or code".to_owned());
        }
        if response.evidence.is_weak() {
            notes.push("the evidence is weak: these passages hardly answer the query".to_owned());
        }
        if response.omitted > 0 {
            notes.push(format!("{} further passages did not fit", response.omitted));
        }
        Ok(ToolOutput { passages: response.passages, notes, usage: response.plan.usage, quoted: Vec::new() })
    }
}
