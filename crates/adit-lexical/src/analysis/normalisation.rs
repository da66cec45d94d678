use std::borrow::Cow;

use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfkc_quick};

/// NFKC, so that full-width letters, ligatures and composed accents have one form, and the curly
/// apostrophe as the straight one.
pub(crate) fn normalise(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let is_normal = is_nfkc_quick(text.chars()) == IsNormalized::Yes;
    let has_curly = text.contains(['\u{2019}', '\u{02BC}']);
    match (is_normal, has_curly) {
        (true, false) => Cow::Borrowed(text),
        (true, true) => Cow::Owned(text.replace(['\u{2019}', '\u{02BC}'], "'")),
        (false, _) => Cow::Owned(text.nfkc().map(straight_apostrophe).collect()),
    }
}

fn straight_apostrophe(character: char) -> char {
    match character {
        '\u{2019}' | '\u{02BC}' => '\'',
        other => other,
    }
}

/// Lower case by Unicode. The dotted capital I becomes a plain i: its combining dot would make
/// `İstanbul` a word of its own.
pub(crate) fn lower_case(text: &str) -> String {
    let lower = text.to_lowercase();
    if lower.contains("i\u{307}") { lower.replace("i\u{307}", "i") } else { lower }
}

/// The longest beginning of `term` that has at most `limit_bytes` bytes and ends between characters.
pub(crate) fn truncated(term: &str, limit_bytes: usize) -> &str {
    if term.len() <= limit_bytes {
        return term;
    }
    let end = (0..=limit_bytes).rev().find(|&at| term.is_char_boundary(at)).unwrap_or(0);
    term.get(..end).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_form_for_one_word() {
        assert_eq!(normalise("ＡＢＣ　１２"), "ABC 12");
        assert_eq!(normalise("ﬁle"), "file");
        assert_eq!(normalise("cafe\u{301}"), "café");
        assert_eq!(normalise("it\u{2019}s"), "it's");
        assert_eq!(lower_case("İSTANBUL"), "istanbul");
        assert_eq!(truncated("aé", 2), "a");
    }
}
