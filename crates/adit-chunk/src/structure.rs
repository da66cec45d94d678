use adit_core::{Chunk, ChunkError, Chunker, ParsedDocument, TextRange, Tokenizer};

use crate::assemble::Assembler;
use crate::atomise::atomise;
use crate::context::Contexts;
use crate::pack::{Packer, Sizes};
use crate::segment::{Segment, segments};
use crate::settings::ChunkSettings;
use crate::token_map::TokenMap;
use crate::unit::{Unit, tile};

/// Structure first, size second: sections, then blocks, then sentences, then words, then characters.
///
/// - A chunk never mixes sections, except several very small neighbours, which are packed together.
/// - A table, list or code block that fits stays whole. A longer table is cut between rows and every
///   continuation repeats the header; a longer list is cut between items, code at blank lines, then lines.
/// - A heading is never the last thing of a chunk unless nothing follows it.
/// - Inside a long run of prose, neighbours overlap by whole sentences, at most `overlap_tokens`.
/// - `indexed` is the heading path (the title outermost) joined by ` > `, then a repeated header, then
///   the words; a path longer than a third of the chunk loses its outermost headings in `indexed` only.
///
/// The text is tokenised twice in all: once in blocks for estimates, once as finished `indexed` texts.
#[derive(Debug, Clone, Copy, Default)]
pub struct StructureChunker {
    settings: ChunkSettings,
}

impl StructureChunker {
    /// A chunker with `settings`; contradictory ones are refused when it is used.
    #[must_use]
    pub fn new(settings: ChunkSettings) -> Self {
        Self { settings }
    }
}

impl Chunker for StructureChunker {
    fn description(&self) -> String {
        format!("structure/1 size={} overlap={}", self.settings.size_tokens, self.settings.overlap_tokens)
    }

    fn chunk(&self, document: &ParsedDocument, tokenizer: &dyn Tokenizer) -> Result<Vec<Chunk>, ChunkError> {
        let limit_tokens = self.settings.limit_tokens(tokenizer)?;
        let units = tile(document);
        let tokens = TokenMap::build(&document.text, units.iter().map(|unit| unit.range), tokenizer)?;
        let segments = segments(document, &units, &tokens, limit_tokens);
        let mut run = Run {
            document,
            units: &units,
            tokens: &tokens,
            limit_tokens,
            overlap_tokens: self.settings.overlap_under(limit_tokens),
            contexts: Contexts::new(document, tokenizer, limit_tokens),
            assembler: Assembler::new(document, &units, &tokens, tokenizer),
        };
        for segment in segments {
            run.cut(&segment)?;
        }
        Ok(run.assembler.finish())
    }
}

struct Run<'a> {
    document: &'a ParsedDocument,
    units: &'a [Unit<'a>],
    tokens: &'a TokenMap,
    limit_tokens: usize,
    overlap_tokens: usize,
    contexts: Contexts<'a>,
    assembler: Assembler<'a>,
}

impl Run<'_> {
    fn cut(&mut self, segment: &Segment) -> Result<(), ChunkError> {
        let units = self.units.get(segment.units.clone()).unwrap_or_default();
        let context = self.contexts.of(self.contexts.shared_section(units))?;
        let budget_tokens = self.limit_tokens.saturating_sub(context.tokens).max(1);
        if segment.tokens <= budget_tokens {
            let (Some(first), Some(last)) = (units.first(), units.last()) else { return Ok(()) };
            let range = TextRange::new(first.range.start, last.range.end);
            let draft = self.assembler.draft(range, &context.line, &context.heading_path, None)?;
            if draft.tokens <= self.limit_tokens {
                self.assembler.push(draft);
                return Ok(());
            }
        }
        let atoms = atomise(&self.document.text, units, segment.units.start, self.tokens, budget_tokens);
        let sizes =
            Sizes { limit_tokens: self.limit_tokens, budget_tokens, overlap_tokens: self.overlap_tokens };
        Packer::new(&self.document.text, self.units, atoms, sizes, &mut self.contexts, &mut self.assembler)
            .pack()
    }
}
