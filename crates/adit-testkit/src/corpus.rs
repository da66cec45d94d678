use std::collections::BTreeSet;
use std::ops::Range;

use adit_core::{
    AccessControl, Chunk, DocumentId, Metadata, MetadataValue, Principal, Scope, TenantId, TextRange,
};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::random_vectors::{random_unit_vector, unit_vector_near};

/// What a generated corpus looks like. The same settings always give the same documents.
#[derive(Debug, Clone)]
pub struct CorpusSettings {
    /// How many documents.
    pub documents: usize,
    /// Chunks of one document.
    pub chunks_per_document: Range<usize>,
    /// Words of one chunk.
    pub words_per_chunk: Range<usize>,
    /// Different words in the language.
    pub vocabulary_words: usize,
    /// Each topic prefers words of its own and a region of the vector space of its own.
    pub topics: usize,
    /// Length of a vector.
    pub dimension: usize,
    /// Tenants `tenant-0`, `tenant-1` ...
    pub tenants: usize,
    /// Principals `group-0`, `group-1` ... that lists draw from.
    pub principals: usize,
    /// Share of documents with an access control list, 0 to 1.
    pub restricted_share: f64,
    /// Language codes, dealt out in turn.
    pub languages: Vec<&'static str>,
    /// Decides everything random.
    pub seed: u64,
}

impl Default for CorpusSettings {
    fn default() -> Self {
        Self {
            documents: 50,
            chunks_per_document: 1..5,
            words_per_chunk: 5..60,
            vocabulary_words: 500,
            topics: 5,
            dimension: 16,
            tenants: 2,
            principals: 4,
            restricted_share: 0.5,
            languages: vec!["en"],
            seed: 1,
        }
    }
}

/// A generated document; from it a catalog version or a [`crate::NaiveDocument`] can be made.
#[derive(Debug, Clone, PartialEq)]
pub struct TestDocument {
    /// Derived from tenant and source.
    pub id: DocumentId,
    /// Owner.
    pub tenant: TenantId,
    /// `folder/document-17.md`.
    pub source: String,
    /// Title.
    pub title: String,
    /// One of the settings' languages.
    pub language: String,
    /// Who may read it.
    pub access: AccessControl,
    /// `team` (text), `year` (number), `topic` (text), and for some `effective` (date).
    pub metadata: Metadata,
    /// The topic its words and vectors come from.
    pub topic: usize,
    /// All chunks' words, one line a chunk.
    pub text: String,
    /// They cut `text` into its lines; `indexed` equals `display`.
    pub chunks: Vec<Chunk>,
    /// One a chunk, length 1.
    pub vectors: Vec<Vec<f32>>,
}

/// Generates documents.
#[must_use]
pub fn corpus(settings: &CorpusSettings) -> Vec<TestDocument> {
    let mut random = StdRng::seed_from_u64(settings.seed);
    let centres: Vec<_> =
        (0..settings.topics.max(1)).map(|_| random_unit_vector(&mut random, settings.dimension)).collect();
    (0..settings.documents).map(|number| document(settings, &centres, number, &mut random)).collect()
}

fn document(
    settings: &CorpusSettings,
    centres: &[Vec<f32>],
    number: usize,
    random: &mut StdRng,
) -> TestDocument {
    let tenant =
        TenantId::new(&format!("tenant-{}", random.random_range(0..settings.tenants.max(1)))).unwrap();
    let topic = random.random_range(0..centres.len());
    let source = format!("folder-{topic}/document-{number}.md");
    let mut text = String::new();
    let mut chunks = Vec::new();
    let mut vectors = Vec::new();
    for index in 0..random.random_range(settings.chunks_per_document.clone()) {
        if index > 0 {
            text.push('\n');
        }
        let start = text.len();
        let words = random.random_range(settings.words_per_chunk.clone());
        let line: Vec<_> = (0..words).map(|_| random_word(settings, topic, centres.len(), random)).collect();
        text.push_str(&line.join(" "));
        chunks.push(line_chunk(index as u32, &text, start, words));
        vectors.push(unit_vector_near(random, &centres[topic], 0.7));
    }
    TestDocument {
        id: DocumentId::derive(&tenant, &source),
        tenant,
        title: format!("Document {number}"),
        source,
        language: settings.languages[number % settings.languages.len()].to_owned(),
        access: random_access(random, settings.principals, settings.restricted_share),
        metadata: random_metadata(random, topic),
        topic,
        text,
        chunks,
        vectors,
    }
}

fn line_chunk(index: u32, text: &str, start: usize, words: usize) -> Chunk {
    Chunk {
        index,
        range: TextRange::new(start, text.len()),
        char_start: text[..start].chars().count(),
        char_end: text.chars().count(),
        heading_path: vec![format!("Section {}", index / 2)],
        page_start: None,
        page_end: None,
        display: text[start..].to_owned(),
        repeated_header: None,
        indexed: text[start..].to_owned(),
        token_count: words as u32 + 2,
    }
}

/// No list for most, else up to three principals, sometimes none at all (which permits nobody).
#[must_use]
pub fn random_access(random: &mut StdRng, principals: usize, restricted_share: f64) -> AccessControl {
    if !random.random_bool(restricted_share) {
        return AccessControl::Tenant;
    }
    let count = random.random_range(0..=3);
    let names: BTreeSet<_> = (0..count).map(|_| random.random_range(0..principals.max(1))).collect();
    AccessControl::Only(names.into_iter().map(principal).collect())
}

/// A reader of a random tenant acting as up to three principals.
#[must_use]
pub fn random_scope(random: &mut StdRng, tenants: usize, principals: usize) -> Scope {
    let tenant = TenantId::new(&format!("tenant-{}", random.random_range(0..tenants.max(1)))).unwrap();
    let count = random.random_range(0..=3);
    Scope::new(
        tenant,
        (0..count).map(|_| principal(random.random_range(0..principals.max(1)))).collect::<Vec<_>>(),
    )
}

fn principal(number: usize) -> Principal {
    Principal(format!("group-{number}"))
}

fn random_metadata(random: &mut StdRng, topic: usize) -> Metadata {
    let teams = ["sales", "support", "legal", "engineering"];
    let mut metadata = Metadata::from([
        ("team".to_owned(), vec![MetadataValue::Text(teams[random.random_range(0..teams.len())].to_owned())]),
        ("topic".to_owned(), vec![MetadataValue::Text(format!("topic-{topic}"))]),
        ("year".to_owned(), vec![MetadataValue::Number(f64::from(random.random_range(2015..2027)))]),
    ]);
    if random.random_bool(0.5) {
        let (month, day) = (random.random_range(1..13), random.random_range(1..29));
        metadata
            .insert("effective".to_owned(), vec![MetadataValue::Text(format!("2026-{month:02}-{day:02}"))]);
    }
    metadata
}

/// Zipf: the word of rank r is drawn with a probability of about 1/r. Two thirds of the draws are
/// shifted by the topic, so that topics share their frequent words only in part.
fn random_word(settings: &CorpusSettings, topic: usize, topics: usize, random: &mut StdRng) -> String {
    let vocabulary = settings.vocabulary_words.max(2);
    // The logarithm of a Zipf-distributed rank is uniform.
    let rank = ((vocabulary as f64).powf(random.random::<f64>()) as usize - 1).min(vocabulary - 1);
    let shift = if random.random_bool(2.0 / 3.0) { topic * vocabulary / topics } else { 0 };
    word((rank + shift) % vocabulary)
}

/// Pronounceable, different for every number, and left alone by stemmers and stop word lists: it ends
/// in `uk`, which is no suffix of any language we stem.
fn word(mut number: usize) -> String {
    const CONSONANTS: &[u8] = b"bdfgklmnprtvz";
    const VOWELS: &[u8] = b"aeiou";
    let mut word = String::new();
    loop {
        word.push(char::from(CONSONANTS[number % CONSONANTS.len()]));
        number /= CONSONANTS.len();
        word.push(char::from(VOWELS[number % VOWELS.len()]));
        number /= VOWELS.len();
        if number == 0 {
            word.push_str("muk");
            return word;
        }
        number -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeMap, HashSet};

    #[test]
    fn the_seed_decides_everything() {
        let settings = CorpusSettings::default();
        assert_eq!(corpus(&settings), corpus(&settings));
        assert_ne!(corpus(&settings), corpus(&CorpusSettings { seed: 2, ..settings }));
    }

    #[test]
    fn chunks_cover_their_text_exactly() {
        for document in corpus(&CorpusSettings::default()) {
            assert_eq!(document.chunks.len(), document.vectors.len());
            let lines: Vec<_> = document.chunks.iter().map(|chunk| chunk.display.as_str()).collect();
            assert_eq!(lines.join("\n"), document.text);
            assert!(
                document.chunks.iter().all(|chunk| chunk.range.slice(&document.text) == Some(&chunk.display))
            );
        }
    }

    #[test]
    fn words_are_different_and_frequent_ones_are_frequent() {
        let words: HashSet<_> = (0..20_000).map(word).collect();
        assert_eq!(words.len(), 20_000);
        let mut counts = BTreeMap::<String, usize>::new();
        for document in corpus(&CorpusSettings { documents: 200, topics: 1, ..CorpusSettings::default() }) {
            document
                .text
                .split_whitespace()
                .for_each(|word| *counts.entry(word.to_owned()).or_default() += 1);
        }
        let total: usize = counts.values().sum();
        // 1 / H(500) = 0.147 by Zipf's law; the continuous draw gives ln 2 / ln 500 = 0.112 to rank 1.
        let share = counts[&word(0)] as f64 / total as f64;
        assert!((0.09..0.14).contains(&share), "{share}");
    }
}
