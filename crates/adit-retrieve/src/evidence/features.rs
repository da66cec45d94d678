use std::collections::HashSet;

use adit_core::ScoredChunk;
use adit_lexical::{QueryTerm, analyse_document};
use serde::{Deserialize, Serialize};

use super::question::{holds, names, wanted};
use crate::sentence_ranges;

/// Passages that are looked into, best first.
const PASSAGES: usize = 5;
/// Standard deviations above the average candidate beyond which a margin says no more.
const LARGEST_MARGIN: f32 = 6.0;

/// What can be known about a question and its passages without a language model. Each is from 0 to 1 unless it
/// says otherwise; a word counts by its inverse document frequency.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct EvidenceFeatures {
    /// Cosine of the nearest chunk; 0 where meaning was not searched.
    pub top_cosine: f32,
    /// Standard deviations between the nearest candidate's cosine and the average one's, 0 to 6.
    pub cosine_margin: f32,
    /// The question's words that stand in the passage that has most of them.
    pub best_passage_coverage: f32,
    /// The question's words that stand in the sentence that has most of them, with the one before and after.
    pub best_sentences_coverage: f32,
    /// The question's words that stand in any of the passages.
    pub all_passages_coverage: f32,
    /// 1 when the question's rarest word stands in the best passage.
    pub rarest_covered: f32,
    /// Identifiers of the question that stand in the passages; 1 for a question without one.
    pub identifiers_covered: f32,
    /// Capitalised words of the question that stand in the passage that has most of them; 1 without one.
    pub names_covered: f32,
    /// How far up the first passage stands in both lists: the mean of 1 / rank.
    pub agreement: f32,
    /// 1 when the sentence with most of the words, or a neighbour, holds a thing of the kind that is asked for.
    pub wanted_kind_found: f32,
}

/// A passage as the features see it.
pub(super) struct Weighed<'a> {
    pub(super) text: &'a str,
    pub(super) language: &'a str,
    /// Rank by words and by meaning.
    pub(super) ranks: (Option<usize>, Option<usize>),
}

/// The features of a question whose passages are `passages`, best first.
pub(super) fn features(
    question: &str,
    terms: &[QueryTerm],
    passages: &[Weighed<'_>],
    dense: Option<&[ScoredChunk]>,
) -> EvidenceFeatures {
    let (top_cosine, cosine_margin) = cosines(dense.unwrap_or_default());
    let mut result = EvidenceFeatures { top_cosine, cosine_margin, ..EvidenceFeatures::default() };
    let named = names(question);
    let mut seen = vec![false; terms.len()];
    let mut best: Option<(f32, &Weighed<'_>)> = None;
    for passage in passages.iter().take(PASSAGES) {
        let words = TextWords::of(passage.text, passage.language);
        let found: Vec<bool> = terms.iter().map(|term| words.has(term)).collect();
        for (seen, found) in seen.iter_mut().zip(&found) {
            *seen |= *found;
        }
        let coverage = share(terms, &found);
        if best.as_ref().is_none_or(|(most, _)| coverage > *most) {
            result.rarest_covered = rarest_covered(terms, &found);
            best = Some((coverage, passage));
        }
        let lowered = passage.text.to_lowercase();
        let with_names = named.iter().filter(|name| lowered.contains(name.as_str())).count();
        result.names_covered = result.names_covered.max(ratio(with_names, named.len()));
    }
    result.best_passage_coverage = best.as_ref().map_or(0.0, |(coverage, _)| *coverage);
    result.all_passages_coverage = share(terms, &seen);
    let identifiers = terms.iter().zip(&seen).filter(|(term, _)| term.is_identifier);
    result.identifiers_covered =
        ratio(identifiers.clone().filter(|(_, seen)| **seen).count(), identifiers.count());
    result.agreement = passages.first().map_or(0.0, |first| {
        let height = |rank: Option<usize>| rank.map_or(0.0, |rank| 1.0 / rank.max(1) as f32);
        (height(first.ranks.0) + height(first.ranks.1)) / 2.0
    });
    let kind = wanted(question);
    for passage in passages.iter().take(PASSAGES) {
        let (coverage, sentences) = best_sentences(terms, passage);
        if coverage > result.best_sentences_coverage {
            result.best_sentences_coverage = coverage;
            result.wanted_kind_found = f32::from(u8::from(holds(kind, sentences, question)));
        }
    }
    result
}

/// The largest coverage among a passage's sentences, each taken with its neighbours, and their text.
fn best_sentences<'a>(terms: &[QueryTerm], passage: &Weighed<'a>) -> (f32, &'a str) {
    let ranges = sentence_ranges(passage.text);
    let found: Vec<Vec<bool>> = ranges
        .iter()
        .map(|range| {
            let words = TextWords::of(range.slice(passage.text).unwrap_or_default(), passage.language);
            terms.iter().map(|term| words.has(term)).collect()
        })
        .collect();
    let mut best = (0.0, "");
    for at in 0..ranges.len() {
        let (from, to) = (at.saturating_sub(1), (at + 1).min(ranges.len() - 1));
        let near: Vec<bool> = (0..terms.len())
            .map(|term| found.iter().take(to + 1).skip(from).any(|one| one.get(term) == Some(&true)))
            .collect();
        let coverage = share(terms, &near);
        if coverage > best.0
            && let (Some(first), Some(last)) = (ranges.get(from), ranges.get(to))
        {
            best = (coverage, passage.text.get(first.start..last.end).unwrap_or_default());
        }
    }
    best
}

fn cosines(dense: &[ScoredChunk]) -> (f32, f32) {
    let Some(first) = dense.first() else { return (0.0, 0.0) };
    let count = dense.len() as f32;
    let mean = dense.iter().map(|hit| hit.score).sum::<f32>() / count;
    let variance = dense.iter().map(|hit| (hit.score - mean).powi(2)).sum::<f32>() / count;
    let deviation = variance.sqrt();
    let margin = if deviation > 1e-6 { (first.score - mean) / deviation } else { 0.0 };
    (first.score, margin.clamp(0.0, LARGEST_MARGIN))
}

/// The weight of the found words among all; 0 for a question without a word.
fn share(terms: &[QueryTerm], found: &[bool]) -> f32 {
    let weight = |term: &QueryTerm| term.inverse_document_frequency;
    let all: f32 = terms.iter().map(weight).sum();
    let covered: f32 =
        terms.iter().zip(found).filter(|(_, found)| **found).map(|(term, _)| weight(term)).sum();
    if all > 0.0 { covered / all } else { 0.0 }
}

fn rarest_covered(terms: &[QueryTerm], found: &[bool]) -> f32 {
    let rarest = terms.iter().zip(found).max_by(|left, right| {
        left.0.inverse_document_frequency.total_cmp(&right.0.inverse_document_frequency)
    });
    f32::from(u8::from(rarest.is_some_and(|(_, found)| *found)))
}

/// A share, 1 where there is nothing to have a share in.
fn ratio(part: usize, whole: usize) -> f32 {
    if whole == 0 { 1.0 } else { part as f32 / whole as f32 }
}

/// The terms of a text.
struct TextWords {
    body: HashSet<String>,
    identifiers: HashSet<String>,
}

impl TextWords {
    fn of(text: &str, language: &str) -> Self {
        let terms = analyse_document(text, language);
        Self { body: terms.body.into_iter().collect(), identifiers: terms.identifiers.into_iter().collect() }
    }

    fn has(&self, term: &QueryTerm) -> bool {
        let field = if term.is_identifier { &self.identifiers } else { &self.body };
        term.terms.iter().any(|form| field.contains(form))
    }
}

impl EvidenceFeatures {
    /// Every feature by its name in the calibration file.
    #[must_use]
    pub fn named(&self) -> [(&'static str, f32); 10] {
        [
            ("top_cosine", self.top_cosine),
            ("cosine_margin", self.cosine_margin),
            ("best_passage_coverage", self.best_passage_coverage),
            ("best_sentences_coverage", self.best_sentences_coverage),
            ("all_passages_coverage", self.all_passages_coverage),
            ("rarest_covered", self.rarest_covered),
            ("identifiers_covered", self.identifiers_covered),
            ("names_covered", self.names_covered),
            ("agreement", self.agreement),
            ("wanted_kind_found", self.wanted_kind_found),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::ChunkId;

    fn term(text: &str, weight: f32, is_identifier: bool) -> QueryTerm {
        let terms = vec![text.to_owned()];
        QueryTerm { terms, is_identifier, document_frequency: 1, inverse_document_frequency: weight }
    }

    #[test]
    fn words_count_by_their_rarity() {
        let terms = [term("refund", 1.0, false), term("kestrel", 3.0, false), term("r-17", 4.0, true)];
        let passage = |text| Weighed { text, language: "en", ranks: (Some(1), Some(2)) };
        let passages = [passage("A refund is paid. The rule is R-17."), passage("A kestrel flies.")];
        let found = features("Where is Anna's refund?", &terms, &passages, None);
        assert!((found.best_passage_coverage - 5.0 / 8.0).abs() < 1e-6, "{found:?}");
        assert_eq!((found.all_passages_coverage, found.identifiers_covered), (1.0, 1.0));
        assert_eq!((found.names_covered, found.rarest_covered, found.agreement), (0.0, 1.0, 0.75));
    }

    #[test]
    fn the_margin_is_in_deviations_and_bounded() {
        let hit = |score| ScoredChunk { chunk: ChunkId(1), score };
        let (top, margin) = cosines(&[hit(0.8), hit(0.2), hit(0.2)]);
        assert!(top == 0.8 && (margin - 0.4 / 0.08_f32.sqrt()).abs() < 1e-4, "{margin}");
        assert_eq!(cosines(&[]), (0.0, 0.0));
        assert_eq!(cosines(&[hit(0.3)]), (0.3, 0.0));
    }
}
