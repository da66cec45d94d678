use adit_catalog::StoredChunk;

/// Shorter passages mean what stands around them, so equal words do not make them the same.
const FEWEST_WORDS: usize = 8;

/// What decides whether two passages say the same: all of their words, signs and headings. Spaces and case do not
/// count. Passages that differ in one word are never the same: it may be the month, the unit or the `not`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Words {
    count: usize,
    headings: String,
    text: String,
}

impl Words {
    pub(super) fn of(stored: &StoredChunk) -> Self {
        let header = stored.header_text.as_deref().unwrap_or_default();
        Self::of_text(&stored.chunk.heading_path.join("\n"), &format!("{header}\n{}", stored.chunk.display))
    }

    fn of_text(headings: &str, text: &str) -> Self {
        let text = plain(text);
        Self {
            count: text.split(' ').filter(|word| !word.is_empty()).count(),
            headings: plain(headings),
            text,
        }
    }

    pub(super) fn say_the_same_as(&self, other: &Self) -> bool {
        self.count >= FEWEST_WORDS && self == other
    }
}

/// In lower case, with one space for all white space.
fn plain(text: &str) -> String {
    text.to_lowercase().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POLICY: &str = "Employees should take at least 28 days of paid leave within five months of 1 March 2024, \
         at -5 degrees or 1.5 % below the mean.";

    fn same(left: &str, right: &str) -> bool {
        Words::of_text("Leave", left).say_the_same_as(&Words::of_text("Leave", right))
    }

    #[test]
    fn copies_are_the_same_whatever_their_spaces_and_case() {
        assert!(same(POLICY, &POLICY.to_uppercase().replace(' ', "\n ")));
    }

    #[test]
    fn one_other_word_sign_or_unit_is_another_statement() {
        for (word, other) in [
            ("28", "30"),
            ("March", "May"),
            ("five", "ten"),
            ("should", "shouldn't"),
            ("-5", "5"),
            ("at least", "at most"),
            ("%", "€"),
            ("1.5", "1-5"),
        ] {
            assert!(!same(POLICY, &POLICY.replace(word, other)), "{word} {other}");
        }
    }

    #[test]
    fn short_passages_and_those_under_other_headings_are_not_the_same() {
        assert!(!same("See the table above.", "See the table above."));
        assert!(!Words::of_text("Staff", POLICY).say_the_same_as(&Words::of_text("Contractors", POLICY)));
    }

    proptest! {
        #[test]
        fn sameness_has_no_direction(left in "[a-b ]{0,40}", right in "[a-b ]{0,40}") {
            prop_assert_eq!(same(&left, &right), same(&right, &left));
        }
    }
}
