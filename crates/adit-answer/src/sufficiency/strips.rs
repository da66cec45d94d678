use adit_core::Passage;
use adit_retrieve::sentence_ranges;

use crate::TermSource;
use crate::passage_terms::{TextTerms, context_of, coverage};

/// Weight of the question's words that a sentence needs to stay by itself.
const LEAST_COVERAGE: f32 = 0.2;
/// What stands where sentences were left out.
const GAP: &str = " […] ";

/// Passages reduced to the sentences that have to do with a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Strips {
    /// Those with a sentence left, in their order; gaps are marked with `[…]`.
    pub passages: Vec<Passage>,
    /// Sentences before.
    pub sentences: usize,
    /// Sentences after.
    pub kept: usize,
}

/// Cuts passages into sentences, keeps those with enough of the question's words, each with its neighbours, and
/// puts them together again. Where no sentence of any passage has enough, the passages stay as they are: there is
/// nothing to choose by.
#[must_use]
pub fn refine_into_strips(question: &str, passages: &[Passage], terms: TermSource<'_>) -> Strips {
    let question_terms = terms.terms(question);
    let mut result = Strips { passages: Vec::new(), sentences: 0, kept: 0 };
    for passage in passages {
        let language = terms.language_of(&passage.text);
        let context = TextTerms::of(&context_of(passage), language);
        let ranges = sentence_ranges(&passage.text);
        let is_near: Vec<bool> = ranges
            .iter()
            .map(|range| {
                let own = TextTerms::of(range.slice(&passage.text).unwrap_or_default(), language);
                let in_sentence = coverage(&question_terms, |term| own.has(term));
                let with_context = coverage(&question_terms, |term| own.has(term) || context.has(term));
                in_sentence > 0.0 && with_context >= LEAST_COVERAGE
            })
            .collect();
        let kept: Vec<bool> = (0..ranges.len())
            .map(|at| is_near.iter().take(at + 2).skip(at.saturating_sub(1)).any(|near| *near))
            .collect();
        result.sentences += ranges.len();
        let mut text = String::new();
        let mut last_end = None;
        for (place, range) in ranges.iter().enumerate().filter(|(place, _)| kept.get(*place) == Some(&true)) {
            let words = range.slice(&passage.text).unwrap_or_default();
            match last_end {
                // Neighbours keep the white space that stood between them.
                Some((last, end)) if last + 1 == place => {
                    text += passage.text.get(end..range.start).unwrap_or(" ");
                }
                Some(_) => text += GAP,
                None if place > 0 => text += GAP.trim_start(),
                None => {}
            }
            text += words;
            last_end = Some((place, range.end));
            result.kept += 1;
        }
        if !text.is_empty() {
            result.passages.push(Passage { text, ..passage.clone() });
        }
    }
    if result.passages.is_empty() {
        return Strips { passages: passages.to_vec(), sentences: result.sentences, kept: result.sentences };
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verification::test_passages::passage;

    #[test]
    fn sentences_that_have_nothing_to_do_with_it_go() {
        let text =
            "A first line. Dogs may come. They are washed before. Parking is free. The gate shuts at ten.";
        let passages = [passage("ab#1", text), passage("ab#2", "Nothing of the kind.")];
        let strips = refine_into_strips("Which dogs may come?", &passages, TermSource::default());
        assert_eq!(strips.passages.len(), 1);
        assert_eq!(strips.passages[0].text, "A first line. Dogs may come. They are washed before.");
        assert_eq!((strips.sentences, strips.kept), (6, 3));
        let untouched = refine_into_strips("penguins", &passages, TermSource::default());
        assert_eq!(untouched.passages, passages);
    }
}
