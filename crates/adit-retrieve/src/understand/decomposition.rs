use adit_lexical::content_words;

/// Parts of one question, at most.
const MOST_PARTS: usize = 4;
/// Words that begin a question; a capital there is no name.
const QUESTION_WORDS: &[&str] = &[
    "what", "which", "who", "whom", "whose", "when", "where", "why", "how", "is", "are", "was", "were", "do",
    "does", "did", "can", "could", "should", "has", "have", "had", "in", "on", "at", "of", "the", "a", "an",
    "between", "both", "compare", "tell", "name", "list", "give", "if", "for", "from", "by", "and", "or",
    "to",
];

/// The parts of a question that can be looked up one by one: several questions in a row, or, where things
/// are compared, a search for each of them. Empty when the question is one.
pub(crate) fn parts(question: &str, languages: &[String]) -> Vec<String> {
    let several = questions_in_a_row(question);
    if several.len() > 1 {
        return several;
    }
    if !compares(question) {
        return Vec::new();
    }
    let names = names(question);
    if names.len() < 2 {
        return Vec::new();
    }
    let lowered_names: Vec<String> = names.iter().map(|name| name.to_lowercase()).collect();
    let rest: Vec<String> = content_words(question, languages, 12)
        .into_iter()
        .filter(|word| !lowered_names.iter().any(|name| name.contains(&word.to_lowercase())))
        .collect();
    names.iter().take(MOST_PARTS).map(|name| format!("{name} {}", rest.join(" ")).trim().to_owned()).collect()
}

fn questions_in_a_row(question: &str) -> Vec<String> {
    let parts = question.split_inclusive(['?', '？']).map(str::trim);
    let asked = parts.filter(|part| part.ends_with(['?', '？']) && part.split_whitespace().nth(2).is_some());
    asked.take(MOST_PARTS).map(str::to_owned).collect()
}

fn compares(question: &str) -> bool {
    let lowered = format!(" {} ", question.to_lowercase());
    [
        " or ",
        " and ",
        " both ",
        " versus ",
        " vs ",
        " vs. ",
        " than ",
        " difference ",
        " oder ",
        " und ",
        " sowohl ",
    ]
    .iter()
    .any(|word| lowered.contains(word))
}

/// Runs of capitalised words and quoted titles, in order, each once.
fn names(question: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut run: Vec<&str> = Vec::new();
    for piece in question.split_whitespace() {
        let word = piece.trim_matches(|character: char| !character.is_alphanumeric());
        let is_question_word = QUESTION_WORDS.contains(&word.to_lowercase().as_str());
        let capital =
            word.chars().next().is_some_and(char::is_uppercase) && !(run.is_empty() && is_question_word);
        let is_joined = !run.is_empty() && matches!(word, "of" | "the" | "de" | "von" | "van" | "&");
        if (capital && !is_question_word) || is_joined {
            run.push(word);
            if piece.ends_with([',', '?', ';', ':', ')']) {
                keep(&mut names, &mut run);
            }
        } else {
            keep(&mut names, &mut run);
        }
    }
    keep(&mut names, &mut run);
    names
}

fn keep(names: &mut Vec<String>, run: &mut Vec<&str>) {
    while run.last().is_some_and(|last| last.chars().next().is_some_and(char::is_lowercase)) {
        run.pop();
    }
    let name = run.join(" ");
    if name.chars().count() > 2 && !names.contains(&name) {
        names.push(name);
    }
    run.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_compared_is_looked_up_one_by_one() {
        let parts = parts("Were Scott Derrickson and Ed Wood of the same nationality?", &[]);
        assert_eq!(parts, ["Scott Derrickson nationality", "Ed Wood nationality"]);
    }

    #[test]
    fn several_questions_are_several_parts() {
        let parts = parts("How long is probation? Who decides on its end?", &[]);
        assert_eq!(parts, ["How long is probation?", "Who decides on its end?"]);
    }

    #[test]
    fn one_question_has_no_parts() {
        assert!(parts("How many days of notice do I have to give?", &[]).is_empty());
        assert!(parts("What is research and development at Acme?", &[]).is_empty());
    }
}
