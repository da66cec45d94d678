/// Most letters of a label's name: `POLICY` and `RICHTLINIE` are names, sentences are not.
const NAME_LETTERS: std::ops::RangeInclusive<usize> = 2..=12;
/// Most digits of each of its numbers.
const MOST_DIGITS: usize = 6;
/// Most numbers: `HR-12`, `HR-12.3`, `ISO 9001-2-1`.
const MOST_NUMBERS: usize = 4;

/// A name and number by which documents cite each other, such as `HR-12`, `PEP 8` or `RFC 2119`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CitationLabel {
    /// One form for all spellings: lower case, parts joined by `-`, no leading zeros (`hr-12`, `pep-8`).
    pub normal: String,
    /// Where its spelling begins in the text, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
}

/// All labels of `text`, in order. A label is letters, at most one `-`, `_` or space, and numbers joined by
/// `.` or `-`; it begins and ends at the border of a word.
#[must_use]
pub fn citation_labels(text: &str) -> Vec<CitationLabel> {
    let mut labels = Vec::new();
    let mut at = 0;
    while let Some(start) = next_word(text, at) {
        let letters: usize = length_of(text, start, |one| one.is_ascii_alphabetic());
        let name_end = start + letters;
        match read_label(text, start, name_end).filter(|_| NAME_LETTERS.contains(&letters)) {
            Some(label) => {
                at = label.end;
                labels.push(label);
            }
            None => {
                let is_of_word = |one: char| one.is_ascii_alphanumeric() || !one.is_ascii();
                at = name_end + length_of(text, name_end, is_of_word);
            }
        }
    }
    labels
}

/// Start of the next run of ASCII letters that no letter, digit or underscore stands before.
fn next_word(text: &str, from: usize) -> Option<usize> {
    let mut before = text.get(..from)?.chars().next_back();
    for (offset, one) in text.get(from..)?.char_indices() {
        if one.is_ascii_alphabetic() && !before.is_some_and(char::is_alphanumeric) {
            return Some(from + offset);
        }
        before = Some(one);
    }
    None
}

fn length_of(text: &str, from: usize, is_part: impl Fn(char) -> bool) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    rest.find(|one| !is_part(one)).unwrap_or(rest.len())
}

fn read_label(text: &str, start: usize, name_end: usize) -> Option<CitationLabel> {
    let mut end = name_end;
    if text.get(end..)?.starts_with(['-', '_', ' ', '\u{a0}']) {
        end += text.get(end..)?.chars().next()?.len_utf8();
    }
    let mut normal = text.get(start..name_end)?.to_ascii_lowercase();
    for number in 0..MOST_NUMBERS {
        let joined = usize::from(number > 0);
        if joined == 1 && !text.get(end..)?.starts_with(['.', '-']) {
            break;
        }
        let digits = length_of(text, end + joined, |one| one.is_ascii_digit());
        if !(1..=MOST_DIGITS).contains(&digits) {
            break;
        }
        let written = text.get(end + joined..end + joined + digits)?.trim_start_matches('0');
        normal.push('-');
        normal += if written.is_empty() { "0" } else { written };
        end += joined + digits;
    }
    let has_number = normal.len() > name_end - start;
    let goes_on = text.get(end..)?.chars().next().is_some_and(|one| one.is_alphanumeric() || one == '_');
    (has_number && !goes_on).then_some(CitationLabel { normal, start, end })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(text: &str) -> Vec<String> {
        citation_labels(text).into_iter().map(|label| label.normal).collect()
    }

    #[test]
    fn spellings_of_one_label_are_one() {
        for text in ["HR-12", "see hr 12.", "(HR_012)", "policies/hr-12.md", "HR12, which", "HR\u{a0}12"] {
            assert_eq!(labels(text), ["hr-12"], "{text}");
        }
        assert_eq!(labels("PEP 0008 and RFC 2119, ISO 9001-2.1"), ["pep-8", "rfc-2119", "iso-9001-2-1"]);
    }

    #[test]
    fn parts_of_words_are_none() {
        assert_eq!(labels("x1 abc12d \u{fc}HR12 A-1 averyverylongname-12 HR- 12"), Vec::<String>::new());
        assert_eq!(labels("HR-1234567"), Vec::<String>::new());
        assert_eq!(labels("form 7_b"), Vec::<String>::new());
        assert!(labels("\u{1F600}\u{4E2D}\u{6587} 12").is_empty());
    }

    #[test]
    fn ranges_are_of_the_spelling() {
        let text = "\u{fc}ber HR-12.";
        let label = &citation_labels(text)[0];
        assert_eq!(&text[label.start..label.end], "HR-12");
    }
}
