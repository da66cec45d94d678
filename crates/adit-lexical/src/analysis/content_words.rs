/// The words of a text that carry meaning, as they are written and each once (without regard to case), at
/// most `limit`: no stop words of English or of `languages` (ISO 639-1 codes), nothing of one letter. Codes
/// such as `ERR_4021` and `R-17` stay whole.
#[must_use]
pub fn content_words(text: &str, languages: &[String], limit: usize) -> Vec<String> {
    let is_stop_word = |word: &str| {
        let in_language = |code: &str| stop_words::lookup(code).is_some_and(|list| list.contains(&word));
        in_language("en") || languages.iter().any(|language| in_language(language))
    };
    let separates =
        |character: char| !character.is_alphanumeric() && !matches!(character, '-' | '_' | '.' | '\'' | '’');
    let mut seen = Vec::new();
    let mut words = Vec::new();
    for word in text.split(separates) {
        if words.len() == limit {
            break;
        }
        let word = word.trim_matches(|character: char| !character.is_alphanumeric());
        let lowered = word.to_lowercase().replace('’', "'");
        if word.chars().nth(1).is_some() && !is_stop_word(&lowered) && !seen.contains(&lowered) {
            words.push(word.to_owned());
            seen.push(lowered);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_words_are_the_words_that_carry_meaning() {
        let words = content_words("What is the refund period for ERR_4021, and R-17? Refund", &[], 24);
        assert_eq!(words, ["refund", "period", "ERR_4021", "R-17"]);
        assert_eq!(content_words("was ist die Probezeit", &["de".to_owned()], 24), ["Probezeit"]);
        assert_eq!(content_words("one two three four", &[], 2), ["one", "two"]);
    }
}
