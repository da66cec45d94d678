use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use frostem::{Algorithm, Stemmer};

use super::MAX_TERM_BYTES;
use super::normalisation::truncated;
use super::stop_words::stop_words;

/// The languages with an analyser: code and Snowball algorithm, `None` where words are not stemmed.
const LANGUAGES: &[(&str, Option<Algorithm>)] = &[
    ("ar", Some(Algorithm::Arabic)),
    ("ca", Some(Algorithm::Catalan)),
    ("cs", Some(Algorithm::Czech)),
    ("da", Some(Algorithm::Danish)),
    ("de", Some(Algorithm::German)),
    ("el", Some(Algorithm::Greek)),
    ("en", Some(Algorithm::English)),
    ("es", Some(Algorithm::Spanish)),
    ("et", Some(Algorithm::Estonian)),
    ("fa", Some(Algorithm::Persian)),
    ("fi", Some(Algorithm::Finnish)),
    ("fr", Some(Algorithm::French)),
    ("hi", Some(Algorithm::Hindi)),
    ("hu", Some(Algorithm::Hungarian)),
    ("hy", Some(Algorithm::Armenian)),
    ("id", Some(Algorithm::Indonesian)),
    ("it", Some(Algorithm::Italian)),
    ("ja", None),
    ("km", None),
    ("ko", None),
    ("lo", None),
    ("lt", Some(Algorithm::Lithuanian)),
    ("my", None),
    ("ne", Some(Algorithm::Nepali)),
    ("nl", Some(Algorithm::Dutch)),
    ("no", Some(Algorithm::Norwegian)),
    ("pl", Some(Algorithm::Polish)),
    ("pt", Some(Algorithm::Portuguese)),
    ("ro", Some(Algorithm::Romanian)),
    ("ru", Some(Algorithm::Russian)),
    ("sr", Some(Algorithm::Serbian)),
    ("sv", Some(Algorithm::Swedish)),
    ("ta", Some(Algorithm::Tamil)),
    ("th", None),
    ("tr", Some(Algorithm::Turkish)),
    ("uk", Some(Algorithm::Ukrainian)),
    ("und", None),
    ("zh", None),
];

static ANALYSERS: LazyLock<HashMap<&'static str, LanguageAnalyser>> = LazyLock::new(|| {
    LANGUAGES.iter().map(|&(code, algorithm)| (code, LanguageAnalyser::new(code, algorithm))).collect()
});

static UNDETERMINED: LazyLock<LanguageAnalyser> = LazyLock::new(|| LanguageAnalyser::new("und", None));

/// ISO 639-1 codes of the languages with an analyser, and `und`, sorted.
pub fn analysed_languages() -> impl Iterator<Item = &'static str> {
    LANGUAGES.iter().map(|(code, _)| *code)
}

/// Turns the words of one language into terms.
pub(crate) struct LanguageAnalyser {
    stemmer: Option<Stemmer>,
    stop_words: HashSet<&'static str>,
    has_possessive: bool,
    has_elision: bool,
}

impl LanguageAnalyser {
    fn new(code: &str, algorithm: Option<Algorithm>) -> Self {
        Self {
            stemmer: algorithm.map(Stemmer::new),
            stop_words: stop_words(code),
            has_possessive: matches!(code, "en" | "und"),
            has_elision: matches!(code, "fr" | "it" | "ca"),
        }
    }

    /// The analyser of `code`; an unknown code gets that of `und`, which neither stems nor leaves out.
    pub(crate) fn of(code: &str) -> &'static Self {
        ANALYSERS.get(code).unwrap_or(&UNDETERMINED)
    }

    /// Whether this language leaves `word` out.
    pub(crate) fn is_stop_word(&self, word: &str) -> bool {
        self.stop_words.contains(word)
    }

    /// The term of `word` (normalised, lower case), or `None` for a stop word.
    pub(crate) fn term<'w>(&self, word: &'w str) -> Option<Cow<'w, str>> {
        let bare = self.without_affixes(truncated(word, MAX_TERM_BYTES));
        if self.is_stop_word(bare) {
            return None;
        }
        match &self.stemmer {
            Some(stemmer) if bare.contains(char::is_alphabetic) => {
                let stem = stemmer.stem(bare);
                Some(if stem.is_empty() { Cow::Borrowed(bare) } else { Cow::Owned(stem.into_owned()) })
            }
            _ => Some(Cow::Borrowed(bare)),
        }
    }

    /// Without the English possessive (`dog's`) and the Romance article before an apostrophe (`l'homme`).
    fn without_affixes<'w>(&self, word: &'w str) -> &'w str {
        if self.has_possessive {
            return word.strip_suffix("'s").filter(|rest| !rest.is_empty()).unwrap_or(word);
        }
        match word.split_once('\'') {
            Some((article, rest)) if self.has_elision && is_elided(article) && rest.chars().count() > 1 => {
                rest
            }
            _ => word,
        }
    }
}

/// What stands before an apostrophe in French, Italian and Catalan without being part of the word.
fn is_elided(article: &str) -> bool {
    let longer =
        ["all", "dall", "dell", "jusqu", "lorsqu", "nell", "puisqu", "quell", "quest", "quoiqu", "sull"];
    article.chars().count() <= 2 || longer.contains(&article)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn term(code: &str, word: &str) -> Option<String> {
        LanguageAnalyser::of(code).term(word).map(Cow::into_owned)
    }

    #[test]
    fn stems_by_language() {
        assert_eq!(term("en", "refunds").as_deref(), Some("refund"));
        assert_eq!(term("en", "company's").as_deref(), Some("compani"));
        assert_eq!(term("en", "the"), None);
        assert_eq!(term("de", "häuser"), term("de", "haus"));
        assert_eq!(term("de", "und"), None);
        assert_eq!(term("fr", "l'homme").as_deref(), Some("homm"));
        assert_eq!(term("ru", "книги"), term("ru", "книга"));
        assert_eq!(term("und", "refunds").as_deref(), Some("refunds"));
        assert_eq!(term("xx", "the").as_deref(), Some("the"));
    }

    #[test]
    fn every_language_is_listed_once_and_in_order() {
        assert!(LANGUAGES.windows(2).all(|pair| pair[0].0 < pair[1].0));
    }

    #[test]
    fn long_words_are_cut_between_characters() {
        let word = "ä".repeat(1_000);
        assert!(term("und", &word).is_some_and(|term| term.len() == 254));
    }
}
