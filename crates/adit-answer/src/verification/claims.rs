use adit_core::{PassageId, TextRange};
use adit_retrieve::sentence_ranges;

use super::citations::citation_marks;
use crate::generation::tells_an_absence;

/// A sentence, list item or table row that claims something.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Claim {
    /// Its place in the answer, citations included.
    pub(crate) range: TextRange,
    /// Its words, citations and list marks left out.
    pub(crate) text: String,
    /// What it cites.
    pub(crate) citations: Vec<PassageId>,
    /// Citations that cannot be read.
    pub(crate) unreadable: Vec<String>,
}

/// The claims of an answer in their order. Headings, lines that introduce a list, questions, and sentences that
/// only tell what the documents do not say claim nothing.
pub(crate) fn claims(answer: &str) -> Vec<Claim> {
    let mut found: Vec<Claim> = Vec::new();
    for range in sentence_ranges(answer) {
        let Some(sentence) = range.slice(answer) else { continue };
        let marks = citation_marks(sentence);
        let mut text = String::new();
        let mut at = 0;
        for mark in &marks {
            text += sentence.get(at..mark.range.start).unwrap_or_default().trim_end();
            at = mark.range.end;
        }
        text += sentence.get(at..).unwrap_or_default();
        let text = bare(&text);
        let citations: Vec<PassageId> = marks.iter().flat_map(|mark| mark.ids.clone()).collect();
        let unreadable: Vec<String> = marks.into_iter().flat_map(|mark| mark.unreadable).collect();
        if !text.contains(char::is_alphanumeric) {
            // Citations on a line of their own belong to what stands before them.
            if let Some(before) = found.last_mut() {
                before.citations.extend(citations);
                before.unreadable.extend(unreadable);
                before.range.end = range.end;
            }
            continue;
        }
        let cites = !citations.is_empty() || !unreadable.is_empty();
        if cites || claims_something(sentence, &text) {
            found.push(Claim { range, text, citations, unreadable });
        }
    }
    found
}

fn claims_something(sentence: &str, text: &str) -> bool {
    let is_heading =
        sentence.trim_start().starts_with('#') || (text.starts_with("**") && text.ends_with("**"));
    let introduces = text.ends_with(':');
    let is_question = text.ends_with('?');
    // `Yes.` and `No.` claim what the next sentence says with its citation.
    let is_bare_word =
        text.split_whitespace().nth(1).is_none() && !text.contains(|c: char| c.is_ascii_digit());
    let is_rule = sentence.trim().chars().all(|character| matches!(character, '|' | '-' | ':' | ' '));
    !(is_heading || introduces || is_question || is_bare_word || is_rule || tells_an_absence(text))
}

/// Without a list mark, emphasis at the ends, and white space.
fn bare(text: &str) -> String {
    let trimmed = text.trim();
    let without_mark = match trimmed.split_once(char::is_whitespace) {
        Some(("-" | "*" | "+" | "•" | "–", rest)) => rest,
        Some((mark, rest)) if is_numbered(mark) => rest,
        _ => trimmed,
    };
    without_mark.split_whitespace().collect::<Vec<_>>().join(" ").replace(" .", ".")
}

fn is_numbered(mark: &str) -> bool {
    mark.strip_suffix(['.', ')']).is_some_and(|number| {
        !number.is_empty() && number.len() <= 2 && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(answer: &str) -> Vec<(String, usize)> {
        claims(answer).into_iter().map(|claim| (claim.text, claim.citations.len())).collect()
    }

    #[test]
    fn sentences_items_and_rows_are_claims_and_headings_are_not() {
        let answer = "# Leave\nYes. Staff get 28 days [doc:ab#1]. They may ask:\n- their lead [doc:ab#1][doc:ab#2]\n\
            1. the office\n| a | 3 [doc:ab#1] |\n|---|---|\nAnything else? The documents do not say more.";
        let expected = [("Staff get 28 days.", 1), ("their lead", 2), ("the office", 0), ("| a | 3 |", 1)];
        let expected: Vec<_> = expected.iter().map(|(text, count)| ((*text).to_owned(), *count)).collect();
        assert_eq!(texts(answer), expected);
    }

    #[test]
    fn citations_below_belong_to_what_stands_above() {
        let found = claims("Staff get 28 days.\n\n[doc:ab#1]\n");
        assert_eq!((found.len(), found[0].citations.len(), found[0].range.end), (1, 1, 30));
    }
}
