//! A `not` too many or too few.

use adit_lexical::analyse_document;

/// Words that negate what stands near them.
const NEGATORS: &[&str] = &[
    "not",
    "no",
    "never",
    "without",
    "cannot",
    "can't",
    "don't",
    "doesn't",
    "didn't",
    "isn't",
    "aren't",
    "wasn't",
    "weren't",
    "won't",
    "wouldn't",
    "shouldn't",
    "mustn't",
    "haven't",
    "hasn't",
    "hadn't",
    "neither",
    "nor",
    "none",
    "nobody",
    "nothing",
    "nicht",
    "kein",
    "keine",
    "keinen",
    "keinem",
    "keiner",
    "keines",
    "nie",
    "niemals",
    "ohne",
    "weder",
    "niemand",
    "nichts",
    "pas",
    "jamais",
    "sans",
    "aucun",
    "aucune",
];
/// Words whose `no` negates nothing.
const FALSE_FRIENDS: &[(&str, &str)] =
    &[("no", "later"), ("not", "only"), ("nicht", "nur"), ("no", "more"), ("no", "longer")];
/// Content words behind a negator that it negates.
const REACH: usize = 2;

/// A content word that is negated in exactly one of `claim` and `sentence` and stands in both.
pub(super) fn negation_mismatch(claim: &str, sentence: &str, language: &str) -> Option<String> {
    let (own, other) = (Polarity::of(claim, language), Polarity::of(sentence, language));
    let differs = |one: &Polarity, two: &Polarity| -> Option<String> {
        // One shared word that is negated alike settles the negator it belongs to.
        one.negated.iter().find_map(|reach| {
            let shared: Vec<&String> = reach.iter().filter(|word| two.words.contains(word)).collect();
            let negated_too =
                shared.iter().any(|word| two.negated.iter().flatten().any(|other| *other == **word));
            shared.first().filter(|_| !negated_too).map(|word| (*word).clone())
        })
    };
    // What the claim leaves out of the sentence, it does not deny.
    differs(&own, &other).or_else(|| differs(&other, &own))
}

struct Polarity {
    words: Vec<String>,
    /// For every negator the words it negates.
    negated: Vec<Vec<String>>,
}

impl Polarity {
    fn of(text: &str, language: &str) -> Self {
        let plain = text.replace('’', "'").to_lowercase();
        // Each word with whether a comma or the like stands before it: a negator does not reach across.
        let mut words: Vec<(&str, bool)> = Vec::new();
        let mut breaks = false;
        for piece in
            plain.split_inclusive(|character: char| !(character.is_alphanumeric() || character == '\''))
        {
            let word = piece.trim_matches(|character: char| !character.is_alphanumeric());
            if !word.is_empty() {
                words.push((word, breaks));
                breaks = false;
            }
            breaks |= piece.ends_with([',', ';', ':', '(', '.', '|', '–']);
        }
        let mut result = Self { words: Vec::new(), negated: Vec::new() };
        let term = |word: &str| analyse_document(word, language).body.into_iter().next();
        for (place, (word, _)) in words.iter().enumerate() {
            if !NEGATORS.contains(word) {
                result.words.extend(term(word));
                continue;
            }
            let next = words.get(place + 1).map_or("", |(next, _)| *next);
            if FALSE_FRIENDS.contains(&(*word, next)) {
                continue;
            }
            let behind = words.iter().skip(place + 1).take_while(|(_, breaks)| !breaks);
            let reach: Vec<String> = behind.filter_map(|(word, _)| term(word)).take(REACH).collect();
            // German puts `nicht` behind what it negates, at the end of a clause.
            let reach = if reach.is_empty() {
                words.iter().take(place).rev().filter_map(|(word, _)| term(word)).take(REACH).collect()
            } else {
                reach
            };
            result.negated.push(reach);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_negation_that_is_lost_or_added_is_found() {
        for (claim, sentence, language) in [
            ("Leave may be carried over.", "Leave may not be carried over.", "en"),
            ("Do not pour water on a pack.", "Pour water on a pack at once.", "en"),
            ("Visitors can't enter the hall.", "Visitors enter the hall by the gate.", "en"),
            ("Urlaub wird übertragen.", "Urlaub wird nicht übertragen.", "de"),
        ] {
            assert!(negation_mismatch(claim, sentence, language).is_some(), "{claim} / {sentence}");
        }
    }

    #[test]
    fn negations_that_agree_or_lie_elsewhere_are_fine() {
        for (claim, sentence) in [
            ("Leave cannot be carried over.", "Leave may not be carried over."),
            ("Staff get 28 days.", "Staff get 28 days, which may not be carried over."),
            (
                "Dogs are welcome if nobody is allergic.",
                "Dogs are welcome if nobody on the floor is allergic.",
            ),
            ("Apply no later than May.", "Apply by May."),
            ("Not only staff get leave.", "Staff and trainees get leave."),
        ] {
            assert_eq!(negation_mismatch(claim, sentence, "en"), None, "{claim} / {sentence}");
        }
    }
}
