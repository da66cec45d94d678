use adit_lexical::content_words;

/// Words of one question that are looked at, at most.
const MOST_WORDS: usize = 24;

/// The words of a question that carry meaning, in lower case. Codes such as `err_4021` and `r-17` stay whole.
/// `languages` are ISO 639-1 codes.
#[must_use]
pub fn question_words(question: &str, languages: &[String]) -> Vec<String> {
    let words = content_words(question, languages, MOST_WORDS).into_iter();
    words.map(|word| word.to_lowercase().replace('’', "'")).collect()
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
