use adit_catalog::StoredChunk;
use adit_core::{LexicalSearch, ScoredChunk};
use adit_index::Snapshot;
use serde::{Deserialize, Serialize};

use crate::{RetrieveError, SearchRequest};

/// Words of a question that are looked for, at most.
const CHECKED_WORDS: usize = 24;
/// Missing words named in a notice, at most.
const NAMED_WORDS: usize = 6;
/// Below this cosine the nearest passage is hardly about the question. A guess from MiniLM-like models on
/// unrelated text (0.0 to 0.2), to be replaced by a calibration per model.
const UNRELATED_COSINE: f32 = 0.25;
/// From this cosine on a passage may answer in other words, whatever words are missing.
const RELATED_COSINE: f32 = 0.5;

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
}

impl Evidence {
    /// Weak when the nearest chunk's cosine is below 0.25; or when at least half of the content words are
    /// missing and no cosine reaches 0.5.
    #[must_use]
    pub fn is_weak(&self) -> bool {
        let far = self.top_cosine.is_some_and(|cosine| cosine < UNRELATED_COSINE);
        let near = self.top_cosine.is_some_and(|cosine| cosine >= RELATED_COSINE);
        let many_missing = self.content_terms > 0 && self.missing_terms.len() * 2 >= self.content_terms;
        far || (many_missing && !near)
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
        Some(format!("weak evidence: {}; the documents may not answer this question", reasons.join("; ")))
    }
}

/// Weighs the passages that would be returned.
pub(crate) fn weigh(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    passages: &[StoredChunk],
    dense: Option<&[ScoredChunk]>,
    in_both_lists: usize,
) -> Result<Evidence, RetrieveError> {
    let words = content_words(request.query, snapshot.languages());
    let texts: Vec<String> = passages.iter().map(|stored| stored.chunk.indexed.to_lowercase()).collect();
    let mut missing_terms = Vec::new();
    for word in &words {
        let lowered = word.to_lowercase();
        let literally = texts.iter().any(|text| text.contains(&lowered));
        if !literally && !stands_as_a_term(snapshot, request, word, passages)? {
            missing_terms.push(word.clone());
        }
    }
    let top_cosine = dense.and_then(|hits| hits.first()).map(|hit| hit.score);
    Ok(Evidence { missing_terms, content_terms: words.len(), top_cosine, in_both_lists })
}

/// Whether an inflected form of the word stands in a passage: the index's own analysers decide.
fn stands_as_a_term(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    word: &str,
    passages: &[StoredChunk],
) -> Result<bool, RetrieveError> {
    let search = LexicalSearch { scope: request.scope, filter: request.filter, query: word, limit: 1 };
    for stored in passages {
        if snapshot.explain_lexical_with(search, stored.chunk_id, request.bm25)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Words that carry meaning: no stop words of the collection's languages, nothing of one letter.
pub(crate) fn content_words(query: &str, languages: &[String]) -> Vec<String> {
    let is_stop_word = |word: &str| {
        let in_language = |code: &str| stop_words::lookup(code).is_some_and(|list| list.contains(&word));
        in_language("en") || languages.iter().any(|language| in_language(language))
    };
    let mut words: Vec<String> = Vec::new();
    let separators =
        |character: char| !character.is_alphanumeric() && !matches!(character, '-' | '_' | '.' | '\'' | '’');
    for word in query.split(separators) {
        let word = word.trim_matches(|character: char| !character.is_alphanumeric());
        let lowered = word.to_lowercase().replace('’', "'");
        if word.chars().nth(1).is_some()
            && !is_stop_word(&lowered)
            && !words.iter().any(|known| known == word)
        {
            words.push(word.to_owned());
        }
        if words.len() == CHECKED_WORDS {
            break;
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_words_are_the_words_that_carry_meaning() {
        let words = content_words("What is the refund period for ERR_4021, and R-17?", &["en".to_owned()]);
        assert_eq!(words, ["refund", "period", "ERR_4021", "R-17"]);
        assert_eq!(content_words("was ist die Probezeit", &["de".to_owned()]), ["Probezeit"]);
    }

    #[test]
    fn weak_is_what_the_rule_says() {
        let evidence = |missing: usize, cosine| Evidence {
            missing_terms: vec!["penguin".to_owned(); missing],
            content_terms: 4,
            top_cosine: cosine,
            in_both_lists: 1,
        };
        assert!(!evidence(1, Some(0.4)).is_weak());
        assert!(evidence(2, Some(0.4)).is_weak() && evidence(2, None).is_weak());
        assert!(!evidence(4, Some(0.6)).is_weak());
        assert!(evidence(0, Some(0.1)).is_weak());
        let notice = evidence(2, Some(0.4)).notice().unwrap();
        assert!(notice.contains("`penguin`") && notice.contains("0.40"));
    }
}
