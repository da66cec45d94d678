use std::path::Path;

use adit_core::{EmbedError, TextRange, Tokenizer};

use crate::ModelError;
use crate::bert::read_bounded;

/// A model's own tokenizer, from `tokenizer.json`, without its padding and truncation.
pub struct BertTokenizer {
    inner: tokenizers::Tokenizer,
    max_input_tokens: usize,
    special_tokens: usize,
}

impl BertTokenizer {
    /// Reads `tokenizer.json` of `folder`; `max_input_tokens` is the model's window.
    ///
    /// # Errors
    /// [`ModelError::MissingFile`] and [`ModelError::Unsupported`].
    pub fn load(folder: &Path, max_input_tokens: usize) -> Result<Self, ModelError> {
        let bytes = read_bounded(folder, "tokenizer.json")?;
        let unsupported = |error| ModelError::unsupported(format!("tokenizer.json: {error}"));
        let mut inner = tokenizers::Tokenizer::from_bytes(&bytes).map_err(unsupported)?;
        inner.with_padding(None);
        inner.with_truncation(None).map_err(unsupported)?;
        let special_tokens = inner.encode_fast("", true).map_err(unsupported)?.len();
        Ok(Self { inner, max_input_tokens, special_tokens })
    }

    /// Ids of the tokens of `text`, special tokens included.
    ///
    /// # Errors
    /// [`EmbedError::InputTooLong`] above the window, [`EmbedError::Tokenizer`].
    pub(crate) fn ids(&self, text: &str) -> Result<Vec<u32>, EmbedError> {
        Ok(self.encode(text)?.get_ids().to_vec())
    }

    /// As [`BertTokenizer::ids`], with whether each token is a word's, and none that the model adds.
    pub(crate) fn ids_and_words(&self, text: &str) -> Result<(Vec<u32>, Vec<bool>), EmbedError> {
        let encoding = self.encode(text)?;
        let is_word = encoding.get_special_tokens_mask().iter().map(|special| *special == 0);
        Ok((encoding.get_ids().to_vec(), is_word.collect()))
    }

    fn encode(&self, text: &str) -> Result<tokenizers::Encoding, EmbedError> {
        let encoding = self.inner.encode_fast(text, true).map_err(tokenizer_error)?;
        let tokens = encoding.len();
        if tokens > self.max_input_tokens {
            return Err(EmbedError::InputTooLong { tokens, limit_tokens: self.max_input_tokens });
        }
        Ok(encoding)
    }
}

impl Tokenizer for BertTokenizer {
    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError> {
        Ok(self.inner.encode_fast(text, true).map_err(tokenizer_error)?.len())
    }

    fn token_ranges(&self, text: &str) -> Result<Vec<TextRange>, EmbedError> {
        let encoding = self.inner.encode(text, false).map_err(tokenizer_error)?;
        // A token of a normalised character may begin or end inside its original one.
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

fn tokenizer_error(error: tokenizers::Error) -> EmbedError {
    EmbedError::Tokenizer { detail: error.to_string() }
}
