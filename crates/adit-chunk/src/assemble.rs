use adit_core::{Chunk, ChunkError, ParsedDocument, TextRange, Tokenizer};

use crate::token_map::{TokenMap, tokenizer_failed};
use crate::unit::{Unit, unit_at};

/// A chunk with its size counted, not yet accepted.
#[derive(Debug)]
pub(crate) struct Draft {
    /// Bytes of the text.
    pub(crate) range: TextRange,
    /// Headings above it.
    pub(crate) heading_path: Vec<String>,
    /// Repeated header rows.
    pub(crate) header: Option<TextRange>,
    /// What the retrievers see.
    pub(crate) indexed: String,
    /// Its tokens, special tokens included.
    pub(crate) tokens: usize,
}

/// Turns ranges into finished chunks: both texts, offsets in characters, pages, numbers.
pub(crate) struct Assembler<'a> {
    document: &'a ParsedDocument,
    units: &'a [Unit<'a>],
    tokens: &'a TokenMap,
    tokenizer: &'a dyn Tokenizer,
    chunks: Vec<Chunk>,
    /// Byte and character offset of the last chunk's start; starts rise, so characters are counted once.
    counted: (usize, usize),
}

impl<'a> Assembler<'a> {
    pub(crate) fn new(
        document: &'a ParsedDocument,
        units: &'a [Unit<'a>],
        tokens: &'a TokenMap,
        tokenizer: &'a dyn Tokenizer,
    ) -> Self {
        Self { document, units, tokens, tokenizer, chunks: Vec::new(), counted: (0, 0) }
    }

    /// Estimated tokens of `range`, special tokens left out.
    pub(crate) fn estimate(&self, range: TextRange) -> usize {
        self.tokens.count(range)
    }

    /// Writes the `indexed` text of `range` and counts it.
    pub(crate) fn draft(
        &self,
        range: TextRange,
        context_line: &str,
        heading_path: &[String],
        header: Option<TextRange>,
    ) -> Result<Draft, ChunkError> {
        let text = self.document.text.as_str();
        let header_words = header.and_then(|header| header.slice(text)).unwrap_or_default().trim();
        let words = range.slice(text).unwrap_or_default().trim();
        let parts = [context_line, header_words, words];
        let indexed = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        let tokens = self.tokenizer.count_tokens(&indexed).map_err(tokenizer_failed)?;
        Ok(Draft { range, heading_path: heading_path.to_vec(), header, indexed, tokens })
    }

    /// Accepts a draft as the next chunk.
    pub(crate) fn push(&mut self, draft: Draft) {
        let text = self.document.text.as_str();
        let display = draft.range.slice(text).unwrap_or_default().to_owned();
        let (byte, character) = self.counted;
        let skipped = TextRange::new(byte, draft.range.start).slice(text).unwrap_or_default();
        let char_start = character + skipped.chars().count();
        self.counted = (draft.range.start, char_start);
        let (page_start, page_end) = self.pages(draft.range);
        self.chunks.push(Chunk {
            index: u32::try_from(self.chunks.len()).unwrap_or(u32::MAX),
            range: draft.range,
            char_start,
            char_end: char_start + display.chars().count(),
            heading_path: draft.heading_path,
            page_start,
            page_end,
            display,
            repeated_header: draft.header,
            indexed: draft.indexed,
            token_count: u32::try_from(draft.tokens).unwrap_or(u32::MAX),
        });
    }

    /// All accepted chunks.
    pub(crate) fn finish(self) -> Vec<Chunk> {
        self.chunks
    }

    fn pages(&self, range: TextRange) -> (Option<u32>, Option<u32>) {
        let first = unit_at(self.units, range.start);
        let last = unit_at(self.units, range.end.saturating_sub(1).max(range.start));
        let pages = self.units.get(first..=last).unwrap_or_default().iter().filter_map(|unit| unit.page);
        (pages.clone().next(), pages.max())
    }
}
