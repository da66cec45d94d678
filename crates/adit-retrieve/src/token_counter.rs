use adit_core::{Embedder, TextRange};

/// Counts tokens for budgets: with the embedder's own tokenizer where there is one, else by an estimate
/// that errs towards too many: one token for every four ASCII characters of a word or part of one, one for
/// every other character that is not white space.
pub(crate) struct TokenCounter<'a> {
    embedder: Option<&'a dyn Embedder>,
}

/// ASCII characters of a word that the estimate takes for one token.
const ASCII_CHARACTERS_PER_TOKEN: usize = 4;

impl<'a> TokenCounter<'a> {
    pub(crate) fn new(embedder: Option<&'a dyn Embedder>) -> Self {
        Self { embedder }
    }

    /// Tokens of `text`, special tokens left out: they belong to no text.
    pub(crate) fn count(&self, text: &str) -> usize {
        self.token_ranges(text).len()
    }

    /// The longest beginning of `text` that has at most `limit` tokens, cut between tokens.
    pub(crate) fn beginning<'t>(&self, text: &'t str, limit: usize) -> &'t str {
        let ranges = self.token_ranges(text);
        match ranges.get(limit) {
            None => text,
            Some(_) if limit == 0 => "",
            Some(first_out) => text.get(..first_out.start).unwrap_or(text).trim_end(),
        }
    }

    fn token_ranges(&self, text: &str) -> Vec<TextRange> {
        self.embedder
            .and_then(|embedder| embedder.tokenizer().token_ranges(text).ok())
            .unwrap_or_else(|| estimated_ranges(text))
    }
}

fn estimated_ranges(text: &str) -> Vec<TextRange> {
    let mut ranges = Vec::new();
    let mut open: Option<(usize, usize)> = None;
    for (at, character) in text.char_indices() {
        let end = at + character.len_utf8();
        if character.is_ascii_alphanumeric() {
            match open {
                Some((start, length)) if length < ASCII_CHARACTERS_PER_TOKEN => {
                    open = Some((start, length + 1));
                }
                _ => {
                    ranges.extend(open.map(|(start, _)| TextRange::new(start, at)));
                    open = Some((at, 1));
                }
            }
            continue;
        }
        ranges.extend(open.take().map(|(start, _)| TextRange::new(start, at)));
        if !character.is_whitespace() {
            ranges.push(TextRange::new(at, end));
        }
    }
    ranges.extend(open.map(|(start, _)| TextRange::new(start, text.len())));
    ranges
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_testkit::FakeEmbedder;

    #[test]
    fn cuts_between_tokens_with_and_without_a_tokenizer() {
        let embedder = FakeEmbedder::new(4);
        let counter = TokenCounter::new(Some(&embedder));
        assert_eq!(counter.count("one two  three"), 3);
        assert_eq!(counter.beginning("one two  three", 2), "one two");
        assert_eq!(counter.beginning("one two", 5), "one two");
        let estimate = TokenCounter::new(None);
        assert_eq!(estimate.count("refunding it, 東京"), 3 + 1 + 1 + 2);
        assert_eq!(estimate.beginning("abcdefgh ij", 2), "abcdefgh");
        assert_eq!(estimate.beginning("abc", 0), "");
    }
}
