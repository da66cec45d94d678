//! Names: what is capitalised without having to be.

use adit_lexical::analyse_document;

/// Words that are capitalised for other reasons.
const NO_NAMES: &[&str] = &[
    "i",
    "i'm",
    "i'll",
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "ok",
    "yes",
    "no",
    "note",
    "mr",
    "mrs",
    "ms",
    "dr",
];

/// Names in `claim` for which `stands` says no. In German every noun has a capital, so there only two
/// capitalised words in a row are a name. The first word of a sentence has a capital anyway: it counts only in
/// front of another name that is missing too (`Tomasz Bielak decides`, not `Ask Oriane Kessler`).
pub(super) fn missing_names(claim: &str, language: &str, stands: &dyn Fn(&str) -> bool) -> Vec<String> {
    let words = words(claim);
    let may_name = |word: &Word<'_>| {
        is_capital(word)
            && !NO_NAMES.contains(&word.text.to_lowercase().as_str())
            && !is_function_word(word.text, language)
    };
    let mut missing: Vec<String> = Vec::new();
    for (place, word) in words.iter().enumerate().filter(|(_, word)| may_name(word)) {
        let before = place.checked_sub(1).and_then(|before| words.get(before));
        let before = before.filter(|other| may_name(other) && other.touches(word) && !other.starts_sentence);
        let next = words.get(place + 1).filter(|other| may_name(other) && other.touches(word));
        let is_acronym = word.text.chars().filter(|character| character.is_uppercase()).count() >= 2;
        let is_name = is_acronym
            || if word.starts_sentence {
                next.is_some_and(|next| !stands(next.text))
            } else {
                language != "de" || before.is_some() || next.is_some()
            };
        if is_name && !stands(word.text) && !missing.iter().any(|known| known == word.text) {
            missing.push(word.text.to_owned());
        }
    }
    missing
}

struct Word<'a> {
    text: &'a str,
    start: usize,
    end: usize,
    starts_sentence: bool,
}

impl Word<'_> {
    /// Only a space lies between.
    fn touches(&self, other: &Self) -> bool {
        self.end + 1 == other.start || other.end + 1 == self.start
    }
}

fn is_capital(word: &Word<'_>) -> bool {
    word.text.starts_with(char::is_uppercase)
        && !word.text.contains(|character: char| character.is_ascii_digit())
}

fn is_function_word(word: &str, language: &str) -> bool {
    let lowered = word.to_lowercase();
    analyse_document(&lowered, language).body.is_empty() || analyse_document(&lowered, "en").body.is_empty()
}

fn words(claim: &str) -> Vec<Word<'_>> {
    let mut found: Vec<Word<'_>> = Vec::new();
    let mut starts_sentence = true;
    let mut start = None;
    for (at, character) in claim.char_indices().chain([(claim.len(), ' ')]) {
        if character.is_alphanumeric() {
            start.get_or_insert(at);
            continue;
        }
        if let Some(from) = start.take() {
            let text = claim.get(from..at).unwrap_or_default();
            found.push(Word { text, start: from, end: at, starts_sentence });
            starts_sentence = false;
        }
        starts_sentence |= matches!(character, '.' | ':' | '!' | '?' | '|' | '"' | '“' | '„' | '(' | '*');
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(claim: &str, language: &str) -> Vec<String> {
        missing_names(claim, language, &|word| ["Kessler", "Leipzig"].contains(&word))
    }

    #[test]
    fn capitals_inside_a_sentence_are_names() {
        assert_eq!(missing("We ask Oriane Kessler in Leipzig.", "en"), ["Oriane"]);
        assert_eq!(missing("Tomasz Bielak decides.", "en"), ["Tomasz", "Bielak"]);
        assert_eq!(missing("The NASA office. Staff decide in May.", "en"), ["NASA"]);
        assert!(missing("Staff decide. Then: Leave ends.", "en").is_empty());
    }

    #[test]
    fn german_nouns_are_no_names() {
        assert!(missing("Die Frist beträgt für Mitarbeiter einen Monat.", "de").is_empty());
        assert_eq!(missing("Fragen Sie bitte Tomasz Bielak.", "de"), ["Tomasz", "Bielak"]);
    }
}
