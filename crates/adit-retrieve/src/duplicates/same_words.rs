use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use adit_catalog::StoredChunk;

/// Words of a shingle (Broder 1997, "On the resemblance and containment of documents").
const SHINGLE_WORDS: usize = 4;
/// Shorter passages mean what their headings say, so equal words do not make them the same.
const FEWEST_WORDS: usize = 12;
/// Shared among all shingles of both; at this level one word in thirty-two may differ.
const LEAST_RESEMBLANCE: f64 = 0.75;
/// Words that turn a sentence into its opposite, in the languages that documents are most often written in.
const NEGATIONS: &[&str] = &[
    "not", "no", "never", "without", "cannot", "nicht", "kein", "keine", "keinen", "nie", "ohne", "pas",
    "jamais", "sans", "sin", "nunca", "non", "senza", "mai", "não", "sem", "niet", "geen", "zonder",
];

/// What decides whether two passages say the same.
#[derive(Debug, Default)]
pub(super) struct Words {
    count: usize,
    shingles: HashSet<u64>,
    /// Words with a digit, and negations, in order: where these differ, nothing else makes two passages the same.
    decisive: Vec<String>,
}

impl Words {
    pub(super) fn of(stored: &StoredChunk) -> Self {
        let header = stored.header_text.as_deref().unwrap_or_default();
        Self::of_text(&format!("{header}\n{}", stored.chunk.display))
    }

    fn of_text(text: &str) -> Self {
        let lowered = text.to_lowercase();
        let words: Vec<&str> = lowered
            .split(|character: char| !character.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .collect();
        let is_decisive = |word: &&str| word.chars().any(char::is_numeric) || NEGATIONS.contains(word);
        Self {
            count: words.len(),
            shingles: words.windows(SHINGLE_WORDS).map(hash).collect(),
            decisive: words.iter().copied().filter(|word| is_decisive(word)).map(str::to_owned).collect(),
        }
    }

    pub(super) fn say_the_same_as(&self, other: &Self) -> bool {
        if self.count.min(other.count) < FEWEST_WORDS || self.decisive != other.decisive {
            return false;
        }
        let shared = self.shingles.intersection(&other.shingles).count();
        let all = self.shingles.len() + other.shingles.len() - shared;
        all > 0 && shared as f64 / all as f64 >= LEAST_RESEMBLANCE
    }
}

fn hash(words: &[&str]) -> u64 {
    let mut hasher = DefaultHasher::new();
    words.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const POLICY: &str = "Employees may take up to 28 days of paid leave in a calendar year, of which at most 5 days \
         may be carried over into the first quarter of the following year with the consent of the manager who is \
         responsible for the team, unless the department has agreed on another rule in writing.";

    fn same(left: &str, right: &str) -> bool {
        Words::of_text(left).say_the_same_as(&Words::of_text(right))
    }

    #[test]
    fn copies_are_the_same_whatever_their_spaces_and_case() {
        assert!(same(POLICY, &POLICY.to_uppercase().replace(' ', "\n")));
        assert!(same(POLICY, &POLICY.replace("consent", "agreement")));
    }

    #[test]
    fn another_number_or_a_negation_is_another_statement() {
        assert!(!same(POLICY, &POLICY.replace("28", "30")));
        assert!(!same(POLICY, &POLICY.replace("may take", "may not take")));
        assert!(!same(POLICY, &format!("{POLICY} This holds since 2024.")));
    }

    #[test]
    fn short_passages_and_other_words_are_not_the_same() {
        assert!(!same("See the table above.", "See the table above."));
        assert!(!same(
            POLICY,
            "Managers approve travel before it is booked, and the office pays for trains first."
        ));
    }

    proptest! {
        #[test]
        fn sameness_has_no_direction(left in "[a-c0-1 ]{0,120}", right in "[a-c0-1 ]{0,120}") {
            prop_assert_eq!(same(&left, &right), same(&right, &left));
            prop_assert_eq!(same(&left, &left), Words::of_text(&left).count >= FEWEST_WORDS);
        }
    }
}
