use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Classified, ErrorClass, ParsedDocument, TextRange, Tokenizer};

/// One retrievable piece of a document, with two texts: `display`, the document's own words, and
/// `indexed`, what the retrievers see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunk {
    /// Position in the document, from 0.
    pub index: u32,
    /// Bytes of the extracted text that `display` equals exactly.
    pub range: TextRange,
    /// The same range in characters: first.
    pub char_start: usize,
    /// The same range in characters: one past the last.
    pub char_end: usize,
    /// Headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// First page, from 1.
    pub page_start: Option<u32>,
    /// Last page, from 1.
    pub page_end: Option<u32>,
    /// The document's words: equal to the extracted text at `range`.
    pub display: String,
    /// Header rows of a table whose continuation this chunk is: a range before `range`, shown above
    /// `display` and contained in `indexed`.
    pub repeated_header: Option<TextRange>,
    /// Heading path, repeated table header, then the words.
    pub indexed: String,
    /// Tokens of `indexed` by the embedder's tokenizer, special tokens included.
    pub token_count: u32,
}

/// Cuts a parsed document into chunks.
///
/// An implementation MUST put every character of the text into at least one chunk, MUST keep
/// `display == text[range]`, and MUST NOT let any `indexed` exceed
/// [`Tokenizer::max_input_tokens`].
pub trait Chunker: Send + Sync {
    /// Name, version and settings in one line; part of the fingerprint.
    fn description(&self) -> String;

    /// Cuts `document`, counting with `tokenizer`. Chunks come in reading order with rising `index`.
    ///
    /// # Errors
    /// [`ChunkError`] when even one character with no context exceeds the limit, or the tokenizer fails.
    fn chunk(&self, document: &ParsedDocument, tokenizer: &dyn Tokenizer) -> Result<Vec<Chunk>, ChunkError>;
}

/// Why a document could not be cut.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ChunkError {
    /// A defect of ours or an absurd limit: nothing fits.
    #[error("the text at byte {byte_offset} does not fit into {limit_tokens} tokens")]
    NothingFits {
        /// Where.
        byte_offset: usize,
        /// The limit.
        limit_tokens: usize,
    },
    /// The tokenizer refused the text.
    #[error("the tokenizer failed: {detail}")]
    Tokenizer {
        /// What it said.
        detail: String,
    },
    /// The user's settings contradict each other.
    #[error("chunk settings cannot work: {detail}")]
    Settings {
        /// Which and why.
        detail: String,
    },
}

impl Classified for ChunkError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::Settings { .. } => ErrorClass::User,
            _ => ErrorClass::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::Settings { .. } | Self::NothingFits { .. } => {
                Some("correct `chunk.size_tokens` and `chunk.overlap_tokens` in adit.toml".to_owned())
            }
            Self::Tokenizer { .. } => None,
        }
    }
}
