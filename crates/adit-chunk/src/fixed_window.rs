use adit_core::{Chunk, ChunkError, Chunker, ParsedDocument, TextRange, Tokenizer};

use crate::assemble::{Assembler, Draft};
use crate::context::titled_path;
use crate::settings::ChunkSettings;
use crate::token_map::TokenMap;
use crate::unit::{Unit, tile, unit_at};

/// The baseline: windows of `size_tokens` that move on by size minus overlap, cut between tokens wherever
/// they happen to fall.
///
/// As in the field's baseline, `indexed` is the bare words; the heading path is kept for citations only.
#[derive(Debug, Clone, Copy, Default)]
pub struct FixedWindowChunker {
    settings: ChunkSettings,
}

impl FixedWindowChunker {
    /// A chunker with `settings`; contradictory ones are refused when it is used.
    #[must_use]
    pub fn new(settings: ChunkSettings) -> Self {
        Self { settings }
    }
}

impl Chunker for FixedWindowChunker {
    fn description(&self) -> String {
        format!("fixed/1 size={} overlap={}", self.settings.size_tokens, self.settings.overlap_tokens)
    }

    fn chunk(&self, document: &ParsedDocument, tokenizer: &dyn Tokenizer) -> Result<Vec<Chunk>, ChunkError> {
        slide(self.settings, document, tokenizer, |_, _, end| end)
    }
}

/// Slides a window over the text. `choose_end(text, start, end)` may move the end of a full window back,
/// never to its start or before.
pub(crate) fn slide(
    settings: ChunkSettings,
    document: &ParsedDocument,
    tokenizer: &dyn Tokenizer,
    choose_end: fn(&str, usize, usize) -> usize,
) -> Result<Vec<Chunk>, ChunkError> {
    let limit_tokens = settings.limit_tokens(tokenizer)?;
    let overlap_tokens = settings.overlap_under(limit_tokens);
    let units = tile(document);
    let tokens = TokenMap::build(&document.text, units.iter().map(|unit| unit.range), tokenizer)?;
    let mut window = Window {
        document,
        units: &units,
        tokens: &tokens,
        assembler: Assembler::new(document, &units, &tokens, tokenizer),
        limit_tokens,
        special_tokens: tokenizer.special_tokens(),
        choose_end,
    };
    let (mut start, mut covered) = (0, 0);
    while covered < document.text.len() {
        let draft = window.draft(start, covered)?;
        let range = draft.range;
        window.assembler.push(draft);
        covered = range.end;
        start = tokens.cut_before(covered, overlap_tokens, range.start).unwrap_or(covered);
    }
    Ok(window.assembler.finish())
}

struct Window<'a> {
    document: &'a ParsedDocument,
    units: &'a [Unit<'a>],
    tokens: &'a TokenMap,
    assembler: Assembler<'a>,
    limit_tokens: usize,
    special_tokens: usize,
    choose_end: fn(&str, usize, usize) -> usize,
}

impl Window<'_> {
    /// The fullest window that starts at `start`, fits and ends after `covered`; without its overlap where
    /// that leaves no room.
    fn draft(&self, mut start: usize, covered: usize) -> Result<Draft, ChunkError> {
        let text = self.document.text.as_str();
        let mut room_tokens = self.limit_tokens - self.special_tokens;
        let mut end = self.end(start, room_tokens);
        loop {
            if end <= covered {
                // The overlap filled the window.
                start = covered;
                room_tokens = self.limit_tokens - self.special_tokens;
                end = self.end(start, room_tokens);
            }
            let draft = self.assembler.draft(TextRange::new(start, end), "", &[], None)?;
            if draft.tokens <= self.limit_tokens {
                return Ok(Draft { heading_path: self.heading_path(start), ..draft });
            }
            let excess_tokens = draft.tokens - self.limit_tokens;
            room_tokens = room_tokens.saturating_sub(excess_tokens).max(1);
            let shorter = self.end(start, room_tokens);
            end = if shorter < end { shorter } else { text.floor_char_boundary(start + (end - start) / 2) };
            if end <= start {
                let first = text.get(start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
                if draft.range.len() <= first {
                    return Err(ChunkError::NothingFits {
                        byte_offset: start,
                        limit_tokens: self.limit_tokens,
                    });
                }
                end = start + first;
            }
        }
    }

    fn end(&self, start: usize, room_tokens: usize) -> usize {
        let text = self.document.text.as_str();
        let full = self.tokens.cut_after(start, room_tokens).unwrap_or(text.len());
        (self.choose_end)(text, start, full)
    }

    fn heading_path(&self, offset: usize) -> Vec<String> {
        let section = self.units.get(unit_at(self.units, offset)).and_then(|unit| unit.section);
        titled_path(self.document, section)
    }
}
