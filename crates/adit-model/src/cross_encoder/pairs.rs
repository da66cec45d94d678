use std::path::Path;

use adit_core::RerankError;
use serde::Deserialize;
use tokenizers::{Encoding, PostProcessor, TruncationDirection};

use crate::ModelError;
use crate::bert::read_bounded;

/// A question that leaves a passage fewer tokens than this is refused where the passage is longer: it would be
/// read through a keyhole, and the number of windows would grow without bound.
const LEAST_ROOM_TOKENS: usize = 32;
/// Neighbouring windows of a long passage share this part of a window.
const OVERLAP_DIVISOR: usize = 4;

/// A question and a passage, or a window of it, as a cross-encoder reads them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair {
    /// Index of the passage.
    pub(super) passage: usize,
    /// Ids of all tokens, special tokens included.
    pub(super) ids: Vec<u32>,
    /// 0 for the question's tokens, 1 for the passage's, as the tokenizer has it.
    pub(super) types: Vec<u32>,
}

/// Puts questions and passages together with the special tokens of a model's own tokenizer.
pub(super) struct PairEncoder {
    tokenizer: tokenizers::Tokenizer,
    max_input_tokens: usize,
    special_tokens: usize,
}

#[derive(Deserialize)]
struct TokenizerConfig {
    /// A float where a model names no limit (1e30).
    #[serde(default)]
    model_max_length: Option<f64>,
}

impl PairEncoder {
    /// Reads `tokenizer.json` of `folder`, and the window that `tokenizer_config.json` names where it is below
    /// `max_positions`.
    pub(super) fn load(folder: &Path, max_positions: usize) -> Result<Self, ModelError> {
        let bytes = read_bounded(folder, "tokenizer.json")?;
        let unsupported = |error| ModelError::unsupported(format!("tokenizer.json: {error}"));
        let mut tokenizer = tokenizers::Tokenizer::from_bytes(&bytes).map_err(unsupported)?;
        tokenizer.with_padding(None);
        tokenizer.with_truncation(None).map_err(unsupported)?;
        let special_tokens = tokenizer.get_post_processor().map_or(0, |parts| parts.added_tokens(true));
        let max_input_tokens = named_window(folder)?.unwrap_or(max_positions).min(max_positions);
        Ok(Self { tokenizer, max_input_tokens, special_tokens })
    }

    pub(super) fn max_input_tokens(&self) -> usize {
        self.max_input_tokens
    }

    /// Every passage with the question: one pair where both fit into the model, else one for each window of the
    /// passage, which together hold all of its tokens.
    pub(super) fn pairs(&self, query: &str, passages: &[&str]) -> Result<Vec<Pair>, RerankError> {
        let encode = |text: &str| self.tokenizer.encode_fast(text, false).map_err(tokenizer_error);
        let query = encode(query)?;
        let limit_tokens = self.max_input_tokens.saturating_sub(self.special_tokens);
        let room = limit_tokens.saturating_sub(query.len());
        let mut pairs = Vec::with_capacity(passages.len());
        for (index, passage) in passages.iter().enumerate() {
            let passage = encode(passage)?;
            if passage.len() > room && room < LEAST_ROOM_TOKENS.min(limit_tokens / 2) || room == 0 {
                return Err(RerankError::QueryTooLong {
                    tokens: query.len(),
                    limit_tokens: self.max_input_tokens,
                });
            }
            for window in windows(passage, room) {
                let pair = self.tokenizer.post_process(query.clone(), Some(window), true);
                let pair = pair.map_err(tokenizer_error)?;
                pairs.push(Pair {
                    passage: index,
                    ids: pair.get_ids().to_vec(),
                    types: pair.get_type_ids().to_vec(),
                });
            }
        }
        Ok(pairs)
    }
}

/// `passage` in windows of `room` tokens, above 0.
fn windows(mut passage: Encoding, room: usize) -> Vec<Encoding> {
    passage.truncate(room, room / OVERLAP_DIVISOR, TruncationDirection::Right);
    let further = passage.take_overflowing();
    std::iter::once(passage).chain(further).collect()
}

fn named_window(folder: &Path) -> Result<Option<usize>, ModelError> {
    let bytes = match read_bounded(folder, "tokenizer_config.json") {
        Ok(bytes) => bytes,
        Err(ModelError::MissingFile { .. }) => return Ok(None),
        Err(error) => return Err(error),
    };
    let config: TokenizerConfig = serde_json::from_slice(&bytes)
        .map_err(|error| ModelError::unsupported(format!("tokenizer_config.json: {error}")))?;
    let limit = config.model_max_length.filter(|limit| (1.0..1e6).contains(limit));
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked to lie in 1..1e6")]
    Ok(limit.map(|limit| limit as usize))
}

fn tokenizer_error(error: tokenizers::Error) -> RerankError {
    RerankError::Runtime { detail: format!("the tokenizer failed: {error}") }
}
