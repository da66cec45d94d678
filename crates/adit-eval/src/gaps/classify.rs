use serde::{Deserialize, Serialize};

use super::{AskedQuestion, TermStanding, Trouble};

/// From this cosine on, a passage is near the question whatever words it uses; the same bound by which
/// retrieval calls evidence weak.
const NEAR_COSINE: f32 = 0.5;
/// A word in at most this many chunks tells what a question is about, however small the collection.
const RARE_CHUNKS: u64 = 3;
/// In a large collection, a word in at most one chunk in so many does.
const RARE_SHARE: u64 = 50;

/// The two reasons why a question stays without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// Nothing near it is in the documents; better retrieval cannot help.
    Topic,
    /// It seems to be in the documents and was not found or not enough; more documents will not help.
    Capability,
}

impl std::fmt::Display for GapKind {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Topic => "topic gap",
            Self::Capability => "capability gap",
        })
    }
}

/// Sorts one question in trouble. `collection_chunks` says which words are rare.
///
/// A capability gap, in this order: the reader was not satisfied although the evidence was good; a passage
/// is near in meaning; a rare word stands in the collection but in no passage; or rare words of it stand in
/// the collection and none is missing there. Anything else is a topic gap.
#[must_use]
pub fn classify(question: &AskedQuestion, collection_chunks: u64) -> GapKind {
    let outcome = question.outcome();
    let looked_good = outcome.passages > 0 && outcome.is_weak == Some(false);
    let is_near = outcome.top_cosine.is_some_and(|cosine| cosine >= NEAR_COSINE);
    let is_hidden = question.terms.iter().any(|term| is_hidden(term, collection_chunks));
    let is_absent = question.terms.iter().any(|term| term.chunks == 0);
    let all_there = !is_absent && question.terms.iter().any(|term| is_rare(term, collection_chunks));
    let disappointed = question.trouble() == Some(Trouble::FeedbackNo) && looked_good;
    if disappointed || is_near || is_hidden || all_there { GapKind::Capability } else { GapKind::Topic }
}

/// Whether a word is in the collection, and in so few of its chunks that it tells what a question is about.
fn is_rare(term: &TermStanding, collection_chunks: u64) -> bool {
    (1..=RARE_CHUNKS.max(collection_chunks / RARE_SHARE)).contains(&term.chunks)
}

/// Whether a telling word stands in the collection and in no returned passage.
pub(super) fn is_hidden(term: &TermStanding, collection_chunks: u64) -> bool {
    is_rare(term, collection_chunks) && !term.in_passages
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gaps::Outcome;

    fn question(cosine: Option<f32>, terms: &[(&str, u64, bool)]) -> AskedQuestion {
        let standing = |(term, chunks, in_passages): &(&str, u64, bool)| TermStanding {
            term: (*term).to_owned(),
            chunks: *chunks,
            in_passages: *in_passages,
        };
        AskedQuestion {
            then: Outcome { passages: 3, is_weak: Some(true), top_cosine: cosine },
            terms: terms.iter().map(standing).collect(),
            ..AskedQuestion::default()
        }
    }

    #[test]
    fn nothing_near_and_no_rare_word_is_a_topic_gap() {
        let pump = question(Some(0.2), &[("recalibrate", 0, false), ("omnipod", 0, false)]);
        assert_eq!(classify(&pump, 1000), GapKind::Topic);
        let common = question(Some(0.2), &[("diabetes", 400, true), ("omnipod", 0, false)]);
        assert_eq!(classify(&common, 1000), GapKind::Topic, "a word that is everywhere says nothing");
        let found = question(Some(0.2), &[("parental", 2, true), ("antarctica", 0, false)]);
        assert_eq!(classify(&found, 1000), GapKind::Topic, "what was there was found, the rest is nowhere");
        assert_eq!(classify(&question(None, &[]), 0), GapKind::Topic);
    }

    #[test]
    fn present_but_not_returned_is_a_capability_gap() {
        let hidden = question(Some(0.2), &[("metformin", 12, false), ("lisinopril", 0, false)]);
        assert_eq!(classify(&hidden, 1000), GapKind::Capability);
        assert_eq!(classify(&hidden, 100), GapKind::Topic, "12 of 100 chunks is not rare");
        let code = question(Some(0.1), &[("err_4021", 1, true)]);
        assert_eq!(classify(&code, 10), GapKind::Capability);
        assert_eq!(classify(&question(Some(0.55), &[("x1", 0, false)]), 10), GapKind::Capability);
    }

    #[test]
    fn a_no_on_good_evidence_is_a_capability_gap_and_a_no_on_weak_evidence_is_judged_as_any_other() {
        let mut asked = question(Some(0.45), &[("leave", 500, true)]);
        asked.answered = Some(false);
        assert_eq!(classify(&asked, 1000), GapKind::Topic);
        asked.then.is_weak = Some(false);
        assert_eq!(classify(&asked, 1000), GapKind::Capability);
    }
}
