use adit_core::{
    EmbedError, EmbeddedText, Embedder, EmbedderDescription, Fingerprint, TextRange, TokenEmbedder, Tokenizer,
};

/// Splits at white space; every word is one token. One special token a text by default.
#[derive(Debug, Clone)]
pub struct WordTokenizer {
    max_input_tokens: usize,
    special_tokens: usize,
}

impl WordTokenizer {
    /// A tokenizer with a window of `max_input_tokens`, `special_tokens` of them taken by every text.
    #[must_use]
    pub fn new(max_input_tokens: usize, special_tokens: usize) -> Self {
        Self { max_input_tokens, special_tokens }
    }
}

impl Tokenizer for WordTokenizer {
    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        Ok(text.split_whitespace().count() + self.special_tokens)
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<TextRange>, EmbedError> {
        let mut ranges = Vec::new();
        let mut start = None;
        for (at, character) in text.char_indices() {
            match (character.is_whitespace(), start) {
                (true, Some(first)) => {
                    ranges.push(TextRange::new(first, at));
                    start = None;
                }
                (false, None) => start = Some(at),
                _ => {}
            }
        }
        ranges.extend(start.map(|first| TextRange::new(first, text.len())));
        Ok(ranges)
    }

    fn max_input_tokens(&self) -> usize {
        self.max_input_tokens
    }

    fn special_tokens(&self) -> usize {
        self.special_tokens
    }
}

/// An embedder without a model: every lower-cased word is hashed to a fixed direction, a text is the
/// normalised sum. Texts that share words are near each other; the same text always has the same vector.
#[derive(Debug, Clone)]
pub struct FakeEmbedder {
    description: EmbedderDescription,
    tokenizer: WordTokenizer,
    gives_token_vectors: bool,
}

impl FakeEmbedder {
    /// An embedder of `dimension` with a window of 256 words.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self::with_window(dimension, 256)
    }

    /// An embedder of `dimension` with a window of `max_input_tokens` words, two of them special.
    #[must_use]
    pub fn with_window(dimension: usize, max_input_tokens: usize) -> Self {
        assert!(dimension > 0, "a vector needs a dimension");
        Self {
            description: EmbedderDescription {
                model: "fake-hashed-words".to_owned(),
                revision: "0000000000000001".to_owned(),
                dimension,
                precision: "f32".to_owned(),
                pooling: "mean".to_owned(),
                max_input_tokens,
                query_template: "{text}".to_owned(),
                document_template: "{text}".to_owned(),
            },
            tokenizer: WordTokenizer::new(max_input_tokens, 2),
            gives_token_vectors: false,
        }
    }

    /// The same, giving every word's own direction as its token vector.
    #[must_use]
    pub fn giving_token_vectors(mut self) -> Self {
        self.gives_token_vectors = true;
        self
    }

    /// A whole fingerprint around this embedder, for tests that need one.
    #[must_use]
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint {
            embedder: self.description.clone(),
            chunker: "test/1".to_owned(),
            enrichment: "heading_path/1".to_owned(),
            analyser: "test/1".to_owned(),
        }
    }

    fn embed(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        let tokens = self.tokenizer.count_tokens(text)?;
        let limit_tokens = self.tokenizer.max_input_tokens;
        if tokens > limit_tokens {
            return Err(EmbedError::InputTooLong { tokens, limit_tokens });
        }
        let mut vector = vec![0.0; self.description.dimension];
        for word in words(text) {
            add_word(&mut vector, &word);
        }
        normalise(&mut vector);
        Ok(vector)
    }

    fn embed_with_tokens(&self, text: &str) -> Result<EmbeddedText, EmbedError> {
        let mut token_vectors = Vec::new();
        for word in words(text) {
            let mut vector = vec![0.0; self.description.dimension];
            add_word(&mut vector, &word);
            normalise(&mut vector);
            token_vectors.extend(vector);
        }
        Ok(EmbeddedText { vector: self.embed(text)?, token_vectors })
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    text.split_whitespace().map(bare).filter(|word| !word.is_empty())
}

impl TokenEmbedder for FakeEmbedder {
    fn embed_documents_with_tokens(&self, texts: &[&str]) -> Result<Vec<EmbeddedText>, EmbedError> {
        texts.iter().map(|text| self.embed_with_tokens(text)).collect()
    }

    fn embed_query_with_tokens(&self, text: &str) -> Result<EmbeddedText, EmbedError> {
        self.embed_with_tokens(text)
    }
}

impl Embedder for FakeEmbedder {
    fn description(&self) -> &EmbedderDescription {
        &self.description
    }

    fn tokenizer(&self) -> &dyn Tokenizer {
        &self.tokenizer
    }

    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|text| self.embed(text)).collect()
    }

    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError> {
        self.embed(text)
    }

    fn token_embedder(&self) -> Option<&dyn TokenEmbedder> {
        self.gives_token_vectors.then_some(self as &dyn TokenEmbedder)
    }
}

/// Scales to length 1; a zero vector becomes the first axis, so that the result always has length 1.
pub(crate) fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|x| f64::from(*x) * f64::from(*x)).sum::<f64>().sqrt();
    if length > 0.0 {
        for value in vector.iter_mut() {
            *value = (f64::from(*value) / length) as f32;
        }
    } else if let Some(first) = vector.first_mut() {
        *first = 1.0;
    }
}

/// Adds the word's fixed pseudo-random direction: uniform values in -1..1 from a seeded splitmix64.
fn add_word(vector: &mut [f32], word: &str) {
    // FNV-1a: stable across platforms and releases, unlike the standard library's hasher.
    let mut state = word.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    for value in vector.iter_mut() {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        *value += (mixed >> 40) as f32 / (1_u64 << 23) as f32 - 1.0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cosine(left: &[f32], right: &[f32]) -> f32 {
        left.iter().zip(right).map(|(a, b)| a * b).sum()
    }

    #[test]
    fn shared_words_bring_texts_near_and_every_vector_has_length_one() {
        let embedder = FakeEmbedder::new(64);
        let vectors = embedder
            .embed_documents(&["refund policy days", "Refund policy, weeks.", "zebra giraffe", ""])
            .unwrap();
        assert!(vectors.iter().all(|vector| (cosine(vector, vector) - 1.0).abs() < 1e-5));
        assert!(cosine(&vectors[0], &vectors[1]) > 0.4);
        assert!(cosine(&vectors[0], &vectors[2]).abs() < 0.4);
        assert_eq!(vectors[2], embedder.embed_query("zebra giraffe").unwrap());
    }

    #[test]
    fn too_many_words_are_refused_and_never_cut() {
        let embedder = FakeEmbedder::with_window(8, 4);
        assert!(embedder.embed_query("one two").is_ok());
        assert_eq!(
            embedder.embed_query("one two three"),
            Err(EmbedError::InputTooLong { tokens: 5, limit_tokens: 4 })
        );
    }

    #[test]
    fn token_ranges_are_the_words() {
        let text = " ein\u{2003}schönes Haus\n";
        let ranges = WordTokenizer::new(10, 0).token_ranges(text).unwrap();
        let words: Vec<_> = ranges.iter().map(|range| range.slice(text).unwrap()).collect();
        assert_eq!(words, ["ein", "schönes", "Haus"]);
    }
}
