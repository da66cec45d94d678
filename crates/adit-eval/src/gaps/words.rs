/// Words of one question that are looked at, at most.
const MOST_WORDS: usize = 24;

/// The words of a question that carry meaning, in lower case and each once: no stop words of English or of
/// `languages` (ISO 639-1 codes), nothing of one letter. Codes such as `err_4021` and `r-17` stay whole.
#[must_use]
pub fn question_words(question: &str, languages: &[String]) -> Vec<String> {
    let is_stop_word = |word: &str| {
        let stops_in = |code: &str| stop_words::lookup(code).is_some_and(|list| list.contains(&word));
        stops_in("en") || languages.iter().any(|language| stops_in(language))
    };
    let separates =
        |character: char| !character.is_alphanumeric() && !matches!(character, '-' | '_' | '.' | '\'' | '’');
    let mut words: Vec<String> = Vec::new();
    for word in question.split(separates) {
        let word = word.trim_matches(|character: char| !character.is_alphanumeric());
        let word = word.to_lowercase().replace('’', "'");
        if word.chars().nth(1).is_some() && !is_stop_word(&word) && !words.contains(&word) {
            words.push(word);
        }
        if words.len() == MOST_WORDS {
            break;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_carry_meaning() {
        let words = question_words("What is the Refund period for ERR_4021, and R-17? refund", &[]);
        assert_eq!(words, ["refund", "period", "err_4021", "r-17"]);
        assert_eq!(question_words("was ist die Probezeit", &["de".to_owned()]), ["probezeit"]);
    }
}
