mod again;
mod calibration;
mod features;
mod question;

use adit_catalog::StoredChunk;
use adit_core::{Embedder, LexicalSearch, ScoredChunk};
use adit_index::Snapshot;
use adit_lexical::content_words;
use serde::{Deserialize, Serialize};

pub use calibration::{Coefficient, EvidenceCalibration, Sufficiency};
pub use features::EvidenceFeatures;
pub use question::holds_wanted_kind;

use crate::assemble::Ranked;
use crate::dense_weight::DenseWeight;
use crate::{RetrieveError, SearchRequest};
use features::{Weighed, features};

/// Words of a question that are looked for, at most.
const CHECKED_WORDS: usize = 24;
/// Missing words named in a notice, at most.
const NAMED_WORDS: usize = 6;
/// What speaks for and against the documents answering the question at all. No result is ever dropped for
/// it: raw scores are not calibrated.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Evidence {
    /// Content words of the question that stand in none of the passages.
    pub missing_terms: Vec<String>,
    /// How many content words were looked for.
    pub content_terms: usize,
    /// Cosine of the nearest chunk, when meaning was searched.
    pub top_cosine: Option<f32>,
    /// How many of the passages are in both candidate lists.
    pub in_both_lists: usize,
    /// What was measured.
    #[serde(default)]
    pub features: EvidenceFeatures,
    /// Probability that the passages hold the answer, by the calibration for the embedder; none where there
    /// were no passages to weigh.
    #[serde(default)]
    pub probability: Option<f32>,
    /// On which side of the calibration's thresholds the probability lies.
    #[serde(default)]
    pub sufficiency: Option<Sufficiency>,
}

impl Evidence {
    /// Weak when the calibration says that the passages hardly hold the answer.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        self.sufficiency == Some(Sufficiency::Incorrect)
    }

    /// The sentence for the caller, when the evidence is weak.
    #[must_use]
    pub fn notice(&self) -> Option<String> {
        if !self.is_weak() {
            return None;
        }
        let mut reasons = Vec::new();
        if !self.missing_terms.is_empty() {
            let named: Vec<_> =
                self.missing_terms.iter().take(NAMED_WORDS).map(|term| format!("`{term}`")).collect();
            let more = self.missing_terms.len().saturating_sub(NAMED_WORDS);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            reasons.push(format!("no passage contains {}{more}", named.join(", ")));
        }
        if let Some(cosine) = self.top_cosine {
            reasons.push(format!("the best cosine is {cosine:.2}"));
        }
        if reasons.is_empty() {
            reasons.push("the question's words stand in no passage together".to_owned());
        }
        Some(format!("weak evidence: {}; the documents may not answer this question", reasons.join("; ")))
    }
}

/// Weighs the passages that would be returned, best first.
pub(crate) fn weigh(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    ranked: &[Ranked],
    dense: Option<&[ScoredChunk]>,
    embedder: Option<&dyn Embedder>,
) -> Result<Evidence, RetrieveError> {
    if ranked.is_empty() {
        return Ok(Evidence::default());
    }
    let words = content_words(request.query, snapshot.languages(), CHECKED_WORDS);
    let passages: Vec<&StoredChunk> = ranked.iter().map(|one| &one.stored).collect();
    let texts: Vec<String> = passages.iter().map(|stored| stored.chunk.indexed.to_lowercase()).collect();
    let mut missing_terms = Vec::new();
    for word in &words {
        let lowered = word.to_lowercase();
        let literally = texts.iter().any(|text| text.contains(&lowered));
        if !literally && !stands_as_a_term(snapshot, request, word, &passages)? {
            missing_terms.push(word.clone());
        }
    }
    // Cosines of a language that the model was not trained for say nothing.
    let counts = DenseWeight::of(snapshot.languages(), embedder, request).value > 0.0;
    let features = weighed_features(snapshot, request, ranked, dense.filter(|_| counts))?;
    let model =
        embedder.filter(|_| counts && dense.is_some()).map(|embedder| embedder.description().model.as_str());
    let calibration = EvidenceCalibration::of(model);
    let probability = calibration.map(|calibration| calibration.probability(&features));
    let in_both =
        ranked.iter().filter(|one| one.scores.lexical.is_some() && one.scores.dense.is_some()).count();
    #[expect(clippy::cast_possible_truncation, reason = "a probability for display")]
    Ok(Evidence {
        missing_terms,
        content_terms: words.len(),
        top_cosine: dense.and_then(|hits| hits.first()).map(|hit| hit.score),
        in_both_lists: in_both,
        features,
        probability: probability.map(|probability| probability as f32),
        sufficiency: calibration
            .zip(probability)
            .map(|(calibration, probability)| calibration.sufficiency(probability)),
    })
}

fn weighed_features(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    ranked: &[Ranked],
    dense: Option<&[ScoredChunk]>,
) -> Result<EvidenceFeatures, RetrieveError> {
    let terms = snapshot.query_terms(request.query)?;
    let weighed: Vec<Weighed<'_>> = ranked
        .iter()
        .map(|one| Weighed {
            text: &one.stored.chunk.indexed,
            language: &one.stored.language,
            ranks: (one.scores.lexical.map(|(rank, _)| rank), one.scores.dense.map(|(rank, _)| rank)),
        })
        .collect();
    Ok(features(request.query, &terms, &weighed, dense))
}

/// Whether an inflected form of the word stands in a passage: the index's own analysers decide.
fn stands_as_a_term(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    word: &str,
    passages: &[&StoredChunk],
) -> Result<bool, RetrieveError> {
    let search = LexicalSearch { scope: request.scope, filter: request.filter, query: word, limit: 1 };
    for stored in passages {
        if snapshot.explain_lexical_with(search, stored.chunk_id, request.bm25)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_notice_names_what_is_missing_when_the_evidence_is_weak() {
        let evidence = |sufficiency| Evidence {
            missing_terms: vec!["penguin".to_owned()],
            content_terms: 4,
            top_cosine: Some(0.4),
            sufficiency: Some(sufficiency),
            ..Evidence::default()
        };
        assert_eq!(evidence(Sufficiency::Ambiguous).notice(), None);
        let notice = evidence(Sufficiency::Incorrect).notice().unwrap();
        assert!(notice.contains("`penguin`") && notice.contains("0.40"));
        assert!(!Evidence::default().is_weak());
    }
}
