use adit_catalog::StoredChunk;
use adit_core::{DocumentId, DocumentRecord, ReadScope, Scope, TextRange};
use serde::{Deserialize, Serialize};

use crate::render::warning_of;
use crate::{MIN_BUDGET_TOKENS, RetrieveError, Retriever};

/// Where reading starts and, if before the document's end, ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadFrom {
    /// At the beginning of a chunk.
    Chunk {
        /// Position of the chunk, from 0.
        first: u32,
        /// How many chunks; `None` reads to the end.
        count: Option<u32>,
    },
    /// At a character of the extracted text.
    Character {
        /// First, from 0.
        start: usize,
        /// One past the last; `None` reads to the end.
        end: Option<usize>,
    },
}

impl Default for ReadFrom {
    fn default() -> Self {
        Self::Character { start: 0, end: None }
    }
}

/// A part of a document's extracted text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DocumentExcerpt {
    /// The document.
    pub document: DocumentId,
    /// Its path or URI.
    pub source: String,
    /// Its title.
    pub title: String,
    /// Exactly the document's words.
    pub text: String,
    /// First character.
    pub char_start: usize,
    /// One past the last character.
    pub char_end: usize,
    /// Characters of the whole document.
    pub total_characters: usize,
    /// How many chunks the whole document has.
    pub chunk_count: u32,
    /// Whether what was asked for did not fit into the token budget.
    pub truncated: bool,
    /// The character to go on with.
    pub next_character: Option<usize>,
    /// The chunk to go on with, when the excerpt ends where a chunk begins.
    pub next_chunk: Option<u32>,
    /// How to go on, in words.
    pub continue_with: Option<String>,
    /// Sentences for the caller, such as why a document has no text.
    pub notices: Vec<String>,
}

impl Retriever {
    /// Reads a document, or a part of it, within a token budget. Where it has to stop early it stops at
    /// the beginning of a chunk if it can, so that nothing is read twice.
    ///
    /// # Errors
    /// [`RetrieveError::UnknownDocument`] also when it may not be read; [`RetrieveError::BeyondEnd`],
    /// [`RetrieveError::BudgetTooSmall`], [`RetrieveError::Catalog`].
    pub fn read_document(
        &self,
        document: &DocumentId,
        scope: &Scope,
        from: ReadFrom,
        budget_tokens: usize,
    ) -> Result<DocumentExcerpt, RetrieveError> {
        if budget_tokens < MIN_BUDGET_TOKENS {
            return Err(RetrieveError::BudgetTooSmall { budget_tokens, minimum_tokens: MIN_BUDGET_TOKENS });
        }
        let view = self.catalog().view()?;
        let read_scope = ReadScope::Reader(scope);
        let unknown = || RetrieveError::UnknownDocument { document: document.clone() };
        let record = view.document(document, read_scope)?.ok_or_else(unknown)?;
        let text = view.document_text(document, read_scope)?.ok_or_else(unknown)?;
        let chunks = view.chunks_of(document, read_scope)?;
        let total = text.chars().count();
        let (start, end) = bounds(&record, &chunks, from, total)?;
        let wanted = characters(&text, start, end);
        // The line above the words and the advice below them come out of the same budget.
        let room = budget_tokens.saturating_sub(MIN_BUDGET_TOKENS / 2);
        let shown = self.counter().beginning(wanted, room);
        let truncated = shown.len() < wanted.len();
        let reached = if truncated { start + shown.chars().count() } else { end };
        let at_chunk = chunks.iter().rev().map(|stored| &stored.chunk);
        let next =
            at_chunk.clone().find(|chunk| truncated && (start + 1..=reached).contains(&chunk.char_start));
        let char_end = next.map_or(reached, |chunk| chunk.char_start);
        let next_chunk = next.map(|chunk| chunk.index);
        let shown_bytes = TextRange::new(byte_of(&text, start), byte_of(&text, char_end));
        let next_character = truncated.then_some(char_end);
        Ok(DocumentExcerpt {
            text: characters(&text, start, char_end).to_owned(),
            char_start: start,
            char_end,
            total_characters: total,
            chunk_count: record.chunk_count,
            truncated,
            next_character,
            next_chunk,
            continue_with: next_character.map(|character| advice(document, next_chunk, character)),
            notices: notices(&record, total, shown_bytes),
            document: record.id,
            source: record.source,
            title: record.title,
        })
    }
}

fn bounds(
    record: &DocumentRecord,
    chunks: &[StoredChunk],
    from: ReadFrom,
    total: usize,
) -> Result<(usize, usize), RetrieveError> {
    let beyond = |what, asked, available| {
        Err(RetrieveError::BeyondEnd { document: record.id.clone(), what, asked, available })
    };
    match from {
        ReadFrom::Character { start, .. } if start > 0 && start >= total => beyond("character", start, total),
        ReadFrom::Character { start, end } => Ok((start, end.unwrap_or(total).clamp(start, total))),
        ReadFrom::Chunk { first: 0, count: None } => Ok((0, total)),
        ReadFrom::Chunk { first, count } => {
            let first_at = usize::try_from(first).unwrap_or(usize::MAX);
            let Some(start) = chunks.get(first_at).map(|stored| stored.chunk.char_start) else {
                return beyond("chunk", first_at, chunks.len());
            };
            let last = count.and_then(|count| {
                chunks.get(first_at.saturating_add(usize::try_from(count.max(1)).unwrap_or(usize::MAX)) - 1)
            });
            Ok((start, last.map_or(total, |stored| stored.chunk.char_end.max(start))))
        }
    }
}

fn characters(text: &str, start: usize, end: usize) -> &str {
    text.get(byte_of(text, start)..byte_of(text, end)).unwrap_or_default()
}

fn byte_of(text: &str, character: usize) -> usize {
    text.char_indices().nth(character).map_or(text.len(), |(at, _)| at)
}

fn advice(document: &DocumentId, next_chunk: Option<u32>, character: usize) -> String {
    match next_chunk {
        Some(chunk) => format!("read {document} again from chunk {chunk} (character {character})"),
        None => format!("read {document} again from character {character}"),
    }
}

fn notices(record: &DocumentRecord, total: usize, shown: TextRange) -> Vec<String> {
    let findings = record.coverage.findings.iter().filter(|finding| finding.range.overlaps(shown));
    let warning = warning_of("text", findings.map(|finding| finding.kind).collect());

    let reason =
        record.state.reason().map(|reason| format!("this document is {}: {reason}", record.state.name()));
    let empty = (total == 0 && reason.is_none()).then(|| "this document has no text".to_owned());
    reason.into_iter().chain(empty).chain(warning).collect()
}
