use std::fmt::Write;

use adit_core::ToolDefinition;
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::schema;
use crate::reader::{Reader, failure};
use crate::{Privilege, Tool, ToolFailure, ToolOutput};

/// Words letter by letter.
pub(super) struct Grep<'a> {
    pub(super) reader: Reader<'a>,
}

const MOST_HITS: u64 = 50;
const HITS: u64 = 20;

impl Tool for Grep<'_> {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "grep".to_owned(),
            description: "Finds words letter by letter in the documents and gives the lines they stand on. Use it \
                for an exact name, code or number, or to be sure that something stands nowhere. To cite what a \
                line says, read its passage with read_document."
                .to_owned(),
            input_schema: schema(
                &json!({
                    "words": { "type": "string", "minLength": 1, "description": "What to find, exactly." },
                    "ignore_case": { "type": "boolean", "description": "Whether capitals count; they do if left out." },
                    "limit": { "type": "integer", "minimum": 1, "maximum": MOST_HITS }
                }),
                &["words"],
            ),
            strict: true,
        }
    }

    fn privilege(&self) -> Privilege {
        Privilege::Read
    }

    fn call(&self, arguments: &Map<String, Value>, budget_tokens: usize) -> Result<ToolOutput, ToolFailure> {
        let arguments = Arguments::new(arguments, &["words", "ignore_case", "limit"])?;
        let words = arguments.text("words")?;
        let ignore_case = arguments.flag("ignore_case")?;
        let limit = arguments.number("limit", 1, MOST_HITS)?.unwrap_or(HITS);
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        let reader = &self.reader;
        let found = reader.retriever.grep(words, ignore_case, reader.search.scope, limit);
        let found = found.map_err(failure)?;
        let mut output = ToolOutput::default();
        let mut left = budget_tokens;
        let mut shown = 0;
        for hit in &found.hits {
            // A document outside the question's filter is not read, though its rights would allow it.
            if !reader.search.filter.is_empty() && reader.document(&hit.document).is_err() {
                continue;
            }
            let place = hit.passage.as_ref().map_or_else(|| hit.document.to_string(), ToString::to_string);
            let mut line = String::new();
            let _ = write!(line, "[doc:{place}] line {}: {}", hit.line_number, hit.line.trim());
            let needed = adit_answer::estimated_tokens(&line);
            if needed > left {
                output.notes.push(format!("{} further lines did not fit", found.hits.len() - shown));
                break;
            }
            left -= needed;
            shown += 1;
            output.quoted.push((hit.source.clone(), line));
        }
        let all = found.summary.documents_searched;
        output.notes.push(if found.summary.stopped_at_limit {
            format!("{shown} hits shown; there are more")
        } else {
            format!("{shown} hits in {all} documents; there are no others")
        });
        Ok(output)
    }
}
