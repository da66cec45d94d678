use adit_core::{Embedder, Passage, PassageId};

use super::ExtractiveSettings;
use super::score::{Candidate, candidates};
use crate::TermSource;

/// Sentences of the documents that answer best.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExtractiveAnswer {
    /// Best first.
    pub sentences: Vec<SelectedSentence>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq)]
pub struct SelectedSentence {
    /// The document's own words, white space made single.
    pub text: String,
    /// Where they stand.
    pub passage: PassageId,
    /// What it was selected by; comparable within one answer only.
    pub score: f32,
    /// Weight of the question's words in it, 0 to 1.
    pub coverage: f32,
    /// Cosine to the question, where it was embedded.
    pub cosine: Option<f32>,
}

impl ExtractiveAnswer {
    /// The sentences with their citations: prose in one paragraph, items and rows on lines of their own.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = String::new();
        let mut before_is_line = false;
        for sentence in &self.sentences {
            let is_line = is_line(&sentence.text);
            if !text.is_empty() {
                text.push(if is_line || before_is_line { '\n' } else { ' ' });
            }
            text += &format!("{} [doc:{}]", sentence.text, sentence.passage);
            before_is_line = is_line;
        }
        text
    }
}

/// A list item, a table row, or words that do not end as a sentence does.
fn is_line(text: &str) -> bool {
    text.starts_with(['-', '*', '|', '•']) || !text.ends_with(['.', '!', '?', '。', '"', '”', ')', '…'])
}

/// Selects sentences of `passages` for `question`; empty when no sentence has a word or a meaning of it.
#[must_use]
pub fn extract(
    question: &str,
    passages: &[Passage],
    terms: TermSource<'_>,
    embedder: Option<&dyn Embedder>,
    settings: &ExtractiveSettings,
) -> ExtractiveAnswer {
    let mut found = candidates(question, passages, terms, embedder, settings);
    found.retain(|candidate| candidate.coverage > 0.0 || candidate.cosine.is_some_and(|cosine| cosine > 0.0));
    // A stable sort: of equals the one of the better passage, then the earlier one.
    found.sort_by(|left, right| right.score.total_cmp(&left.score));
    let Some(best) = found.first().map(|candidate| candidate.score) else {
        return ExtractiveAnswer::default();
    };
    let mut taken: Vec<&Candidate<'_>> = Vec::new();
    for candidate in &found {
        let is_near = candidate.score >= settings.least_share * best;
        let is_other =
            taken.iter().all(|one| candidate.terms.similarity(&one.terms) <= settings.most_similarity);
        if is_near && is_other {
            taken.push(candidate);
        }
        if taken.len() == settings.max_sentences {
            break;
        }
    }
    let sentences = taken.into_iter().map(|candidate| SelectedSentence {
        text: candidate.text.split_whitespace().collect::<Vec<_>>().join(" "),
        passage: candidate.passage.id.clone(),
        score: candidate.score,
        coverage: candidate.coverage,
        cosine: candidate.cosine,
    });
    ExtractiveAnswer { sentences: sentences.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verification::test_passages::passage;
    use adit_testkit::FakeEmbedder;

    fn answer(question: &str, passages: &[Passage], embedder: Option<&dyn Embedder>) -> ExtractiveAnswer {
        extract(question, passages, TermSource::default(), embedder, &ExtractiveSettings::default())
    }

    #[test]
    fn the_sentence_with_the_questions_words_wins_and_not_the_first() {
        let passages = [
            passage("ab#1", "Welcome to the company. Staff receive 28 days of paid leave. Parking is free."),
            passage("ab#2", "Paid leave: staff receive 28 days of paid leave. Ask Oriane."),
        ];
        for embedder in [None, Some(FakeEmbedder::new(64))] {
            let embedder = embedder.as_ref().map(|embedder| embedder as &dyn Embedder);
            let found = answer("How many days of paid leave do staff receive?", &passages, embedder);
            assert!(found.sentences[0].text.starts_with("Staff receive 28 days"), "{found:?}");
            assert_eq!(found.sentences.len(), 1, "the second one says the same: {found:?}");
            assert_eq!(found.text(), "Staff receive 28 days of paid leave. [doc:ab#1]");
            assert_eq!(found.sentences[0].cosine.is_some(), embedder.is_some());
        }
    }

    #[test]
    fn rows_stand_on_lines_of_their_own_and_nothing_is_made_up() {
        let passages =
            [passage("ab#1", "| charge | price |\n| repair charge | 40 |\n| repair shipping charge | 12 |")];
        let found = answer("price of the repair charge", &passages, None);
        assert!(found.text().lines().count() == found.sentences.len(), "{}", found.text());
        assert!(answer("penguins", &passages, None).sentences.is_empty());
        assert!(answer("anything", &[], None).sentences.is_empty());
    }
}
