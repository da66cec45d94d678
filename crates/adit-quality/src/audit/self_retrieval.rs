use std::collections::BTreeMap;

use adit_core::{ChunkId, Filter, Scope};
use adit_retrieve::{RetrieveError, SearchRequest};
use serde::{Deserialize, Serialize};

use super::Subject;
use crate::QualityError;

/// A chunk is found when it is among so many.
const FOUND_WITHIN: usize = 10;
/// Words of the sentence that is asked.
const WORDS: std::ops::RangeInclusive<usize> = 5..=30;
/// Chunks that are listed.
const LISTED: usize = 50;

/// Chunks searched for by their own best sentence: what does not come back is invisible to its readers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SelfRetrieval {
    /// Chunks that were searched for.
    pub chunks: usize,
    /// Share of them that came back among the first 10, or whose text did under another number.
    pub found_share: f64,
    /// Chunks without a sentence to ask: too few words.
    pub without_words: usize,
    /// Chunks that did not come back, by source.
    pub invisible_by_source: BTreeMap<String, usize>,
    /// Some of them.
    pub invisible: Vec<Invisible>,
}

/// A chunk that its own sentence does not find.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Invisible {
    /// Path or URI.
    pub source: String,
    /// For citations.
    pub passage: String,
    /// The sentence.
    pub sentence: String,
    /// Its rank; `None` when it was no candidate.
    pub rank: Option<usize>,
}

pub(super) fn measure(subject: &Subject<'_>) -> Result<SelfRetrieval, QualityError> {
    let count = subject.settings.self_retrieval_chunks.unwrap_or(usize::MAX);
    let mut result = SelfRetrieval {
        chunks: 0,
        found_share: 0.0,
        without_words: 0,
        invisible_by_source: BTreeMap::new(),
        invisible: Vec::new(),
    };
    let mut found = 0_usize;
    for (reader, chunk) in subject.sample(count) {
        let Some(stored) = subject.view.chunk(chunk)? else { continue };
        let Some(sentence) = best_sentence(&stored.chunk.display) else {
            result.without_words += 1;
            continue;
        };
        result.chunks += 1;
        let rank = rank_of(subject, reader, chunk, &stored.chunk.display, sentence)?;
        if rank.is_some_and(|rank| rank <= FOUND_WITHIN) {
            found += 1;
            continue;
        }
        *result.invisible_by_source.entry(stored.source.clone()).or_default() += 1;
        if result.invisible.len() < LISTED {
            result.invisible.push(Invisible {
                passage: stored.passage_id().to_string(),
                source: stored.source,
                sentence: sentence.to_owned(),
                rank,
            });
        }
    }
    result.found_share = if result.chunks == 0 { 0.0 } else { found as f64 / result.chunks as f64 };
    Ok(result)
}

/// Where the chunk, or one with the same words, stands.
fn rank_of(
    subject: &Subject<'_>,
    reader: &Scope,
    chunk: ChunkId,
    display: &str,
    sentence: &str,
) -> Result<Option<usize>, QualityError> {
    let no_filter = Filter::default();
    // A garbled text may have characters that no question may.
    let sentence = sentence.replace(char::is_control, " ");
    let request =
        SearchRequest { mode: subject.settings.mode, ..SearchRequest::new(&sentence, reader, &no_filter) };
    let ranking = match subject.retriever.rank(&request) {
        Ok(ranking) => ranking,
        Err(RetrieveError::EmptyQuery) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let own = ranking.chunks.iter().position(|ranked| ranked.chunk == chunk).map(|at| at + 1);
    if own.is_some_and(|rank| rank <= FOUND_WITHIN) {
        return Ok(own);
    }
    for (index, ranked) in ranking.chunks.iter().take(FOUND_WITHIN).enumerate() {
        if subject.view.chunk(ranked.chunk)?.is_some_and(|other| other.chunk.display.trim() == display.trim())
        {
            return Ok(Some(index + 1));
        }
    }
    Ok(own)
}

/// The sentence with the most different words, cut after 30; `None` where no sentence has five.
fn best_sentence(text: &str) -> Option<&str> {
    let ends = |character: char| ".!?\n。！？".contains(character);
    let sentences = text.split(ends).map(str::trim);
    let different = |sentence: &str| {
        let words: std::collections::BTreeSet<String> =
            sentence.split_whitespace().map(str::to_lowercase).collect();
        words.len() + sentence.chars().filter(|character| *character >= '\u{0E00}').count() / 3
    };
    let best = sentences.max_by_key(|sentence| different(sentence).min(*WORDS.end()))?;
    (different(best) >= *WORDS.start()).then(|| first_words(best, *WORDS.end()))
}

fn first_words(sentence: &str, count: usize) -> &str {
    let mut words = 0;
    for (at, character) in sentence.char_indices() {
        if character.is_whitespace() {
            words += 1;
            if words == count {
                return sentence.get(..at).unwrap_or(sentence);
            }
        }
    }
    // Scripts without spaces: about as many characters as thirty words have.
    match sentence.char_indices().nth(10 * count) {
        Some((at, _)) => sentence.get(..at).unwrap_or(sentence),
        None => sentence,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sentence_with_most_words_is_asked() {
        assert_eq!(
            best_sentence("Short one. This one has rather more words in it! No."),
            Some("This one has rather more words in it")
        );
        assert_eq!(best_sentence("R-17"), None);
        let long = "word ".repeat(3) + &(0..50).map(|n| format!("w{n} ")).collect::<String>();
        assert_eq!(best_sentence(&long).unwrap().split_whitespace().count(), 30);
    }
}
