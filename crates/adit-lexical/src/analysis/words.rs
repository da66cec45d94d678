use icu_segmenter::options::WordBreakInvariantOptions;
use icu_segmenter::{WordSegmenter, WordSegmenterBorrowed};
use unicode_segmentation::UnicodeSegmentation;

use super::script::{WritingSystem, for_each_run};

/// One word of a normalised, lower-case text, before stop words and stemming.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Word<'t> {
    /// The word.
    pub(crate) text: &'t str,
    /// Whether stop words and stemmers apply: not to pieces of scripts without spaces.
    pub(crate) is_spaced: bool,
}

/// Visits the words of `text`, which is normalised and in lower case.
pub(crate) fn for_each_word<'t>(text: &'t str, visit: &mut dyn FnMut(Word<'t>)) {
    for_each_run(text, &mut |system, run| match system {
        WritingSystem::Spaced => spaced_words(run, visit),
        WritingSystem::Ideographic => {
            single_characters(run, visit);
            bigrams(run, visit);
        }
        WritingSystem::Hangul => bigrams(run, visit),
        WritingSystem::SoutheastAsian => segmented_words(run, visit),
    });
}

/// UAX 29 words, cut further where program text joins what prose would separate.
fn spaced_words<'t>(run: &'t str, visit: &mut dyn FnMut(Word<'t>)) {
    for word in run.unicode_words() {
        if word.contains(['_', '.', ':']) {
            for part in joined_parts(word) {
                visit(Word { text: part, is_spaced: true });
            }
        } else {
            visit(Word { text: word, is_spaced: true });
        }
    }
}

/// `err_4021` is two words, `main.rs` two, `e.g` and `3.2` one: a full stop separates only where
/// letters stand on both sides and one side has more than one.
fn joined_parts(word: &str) -> impl Iterator<Item = &str> {
    word.split(['_', ':']).flat_map(split_at_full_stops).filter(|part| part.contains(char::is_alphanumeric))
}

fn split_at_full_stops(word: &str) -> Vec<&str> {
    let is_abbreviation = word.split('.').all(|part| part.chars().count() <= 1);
    let is_number =
        word.chars().all(|character| character.is_numeric() || matches!(character, '.' | ',' | '\''))
            || word.strip_prefix('v').is_some_and(|rest| rest.starts_with(|first: char| first.is_numeric()));
    if is_abbreviation || is_number { vec![word] } else { word.split('.').collect() }
}

/// Every character by itself, as far as the run has several: one character often is a word, and a
/// question may have it alone.
fn single_characters<'t>(run: &'t str, visit: &mut dyn FnMut(Word<'t>)) {
    let is_several = run.chars().nth(1).is_some();
    for (position, character) in run.char_indices().filter(|_| is_several) {
        if let Some(single) = run.get(position..position + character.len_utf8()) {
            visit(Word { text: single, is_spaced: false });
        }
    }
}

/// Overlapping pairs of characters; a run of one character is itself.
///
/// Pairs find a word whatever its neighbours are, where a dictionary may cut the same word differently
/// in the question and in the text. Measured (nDCG@10 on XQuAD-zh and JaQuAD): dictionary words .961 and
/// .908, pairs .966 and .910, words and pairs .965 and .918, single characters and pairs .967 and .920.
fn bigrams<'t>(run: &'t str, visit: &mut dyn FnMut(Word<'t>)) {
    let mut previous = None;
    let mut pairs = 0;
    for (position, character) in run.char_indices() {
        let end = position + character.len_utf8();
        if let Some(pair) = previous.and_then(|start| run.get(start..end)) {
            visit(Word { text: pair, is_spaced: false });
            pairs += 1;
        }
        previous = Some(position);
    }
    if pairs == 0 {
        visit(Word { text: run, is_spaced: false });
    }
}

/// Words by ICU's dictionaries. Its LSTM models are ten times slower and find less (XQuAD-th: nDCG@10 .950
/// against .967).
fn segmented_words<'t>(run: &'t str, visit: &mut dyn FnMut(Word<'t>)) {
    let mut start = 0;
    for end in segmenter().segment_str(run) {
        if let Some(word) = run.get(start..end).filter(|word| word.contains(char::is_alphanumeric)) {
            visit(Word { text: word, is_spaced: false });
        }
        start = end;
    }
}

/// Borrows compiled-in data; making it costs nothing.
fn segmenter() -> WordSegmenterBorrowed<'static> {
    WordSegmenter::new_dictionary(WordBreakInvariantOptions::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<&str> {
        let mut words = Vec::new();
        for_each_word(text, &mut |word| words.push(word.text));
        words
    }

    #[test]
    fn prose_and_program_text() {
        assert_eq!(words("well-known facts, e.g. u.s. law"), ["well", "known", "facts", "e.g", "u.s", "law"]);
        assert_eq!(words("src/main.rs err_4021 r-17"), ["src", "main", "rs", "err", "4021", "r", "17"]);
        assert_eq!(words("v3.2 costs 1,000.50"), ["v3.2", "costs", "1,000.50"]);
    }

    #[test]
    fn scripts_without_spaces() {
        assert_eq!(words("東京都"), ["東", "京", "都", "東京", "京都"]);
        assert_eq!(words("水"), ["水"]);
        assert_eq!(words("학교에서"), ["학교", "교에", "에서"]);
        assert_eq!(words("ภาษาไทยภาษา"), ["ภาษา", "ไทย", "ภาษา"]);
    }
}
