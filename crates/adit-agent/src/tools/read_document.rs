use adit_answer::estimated_tokens;
use adit_core::{DocumentId, PassageId, ToolDefinition};
use adit_retrieve::passage_of;
use serde_json::{Map, Value, json};

use super::arguments::Arguments;
use super::schema;
use crate::reader::Reader;
use crate::{Privilege, Tool, ToolFailure, ToolOutput};

/// A document, passage by passage, so that each can be cited.
pub(super) struct ReadDocument<'a> {
    pub(super) reader: Reader<'a>,
}

impl Tool for ReadDocument<'_> {
    fn definition(&self) -> ToolDefinition {
        ToolDefinition {
            name: "read_document".to_owned(),
            description: "Reads a document from a passage on, in its own words. Use it when a passage that was \
                found is cut off, refers to what stands before or after it, or names a rule that must be near."
                .to_owned(),
            input_schema: schema(
                &json!({
                    "id": {
                        "type": "string", "minLength": 1,
                        "description": "A document id (3f9a1c20b7d4), or a passage id (3f9a1c20b7d4#2) to start there."
                    },
                    "start_passage": {
                        "type": "integer", "minimum": 0,
                        "description": "Start at this passage instead; 0 is the beginning."
                    }
                }),
                &["id"],
            ),
            strict: true,
        }
    }

    fn privilege(&self) -> Privilege {
        Privilege::Read
    }

    fn call(&self, arguments: &Map<String, Value>, budget_tokens: usize) -> Result<ToolOutput, ToolFailure> {
        let arguments = Arguments::new(arguments, &["id", "start_passage"])?;
        let (document, around) = document_id(arguments.text("id")?);
        let start = arguments.number("start_passage", 0, u64::from(u32::MAX))?;
        let first = start.and_then(|start| u32::try_from(start).ok()).or(around).unwrap_or(0);
        let chunks = self.reader.chunks(&document)?;
        let count = chunks.len();
        let mut output = ToolOutput::default();
        let mut left = budget_tokens;
        for stored in chunks.into_iter().filter(|stored| stored.chunk.index >= first) {
            let index = stored.chunk.index;
            let passage = passage_of(stored);
            let needed = estimated_tokens(&passage.text);
            if needed > left && !output.passages.is_empty() {
                output.notes.push(format!("{count} passages in all; read on with start_passage {index}"));
                return Ok(output);
            }
            left = left.saturating_sub(needed);
            output.passages.push(passage);
        }
        if output.passages.is_empty() {
            output.notes.push(format!("nothing is left to read: the document has {count} passages"));
        } else {
            output.notes.push("this is the end of the document".to_owned());
        }
        Ok(output)
    }
}

/// A document id as models write it: bare, with `doc:`, in brackets, or as a passage id.
fn document_id(text: &str) -> (DocumentId, Option<u32>) {
    let bare = text.trim().trim_start_matches('[').trim_end_matches(']').trim();
    match bare.parse::<PassageId>() {
        Ok(passage) => (passage.document, Some(passage.chunk_index)),
        Err(_) => (DocumentId::from_stored(bare.trim_start_matches("doc:")), None),
    }
}
