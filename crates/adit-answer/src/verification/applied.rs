use super::CheckedClaim;
use crate::Unsupported;

/// What stands behind a claim that its citations do not support.
const MARK: &str = " [unsupported]";

/// The answer after its unsupported claims were dealt with, and how many were taken out.
pub(crate) fn apply(answer: &str, claims: &[CheckedClaim], unsupported: Unsupported) -> (String, usize) {
    let mut result = answer.to_owned();
    let mut removed = 0;
    for claim in claims.iter().rev().filter(|claim| !claim.is_supported) {
        match unsupported {
            Unsupported::Keep => {}
            Unsupported::Mark => {
                if result.is_char_boundary(claim.end) {
                    result.insert_str(claim.end, MARK);
                }
            }
            Unsupported::Remove => {
                if result.get(claim.start..claim.end).is_some() {
                    result.replace_range(claim.start..claim.end, "");
                    removed += 1;
                }
            }
        }
    }
    if removed > 0 {
        result = without_gaps(&result);
    }
    (result, removed)
}

/// Lines that lost all their words go, and so do doubled spaces.
fn without_gaps(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let words = line.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
        let is_blank = words.is_empty();
        if !(is_blank && lines.last().is_none_or(String::is_empty)) {
            lines.push(words);
        }
    }
    lines.join("\n").trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn claim(start: usize, end: usize, is_supported: bool) -> CheckedClaim {
        let text = String::new();
        CheckedClaim {
            text,
            start,
            end,
            citations: Vec::new(),
            is_supported,
            support: 0.0,
            problems: Vec::new(),
        }
    }

    #[test]
    fn unsupported_claims_are_marked_removed_or_kept() {
        let answer = "One. Two. Three.";
        let claims = [claim(0, 4, true), claim(5, 9, false), claim(10, 16, false)];
        let marked = apply(answer, &claims, Unsupported::Mark).0;
        assert_eq!(marked, "One. Two. [unsupported] Three. [unsupported]");
        assert_eq!(apply(answer, &claims, Unsupported::Remove), ("One.".to_owned(), 2));
        assert_eq!(apply(answer, &claims, Unsupported::Keep), (answer.to_owned(), 0));
    }
}
