//! Texts that were indexed and are hardly worth finding.

use std::collections::{BTreeMap, HashMap};

use adit_core::ReadScope;
use serde::{Deserialize, Serialize};

use super::Subject;
use crate::QualityError;

/// Documents named for each problem.
const NAMED: usize = 20;
/// A document looks like mojibake from so many marks in ten thousand characters.
const MARKS_IN_TEN_THOUSAND: usize = 5;
/// And from so many marks at all.
const LEAST_MARKS: usize = 3;
/// A chunk in so many documents is boilerplate.
const BOILERPLATE_DOCUMENTS: usize = 5;

/// What can be wrong with a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextProblem {
    /// Bytes read in the wrong encoding.
    Mojibake,
    /// A chunk with hardly a letter or digit.
    Empty,
    /// Ends as if something had been cut off.
    Truncated,
    /// Has a chunk that stands in five documents or more.
    Boilerplate,
}

/// What the texts look like.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct TextHealth {
    /// Documents by problem, twenty of each at most.
    pub documents: BTreeMap<TextProblem, Vec<String>>,
    /// How many documents have each problem.
    pub counts: BTreeMap<TextProblem, usize>,
    /// Chunks whose words stand in another chunk as well.
    pub duplicate_chunks: usize,
}

impl TextHealth {
    /// Documents with a problem.
    #[must_use]
    pub fn count(&self, problem: TextProblem) -> usize {
        self.counts.get(&problem).copied().unwrap_or(0)
    }

    fn add(&mut self, problem: TextProblem, source: &str) {
        *self.counts.entry(problem).or_default() += 1;
        let named = self.documents.entry(problem).or_default();
        if named.len() < NAMED {
            named.push(source.to_owned());
        }
    }
}

pub(super) fn look(subject: &Subject<'_>) -> Result<TextHealth, QualityError> {
    let everybody = ReadScope::Administrator(subject.administrator);
    let mut health = TextHealth::default();
    let mut seen: HashMap<u64, (usize, Vec<usize>)> = HashMap::new();
    let records = subject.records;
    for (number, record) in records.iter().enumerate() {
        let Some(text) = subject.view.document_text(&record.id, everybody)? else { continue };
        if looks_like_mojibake(&text) {
            health.add(TextProblem::Mojibake, &record.source);
        }
        if looks_truncated(&text) {
            health.add(TextProblem::Truncated, &record.source);
        }
        let mut is_empty = false;
        for stored in subject.view.chunks_of(&record.id, everybody)? {
            is_empty |=
                stored.chunk.display.chars().filter(|character| character.is_alphanumeric()).count() < 3;
            let (chunks, documents) = seen.entry(hash_of(&stored.chunk.display)).or_default();
            *chunks += 1;
            if documents.last() != Some(&number) && documents.len() < BOILERPLATE_DOCUMENTS {
                documents.push(number);
            }
        }
        if is_empty {
            health.add(TextProblem::Empty, &record.source);
        }
    }
    health.duplicate_chunks = seen.values().map(|(chunks, _)| chunks.saturating_sub(1)).sum();
    let mut boilerplate: Vec<usize> = seen
        .into_values()
        .filter(|(_, documents)| documents.len() >= BOILERPLATE_DOCUMENTS)
        .flat_map(|(_, documents)| documents)
        .collect();
    boilerplate.sort_unstable();
    boilerplate.dedup();
    for record in boilerplate.iter().filter_map(|number| records.get(*number)) {
        health.add(TextProblem::Boilerplate, &record.source);
    }
    Ok(health)
}

/// Equal words are enough for a count; spaces do not matter.
fn hash_of(text: &str) -> u64 {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut hasher = DefaultHasher::new();
    text.split_whitespace().for_each(|word| word.hash(&mut hasher));
    hasher.finish()
}

/// UTF-8 read as Latin-1 or Windows-1252 leaves pairs that no language writes; undecodable bytes leave U+FFFD.
fn looks_like_mojibake(text: &str) -> bool {
    let mut marks = text.matches('\u{FFFD}').count();
    let mut characters = 0;
    let mut previous = ' ';
    for character in text.chars() {
        characters += 1;
        let is_pair = match previous {
            'Ã' | 'Â' => matches!(character, '\u{80}'..='\u{BF}' | '€' | '™' | 'œ'),
            'â' => matches!(character, '€' | '\u{80}'),
            'Ð' | 'Ñ' => matches!(character, '\u{80}'..='\u{BF}'),
            _ => false,
        };
        marks += usize::from(is_pair);
        previous = character;
    }
    marks >= LEAST_MARKS && marks * 10_000 >= characters * MARKS_IN_TEN_THOUSAND
}

fn looks_truncated(text: &str) -> bool {
    let end = text.trim_end();
    let lower = end.chars().rev().take(14).collect::<String>().to_lowercase();
    let ends_with = |words: &str| lower.starts_with(&words.chars().rev().collect::<String>());
    end.ends_with('…') || ends_with("[truncated]") || ends_with("[...]") || ends_with("(truncated)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_1_read_utf_8_is_noticed_and_french_is_not() {
        let garbled: String = "Déjà vu à la carte, œuvre".bytes().map(char::from).collect();
        assert!(looks_like_mojibake(&garbled), "{garbled}");
        assert!(!looks_like_mojibake("Âge, château, naïveté, Ñandú, Ðuro: à la carte"));
        assert!(looks_like_mojibake("three \u{FFFD} marks \u{FFFD} here \u{FFFD}"));
        assert!(!looks_like_mojibake("one \u{FFFD} mark"));
    }

    #[test]
    fn cut_texts_are_noticed() {
        assert!(looks_truncated("and so on [Truncated]\n"));
        assert!(looks_truncated("and so on…"));
        assert!(!looks_truncated("the end."));
    }
}
