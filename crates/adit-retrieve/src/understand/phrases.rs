/// Pairs of quotation marks, opening and closing.
const QUOTES: &[(char, char)] =
    &[('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('»', '«'), ('「', '」'), ('『', '』'), ('`', '`')];

/// What stands between quotation marks in a question, in order, each once.
pub(super) fn quoted_phrases(question: &str) -> Vec<String> {
    let mut phrases: Vec<String> = Vec::new();
    let mut rest = question;
    while let Some((start, opening)) = rest.char_indices().find(|(_, one)| is_opening(*one)) {
        let after = rest.get(start + opening.len_utf8()..).unwrap_or_default();
        let end = QUOTES
            .iter()
            .filter(|(open, _)| *open == opening)
            .filter_map(|(_, close)| after.find(*close).map(|at| (at, close.len_utf8())))
            .min();
        let Some((end, closing_bytes)) = end else {
            rest = after;
            continue;
        };
        let phrase = after.get(..end).unwrap_or_default().trim();
        if phrase.chars().any(char::is_alphanumeric) && !phrases.iter().any(|known| known == phrase) {
            phrases.push(phrase.to_owned());
        }
        rest = after.get(end + closing_bytes..).unwrap_or_default();
    }
    phrases
}

fn is_opening(character: char) -> bool {
    QUOTES.iter().any(|(open, _)| *open == character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_quoted_in_many_ways_of_quoting() {
        assert_eq!(quoted_phrases(r#"where is "force majeure" and “net 30”?"#), ["force majeure", "net 30"]);
        assert_eq!(quoted_phrases("was heißt „höhere Gewalt“ hier"), ["höhere Gewalt"]);
        assert_eq!(quoted_phrases("an open \" and nothing"), Vec::<String>::new());
        assert_eq!(quoted_phrases("\"a\" \"a\" \"\""), ["a"]);
    }
}
