//! The tools of every agent. All of them read, and only what the question's reader may see.

mod arguments;
mod grep;
mod list_documents;
mod read_document;
mod search_docs;
mod sql;

use adit_retrieve::{Retriever, SearchRequest};
use serde_json::{Value, json};

use crate::reader::Reader;
use crate::tables::Tables;
use crate::{TableLimits, Tool};

/// The tools of every agent, for callers that offer them elsewhere. Scope, filter and mode of `search` hold for each;
/// its question is not used.
#[must_use]
pub fn reading_tools<'a>(
    retriever: &'a Retriever,
    search: SearchRequest<'a>,
    limits: TableLimits,
) -> Vec<Box<dyn Tool + 'a>> {
    built_in(Reader { retriever, search }, limits)
}

/// The tools for one question.
pub(crate) fn built_in<'a>(reader: Reader<'a>, limits: TableLimits) -> Vec<Box<dyn Tool + 'a>> {
    vec![
        Box::new(search_docs::SearchDocs { reader }),
        Box::new(read_document::ReadDocument { reader }),
        Box::new(grep::Grep { reader }),
        Box::new(list_documents::ListDocuments { reader }),
        Box::new(sql::Sql::new(Tables::new(reader, limits))),
    ]
}

fn schema(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}
