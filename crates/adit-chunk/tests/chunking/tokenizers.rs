//! Tokenizers made for tests: one that is easy to reckon with and one that breaks every assumption.

use std::sync::atomic::{AtomicUsize, Ordering};

use adit_core::{EmbedError, TextRange, Tokenizer};

/// One token a word between white space, two special tokens.
pub(crate) struct WordTokenizer {
    pub(crate) window_tokens: usize,
    /// Bytes read by all calls together.
    pub(crate) bytes_read: AtomicUsize,
}

impl WordTokenizer {
    pub(crate) fn with_window(window_tokens: usize) -> Self {
        Self { window_tokens, bytes_read: AtomicUsize::new(0) }
    }
}

impl Tokenizer for WordTokenizer {
    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        self.bytes_read.fetch_add(text.len(), Ordering::Relaxed);
        Ok(text.split_whitespace().count() + 2)
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<TextRange>, EmbedError> {
        self.bytes_read.fetch_add(text.len(), Ordering::Relaxed);
        let start_of = |word: &str| word.as_ptr().addr() - text.as_ptr().addr();
        Ok(text
            .split_whitespace()
            .map(|word| TextRange::new(start_of(word), start_of(word) + word.len()))
            .collect())
    }

    fn max_input_tokens(&self) -> usize {
        self.window_tokens
    }

    fn special_tokens(&self) -> usize {
        2
    }
}

/// Groups of three characters counted from wherever the text begins, so that sizes are not additive; three
/// tokens for every character beyond U+2000; and every sixteenth token counts double in the total only.
pub(crate) struct NastyTokenizer {
    pub(crate) window_tokens: usize,
}

impl Tokenizer for NastyTokenizer {
    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        let tokens = self.token_ranges(text)?.len();
        Ok(tokens + tokens / 16 + 1)
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<TextRange>, EmbedError> {
        let mut ranges = Vec::new();
        let mut open: Option<(usize, usize)> = None;
        for (start, character) in text.char_indices() {
            let end = start + character.len_utf8();
            if character > '\u{2000}' {
                ranges.extend(open.take().map(|(from, _)| TextRange::new(from, start)));
                ranges.extend([TextRange::new(start, end); 3]);
                continue;
            }
            let (from, length) = open.map_or((start, 1), |(from, length)| (from, length + 1));
            open = (length < 3).then_some((from, length));
            if length == 3 {
                ranges.push(TextRange::new(from, end));
            }
        }
        ranges.extend(open.map(|(from, _)| TextRange::new(from, text.len())));
        Ok(ranges)
    }

    fn max_input_tokens(&self) -> usize {
        self.window_tokens
    }

    fn special_tokens(&self) -> usize {
        1
    }
}
