//! Sentences of documents, changed so that they say something else, or the same in another way.

/// What was done to a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Change {
    /// Nothing.
    None,
    /// A clause behind a comma left out, and a phrase put before: it says the same or less.
    Shortened,
    /// Every other function word left out, as in notes.
    Terse,
    /// A number became another one.
    Number,
    /// A name became one of another document.
    Name,
    /// A `not` was put in or taken out.
    Negation,
    /// Nothing, but the citation names another document's passage.
    OtherPassage,
}

impl Change {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::None => "true: as it stands",
            Self::Shortened => "true: a clause left out",
            Self::Terse => "true: articles left out",
            Self::Number => "false: a number changed",
            Self::Name => "false: a name changed",
            Self::Negation => "false: negated",
            Self::OtherPassage => "false: another passage cited",
        }
    }

    /// Whether the claim is wrong now.
    pub(super) fn is_false(self) -> bool {
        matches!(self, Self::Number | Self::Name | Self::Negation | Self::OtherPassage)
    }
}

/// The versions of `sentence` that can be made; `other` is a text of another document, for its names.
pub(super) fn changed(sentence: &str, other: &str) -> Vec<(Change, String)> {
    let mut versions = vec![(Change::None, sentence.to_owned()), (Change::OtherPassage, sentence.to_owned())];
    versions.extend(shortened(sentence).map(|text| (Change::Shortened, text)));
    versions.extend(terse(sentence).map(|text| (Change::Terse, text)));
    versions.extend(with_another_number(sentence).map(|text| (Change::Number, text)));
    versions.extend(with_another_name(sentence, other).map(|text| (Change::Name, text)));
    versions.extend(negated(sentence).map(|text| (Change::Negation, text)));
    versions
}

fn shortened(sentence: &str) -> Option<String> {
    let (kept, rest) = sentence.rsplit_once(", ")?;
    let is_balanced =
        kept.matches('"').count().is_multiple_of(2) && kept.matches('(').count() == kept.matches(')').count();
    let is_long = kept.split_whitespace().count() >= 6 && !rest.is_empty();
    (is_long && is_balanced).then(|| format!("According to the document: {kept}."))
}

fn terse(sentence: &str) -> Option<String> {
    let is_article = |word: &&str| matches!(*word, "the" | "a" | "an" | "of" | "that" | "which");
    let words: Vec<&str> = sentence.split_whitespace().filter(|word| !is_article(word)).collect();
    (words.len() < sentence.split_whitespace().count() && !sentence.contains('"')).then(|| words.join(" "))
}

/// The last number gets 7 more.
fn with_another_number(sentence: &str) -> Option<String> {
    let end = sentence.rfind(|character: char| character.is_ascii_digit())? + 1;
    let before = sentence.get(..end)?;
    let start = before.rfind(|character: char| !character.is_ascii_digit()).map_or(0, |at| at + 1);
    let start = (start..=end).find(|at| sentence.is_char_boundary(*at))?;
    let number: u64 = sentence.get(start..end)?.parse().ok()?;
    Some(format!("{}{}{}", sentence.get(..start)?, number + 7, sentence.get(end..)?))
}

fn with_another_name(sentence: &str, other: &str) -> Option<String> {
    let own = name_in(sentence, &|_| true)?;
    let lowered = sentence.to_lowercase();
    let new = name_in(other, &|name| !lowered.contains(&name.to_lowercase()))?;
    Some(sentence.replacen(&format!(" {own}"), &format!(" {new}"), 1))
}

/// A capitalised word of at least four letters inside a sentence.
fn name_in<'t>(text: &'t str, fits: &dyn Fn(&str) -> bool) -> Option<&'t str> {
    let mut before = ".";
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|character: char| !character.is_alphanumeric());
        let starts = before.ends_with(['.', '?', '!', ':', '"', '”', '“', '(']);
        let is_name = bare.starts_with(char::is_uppercase)
            && bare.chars().count() >= 4
            && bare.chars().all(char::is_alphabetic)
            && word.starts_with(bare);
        if is_name && !starts && fits(bare) {
            return Some(bare);
        }
        before = word;
    }
    None
}

fn negated(sentence: &str) -> Option<String> {
    if let Some((before, after)) = sentence.split_once(" not ") {
        return Some(format!("{before} {after}"));
    }
    for verb in [
        " is ",
        " are ",
        " was ",
        " were ",
        " can ",
        " may ",
        " must ",
        " will ",
        " has been ",
        " have been ",
    ] {
        if let Some((before, after)) = sentence.split_once(verb) {
            let (first, rest) =
                verb.trim().split_once(' ').map_or((verb.trim(), ""), |(first, rest)| (first, rest));
            let rest = if rest.is_empty() { String::new() } else { format!("{rest} ") };
            return Some(format!("{before} {first} not {rest}{after}"));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_change_says_what_it_is_named_for() {
        let sentence = "In 2019 the office of Anna Schmidt was moved to the hall, where it is now.";
        let versions = changed(sentence, "They met Robert in Ghent.");
        let text =
            |change: Change| versions.iter().find(|(one, _)| *one == change).map(|(_, text)| text.as_str());
        assert_eq!(text(Change::Number).unwrap().split(' ').nth(1), Some("2026"));
        assert!(text(Change::Name).unwrap().contains("of Robert Schmidt"));
        assert!(text(Change::Negation).unwrap().contains("it is not now"), "{versions:?}");
        assert!(text(Change::Shortened).unwrap().ends_with("moved to the hall."));
        assert_eq!(negated("It may not end."), Some("It may end.".to_owned()));
    }
}
