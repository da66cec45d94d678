use adit_core::{Chunk, ChunkError, Chunker, ParsedDocument, TextRange, Tokenizer};

use crate::fixed_window::slide;
use crate::settings::ChunkSettings;

/// Where a chunk may end, the most wanted first: paragraphs, lines, sentences, words.
const SEPARATORS: [&[&str]; 4] = [&["\n\n"], &["\n"], &[". ", "? ", "! "], &[" "]];

/// Recursive splitting by separators: a window is filled and then ends behind the last paragraph break
/// in it; without one behind the last line, then sentence, then word, and only then between tokens.
///
/// As in the field's baseline, `indexed` is the bare words and block kinds are not looked at.
#[derive(Debug, Clone, Copy, Default)]
pub struct RecursiveChunker {
    settings: ChunkSettings,
}

impl RecursiveChunker {
    /// A chunker with `settings`; contradictory ones are refused when it is used.
    #[must_use]
    pub fn new(settings: ChunkSettings) -> Self {
        Self { settings }
    }
}

impl Chunker for RecursiveChunker {
    fn description(&self) -> String {
        format!("recursive/1 size={} overlap={}", self.settings.size_tokens, self.settings.overlap_tokens)
    }

    fn chunk(&self, document: &ParsedDocument, tokenizer: &dyn Tokenizer) -> Result<Vec<Chunk>, ChunkError> {
        slide(self.settings, document, tokenizer, end_at_separator)
    }
}

/// The end of a window over `text[start..end]`, moved back behind the best separator that leaves words
/// in it.
fn end_at_separator(text: &str, start: usize, end: usize) -> usize {
    let Some(words) = TextRange::new(start, end).slice(text).filter(|_| end < text.len()) else { return end };
    for separators in SEPARATORS {
        let cuts = separators.iter().filter_map(|separator| Some(words.rfind(separator)? + separator.len()));
        let cut = cuts.max().filter(|cut| words.get(..*cut).is_some_and(|kept| !kept.trim().is_empty()));
        if let Some(cut) = cut {
            return start + cut;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_widest_separator_wins() {
        let text = "one two\n\nthree. four five six";
        assert_eq!(end_at_separator(text, 0, 20), 9);
        assert_eq!(end_at_separator(text, 9, 20), 16);
        assert_eq!(end_at_separator(text, 16, 23), 21);
        assert_eq!(end_at_separator(text, 16, 18), 18);
        assert_eq!(end_at_separator(text, 9, text.len()), text.len());
    }
}
