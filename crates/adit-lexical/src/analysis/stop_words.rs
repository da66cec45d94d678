use std::collections::HashSet;

/// The 33 words that Lucene's English analyser leaves out.
const ENGLISH: [&str; 33] = [
    "a", "an", "and", "are", "as", "at", "be", "but", "by", "for", "if", "in", "into", "is", "it", "no",
    "not", "of", "on", "or", "such", "that", "the", "their", "then", "there", "these", "they", "this", "to",
    "was", "will", "with",
];

/// Stop words of `code`; empty where there is no list.
///
/// Outside English these are the Snowball lists as NLTK distributes them: function words only, unlike
/// the ISO collection, whose German list alone also takes `gross`, `jahr` and `tag`.
pub(crate) fn stop_words(code: &str) -> HashSet<&'static str> {
    match code {
        "en" => ENGLISH.into_iter().collect(),
        // Segmented scripts have no words to leave out; their lists would only cost memory.
        "zh" | "ja" | "ko" | "th" | "lo" | "km" | "my" | "und" => HashSet::new(),
        _ => stop_words::lookup(code).unwrap_or_default().iter().copied().collect(),
    }
}
