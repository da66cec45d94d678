use std::sync::atomic::{AtomicU32, Ordering};

use adit_core::{ChunkId, DocumentId, Passage, PassageId, PassageScores, ToolDefinition};
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::schema;
use crate::tables::{QueryResult, Tables};
use crate::{Privilege, Tool, ToolFailure, ToolOutput};

/// One `SELECT` over the tables of the documents.
pub(super) struct Sql<'a> {
    tables: Tables<'a>,
    results: AtomicU32,
}

/// A result is cited as `[doc:sql#N]`; no document has this id, which are twelve hexadecimal digits.
const RESULTS: &str = "sql";
/// Characters of the statement that its citation shows.
const SHOWN_CHARACTERS: usize = 200;

impl<'a> Sql<'a> {
    pub(super) fn new(tables: Tables<'a>) -> Self {
        Self { tables, results: AtomicU32::new(1) }
    }

    /// The result as a passage, so that an answer can cite it and its figures can be checked.
    fn passage(&self, statement: &str, result: QueryResult) -> Passage {
        let one_line = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown: String = one_line.chars().take(SHOWN_CHARACTERS).collect();
        let from = result.sources.join(", ");
        Passage {
            id: PassageId {
                document: DocumentId::from_stored(RESULTS),
                chunk_index: self.results.fetch_add(1, Ordering::Relaxed),
            },
            chunk: ChunkId(u32::MAX),
            source: format!("computed from {from} by: {shown}"),
            // The statement is the model's: no claim may rest on its words, so they stand in no heading.
            title: String::new(),
            heading_path: Vec::new(),
            page_start: None,
            page_end: None,
            char_start: 0,
            char_end: result.rows.chars().count(),
            table_header: Some(result.header),
            text: result.rows,
            also_in: Vec::new(),
            warnings: Vec::new(),
            scores: PassageScores::default(),
            token_count: 0,
        }
    }
}

impl Tool for Sql<'_> {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "sql".to_owned(),
            description: "Runs one read-only SELECT (SQLite) over the tables found in the documents: for sums, \
                counts, averages, the largest, or rows that meet a condition. SELECT * FROM adit_tables lists the \
                tables with their columns; do that first. Cells that are numbers are numbers, the others text. \
                The result can be cited by its id."
                .to_owned(),
            input_schema: schema(
                &json!({ "query": { "type": "string", "minLength": 1, "description": "One SELECT statement." } }),
                &["query"],
            ),
            strict: true,
        }
    }

    fn privilege(&self) -> Privilege {
        Privilege::Read
    }

    fn call(&self, arguments: &Map<String, Value>, _budget_tokens: usize) -> Result<ToolOutput, ToolFailure> {
        let arguments = Arguments::new(arguments, &["query"])?;
        let statement = arguments.text("query")?;
        let mut result = self.tables.query(statement)?;
        let notes = std::mem::take(&mut result.notes);
        let mut output = ToolOutput { notes, ..ToolOutput::default() };
        if result.rows.is_empty() {
            return Ok(output);
        }
        if result.is_citable {
            output.passages.push(self.passage(statement, result));
        } else {
            output.notes.push(
                "this result cannot be cited: the statement selects words or numbers of its own".to_owned(),
            );
            output.quoted.push(("sql result".to_owned(), format!("{}\n{}", result.header, result.rows)));
        }
        Ok(output)
    }
}
