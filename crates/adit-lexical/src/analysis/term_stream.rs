use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

/// Stands between terms on their way into tantivy. No term contains it: words are cut at it and
/// identifiers end at it.
const SEPARATOR: char = '\u{1F}';

/// The name under which [`TermTokenizer`] is registered with an index.
pub(crate) const TERM_TOKENIZER: &str = "adit_terms";

/// Analysed terms as one text, for [`TermTokenizer`] to take apart again.
///
/// tantivy also takes lists of tokens, but carries them through its queue as JSON.
pub(crate) fn joined_terms(terms: &[String]) -> String {
    let mut joined = String::with_capacity(terms.iter().map(|term| term.len() + 1).sum());
    for term in terms {
        if !joined.is_empty() {
            joined.push(SEPARATOR);
        }
        joined.push_str(term);
    }
    joined
}

/// Hands on the terms that [`joined_terms`] joined, unchanged.
#[derive(Clone, Default)]
pub(crate) struct TermTokenizer {
    token: Token,
}

/// The terms of one text.
pub(crate) struct TermStream<'t> {
    terms: std::str::Split<'t, char>,
    token: &'t mut Token,
}

impl Tokenizer for TermTokenizer {
    type TokenStream<'a> = TermStream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> TermStream<'a> {
        self.token.reset();
        TermStream { terms: text.split(SEPARATOR), token: &mut self.token }
    }
}

impl TokenStream for TermStream<'_> {
    fn advance(&mut self) -> bool {
        let Some(term) = self.terms.by_ref().find(|term| !term.is_empty()) else { return false };
        self.token.text.clear();
        self.token.text.push_str(term);
        self.token.position = self.token.position.wrapping_add(1);
        true
    }

    fn token(&self) -> &Token {
        self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_come_out_as_they_went_in() {
        let terms = ["one".to_owned(), "src/main.rs".to_owned(), "東京".to_owned()];
        let joined = joined_terms(&terms);
        let mut tokenizer = TermTokenizer::default();
        let mut stream = tokenizer.token_stream(&joined);
        let mut found = Vec::new();
        while stream.advance() {
            found.push(stream.token().text.clone());
        }
        assert_eq!(found, terms);
        assert!(!TermTokenizer::default().token_stream("").advance());
    }
}
