use std::fmt::Write;

use adit_answer::estimated_tokens;
use adit_core::ToolDefinition;
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::schema;
use crate::reader::Reader;
use crate::{Privilege, Tool, ToolFailure, ToolOutput};

/// What there is.
pub(super) struct ListDocuments<'a> {
    pub(super) reader: Reader<'a>,
}

impl Tool for ListDocuments<'_> {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "list_documents".to_owned(),
            description: "Lists the documents: id, source, title, type and number of passages. Use it to learn \
                what there is, or to find a document by a part of its name; not to find out what documents say."
                .to_owned(),
            input_schema: schema(
                &json!({
                    "contains": { "type": "string", "description": "Only documents whose source or title has these words." },
                    "start": { "type": "integer", "minimum": 0, "description": "Leave out so many." }
                }),
                &[],
            ),
            strict: false,
        }
    }

    fn privilege(&self) -> Privilege {
        Privilege::Read
    }

    fn call(&self, arguments: &Map<String, Value>, budget_tokens: usize) -> Result<ToolOutput, ToolFailure> {
        let given = Arguments::new(arguments, &["contains", "start"])?;
        let has_words = arguments.get("contains").is_some_and(|words| !words.is_null());
        let contains = if has_words { given.text("contains")?.to_lowercase() } else { String::new() };
        let start = given.number("start", 0, u64::from(u32::MAX))?.unwrap_or(0);
        let start = usize::try_from(start).unwrap_or(usize::MAX);
        let mut documents = self.reader.documents()?;
        documents.retain(|record| {
            record.source.to_lowercase().contains(&contains)
                || record.title.to_lowercase().contains(&contains)
        });
        let all = documents.len();
        let mut lines = String::new();
        let mut notes = Vec::new();
        let mut left = budget_tokens;
        let mut listed = 0;
        for record in documents.iter().skip(start) {
            let mut line = String::new();
            let _ = write!(
                line,
                "{} {} \"{}\" ({}, {} passages)",
                record.id, record.source, record.title, record.media_type, record.chunk_count
            );
            let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
            let needed = estimated_tokens(&line);
            if needed > left {
                break;
            }
            left -= needed;
            listed += 1;
            lines += &line;
            lines.push('\n');
        }
        let next = start.saturating_add(listed);
        notes.push(if next < all {
            format!("{listed} of {all} documents; go on with start {next}")
        } else {
            format!("{all} documents in all")
        });
        let quoted = if lines.is_empty() { Vec::new() } else { vec![("documents".to_owned(), lines)] };
        Ok(ToolOutput { quoted, notes, ..ToolOutput::default() })
    }
}
