use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation;

/// Share (0 to 1) of the question's content words that stand in the quote letter for letter, case aside.
///
/// A question near 1 is found by any keyword search, so it says nothing about retrieval. Content words
/// are the words of UAX #29 that are no stop words of `language` (ISO 639-1) or of English; in scripts
/// without spaces a word may be one character. A question of stop words only has a share of 0.
#[must_use]
pub fn keyword_share(question: &str, quote: &str, language: &str) -> f64 {
    let in_quote = words(quote);
    let content: BTreeSet<String> =
        words(question).into_iter().filter(|word| !is_stop_word(word, language)).collect();
    let shared = content.iter().filter(|word| in_quote.contains(*word)).count();
    shared as f64 / content.len().max(1) as f64
}

fn words(text: &str) -> BTreeSet<String> {
    text.unicode_words().map(str::to_lowercase).collect()
}

fn is_stop_word(word: &str, language: &str) -> bool {
    [language, "en"].iter().any(|code| stop_words::lookup(code).is_some_and(|list| list.contains(&word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_content_words_only() {
        let quote = "New parents receive sixteen weeks on full pay.";
        let share = keyword_share("How many weeks do new parents receive on full pay?", quote, "en");
        assert!(share > 0.8, "{share}");
        assert!(keyword_share("How much paternity leave do I get?", quote, "en") < 0.01);
        assert!(keyword_share("Wie lange ist das?", "Das ist alles.", "de") < 0.6);
        assert!(keyword_share("", quote, "en").abs() < 1e-12);
    }
}
