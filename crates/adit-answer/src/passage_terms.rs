//! The words of questions, claims and passages in one common form, with their weights.

use std::collections::HashSet;

use adit_core::Passage;
use adit_lexical::{QueryTerm, analyse_document, analysed_languages, detect_language};
use adit_retrieve::Retriever;

/// A shorter text is taken for a language at random.
const LEAST_DETECTED_CHARACTERS: usize = 24;

/// How rare words are: by the collection, or, without one, each as rare as the next.
#[derive(Clone, Copy, Default)]
pub struct TermSource<'a> {
    retriever: Option<&'a Retriever>,
}

impl<'a> TermSource<'a> {
    /// Words by their rarity in the collection behind `retriever`.
    #[must_use]
    pub fn of(retriever: &'a Retriever) -> Self {
        Self { retriever: Some(retriever) }
    }

    /// The words of `text` that carry meaning, each once, in its order. Where the index cannot be read, words
    /// count alike: a weight is no reason to fail an answer.
    pub(crate) fn terms(self, text: &str) -> Vec<QueryTerm> {
        let from_index = self.retriever.and_then(|retriever| {
            let found = retriever.index().snapshot().query_terms(text);
            found.inspect_err(|error| tracing::debug!(%error, "words count alike")).ok()
        });
        from_index.unwrap_or_else(|| equal_terms(text))
    }
}

impl TermSource<'_> {
    /// The language of a piece of text. Where it is too short to tell, that of the collection; English where that
    /// has none either.
    pub(crate) fn language_of(self, text: &str) -> &'static str {
        let is_long = text.chars().nth(LEAST_DETECTED_CHARACTERS).is_some();
        let detected = if is_long { detect_language(text) } else { "und" };
        if detected != "und" {
            return detected;
        }
        let of_collection = self.retriever.and_then(|retriever| {
            let snapshot = retriever.index().snapshot();
            let known = snapshot.languages().iter().find(|code| code.as_str() != "und")?;
            analysed_languages().find(|code| code == known)
        });
        of_collection.unwrap_or("en")
    }
}

fn equal_terms(text: &str) -> Vec<QueryTerm> {
    let words = analyse_document(text, TermSource::default().language_of(text));
    let body = words.body.into_iter().map(|term| (term, false));
    let identifiers = words.identifiers.into_iter().map(|term| (term, true));
    let mut found: Vec<QueryTerm> = Vec::new();
    for (term, is_identifier) in body.chain(identifiers) {
        if !found.iter().any(|known| known.is_identifier == is_identifier && known.terms.contains(&term)) {
            let terms = vec![term];
            found.push(QueryTerm {
                terms,
                is_identifier,
                document_frequency: 1,
                inverse_document_frequency: 1.0,
            });
        }
    }
    found
}

/// The terms of a piece of text.
#[derive(Debug, Clone, Default)]
pub(crate) struct TextTerms {
    body: HashSet<String>,
    identifiers: HashSet<String>,
}

impl TextTerms {
    pub(crate) fn of(text: &str, language: &str) -> Self {
        let terms = analyse_document(text, language);
        Self { body: terms.body.into_iter().collect(), identifiers: terms.identifiers.into_iter().collect() }
    }

    pub(crate) fn has(&self, term: &QueryTerm) -> bool {
        let field = if term.is_identifier { &self.identifiers } else { &self.body };
        term.terms.iter().any(|form| field.contains(form))
    }

    pub(crate) fn has_identifier(&self, identifier: &str) -> bool {
        self.identifiers.contains(identifier)
    }

    pub(crate) fn has_body(&self, term: &str) -> bool {
        self.body.contains(term)
    }

    pub(crate) fn add(&mut self, other: &Self) {
        self.body.extend(other.body.iter().cloned());
        self.identifiers.extend(other.identifiers.iter().cloned());
    }

    /// Shared terms among all terms of both (Jaccard 1901).
    pub(crate) fn similarity(&self, other: &Self) -> f32 {
        let shared = self.body.intersection(&other.body).count();
        let all = self.body.len() + other.body.len() - shared;
        if all == 0 { 0.0 } else { shared as f32 / all as f32 }
    }
}

/// The weight of the terms that `has` names among all, 0 to 1; 0 without a term.
pub(crate) fn coverage(terms: &[QueryTerm], has: impl Fn(&QueryTerm) -> bool) -> f32 {
    let weight = |term: &QueryTerm| term.inverse_document_frequency;
    let all: f32 = terms.iter().map(weight).sum();
    let covered: f32 = terms.iter().filter(|term| has(term)).map(weight).sum();
    if all > 0.0 { covered / all } else { 0.0 }
}

/// What stands above a passage: title, headings, and the header of a table it continues.
pub(crate) fn context_of(passage: &Passage) -> String {
    let mut context = passage.title.clone();
    for heading in &passage.heading_path {
        context.push('\n');
        context += heading;
    }
    if let Some(header) = &passage.table_header {
        context.push('\n');
        context += header;
    }
    context
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_collection_every_word_counts_alike() {
        let terms = TermSource::default().terms("The refunds of rule R-17, the refund");
        let words = TextTerms::of("refund rule", "en");
        assert!((coverage(&terms, |term| words.has(term)) - 0.4).abs() < 1e-6, "{terms:?}");
        assert!(TextTerms::of("see R-17", "en").has_identifier("r-17"));
        assert!((words.similarity(&TextTerms::of("refund rules apply", "en")) - 2.0 / 3.0).abs() < 1e-6);
    }
}
