use std::path::Path;

use adit_core::{EmbedError, TextRange, Tokenizer};

use crate::ProviderError;

/// Larger tokenizer files are refused.
const MAX_FILE_BYTES: u64 = 64 << 20;

/// Counts the tokens of a hosted model: by its own `tokenizer.json`, or by bytes.
///
/// By bytes, every character counts as many tokens as it has bytes. No usual tokenizer makes more of a text,
/// so nothing that fits is too long for the model; chunks come out smaller than they could be.
pub struct HostedTokenizer {
    inner: Option<Box<tokenizers::Tokenizer>>,
    max_input_tokens: usize,
    special_tokens: usize,
}

impl HostedTokenizer {
    /// With the model's own tokenizer.
    ///
    /// # Errors
    /// [`ProviderError::TokenizerFile`].
    pub fn from_file(path: &Path, max_input_tokens: usize) -> Result<Self, ProviderError> {
        let fail = |detail: String| ProviderError::TokenizerFile { path: path.to_owned(), detail };
        let length = fs_err::metadata(path).map_err(|error| fail(error.kind().to_string()))?.len();
        if length > MAX_FILE_BYTES {
            return Err(fail(format!("it is {length} bytes long")));
        }
        let bytes = fs_err::read(path).map_err(|error| fail(error.kind().to_string()))?;
        let mut inner = tokenizers::Tokenizer::from_bytes(&bytes).map_err(|error| fail(error.to_string()))?;
        inner.with_padding(None);
        inner.with_truncation(None).map_err(|error| fail(error.to_string()))?;
        let special_tokens = inner.encode_fast("", true).map_err(|error| fail(error.to_string()))?.len();
        Ok(Self { inner: Some(Box::new(inner)), max_input_tokens, special_tokens })
    }

    /// By bytes, with two special tokens as most models have.
    #[must_use]
    pub fn by_bytes(max_input_tokens: usize) -> Self {
        Self { inner: None, max_input_tokens, special_tokens: 2 }
    }

    /// Whether it counts as the model does; otherwise by bytes.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.inner.is_some()
    }
}

impl Tokenizer for HostedTokenizer {
    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        match &self.inner {
            Some(inner) => Ok(inner.encode_fast(text, true).map_err(failed)?.len()),
            None => Ok(text.len().saturating_add(self.special_tokens)),
        }
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<TextRange>, EmbedError> {
        let Some(inner) = &self.inner else {
            // A character of several bytes is that many tokens at the same place.
            let ranges = text.char_indices().flat_map(|(start, character)| {
                let length = character.len_utf8();
                std::iter::repeat_n(TextRange::new(start, start + length), length)
            });
            return Ok(ranges.collect());
        };
        let encoding = inner.encode(text, false).map_err(failed)?;
        let range = |&(start, end): &(usize, usize)| {
            TextRange::new(text.floor_char_boundary(start), text.ceil_char_boundary(end))
        };
        Ok(encoding.get_offsets().iter().map(range).collect())
    }

    fn max_input_tokens(&self) -> usize {
        self.max_input_tokens
    }

    fn special_tokens(&self) -> usize {
        self.special_tokens
    }
}

fn failed(error: tokenizers::Error) -> EmbedError {
    EmbedError::Tokenizer { detail: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_counted_where_the_tokenizer_is_not_known() {
        let tokenizer = HostedTokenizer::by_bytes(100);
        assert!(!tokenizer.is_exact());
        let text = "a\u{20ac}b";
        assert_eq!(tokenizer.count_tokens(text).unwrap(), 5 + tokenizer.special_tokens());
        let ranges = tokenizer.token_ranges(text).unwrap();
        assert_eq!(ranges.len(), 5);
        assert_eq!(ranges[2], TextRange::new(1, 4));
    }

    #[test]
    fn a_file_that_is_no_tokenizer_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokenizer.json");
        assert!(HostedTokenizer::from_file(&path, 10).is_err());
        fs_err::write(&path, "{}").unwrap();
        assert!(matches!(HostedTokenizer::from_file(&path, 10), Err(ProviderError::TokenizerFile { .. })));
    }
}
