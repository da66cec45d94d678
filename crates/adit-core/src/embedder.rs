use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Classified, ErrorClass, TextRange};

/// Counts and locates the tokens an embedder would read.
pub trait Tokenizer: Send + Sync {
    /// Tokens of `text`, the special tokens included.
    ///
    /// # Errors
    /// [`EmbedError::Tokenizer`].
    fn count_tokens(&self, text: &str) -> Result<usize, EmbedError>;

    /// Byte range of every token of `text` in order, special tokens left out.
    ///
    /// # Errors
    /// [`EmbedError::Tokenizer`].
    fn token_ranges(&self, text: &str) -> Result<Vec<TextRange>, EmbedError>;

    /// The most tokens one text may have, special tokens included.
    fn max_input_tokens(&self) -> usize;

    /// How many of those are special tokens that every text pays for.
    fn special_tokens(&self) -> usize;
}

/// What an embedder is; all of it enters the fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedderDescription {
    /// Name, such as `all-MiniLM-L6-v2`.
    pub model: String,
    /// First 16 hexadecimal digits of the weights' sha256.
    pub revision: String,
    /// Length of a vector.
    pub dimension: usize,
    /// `f32` or `int8`.
    pub precision: String,
    /// `mean` or `cls`.
    pub pooling: String,
    /// The most tokens one text may have, special tokens included.
    pub max_input_tokens: usize,
    /// Prepared form of a query, `{text}` standing for it.
    pub query_template: String,
    /// Prepared form of a document, `{text}` standing for it.
    pub document_template: String,
}

/// Turns texts into vectors of length 1 (so a dot product is a cosine).
pub trait Embedder: Send + Sync {
    /// What it is.
    fn description(&self) -> &EmbedderDescription;

    /// The languages it was trained for, as ISO 639-1 codes; none where that is not known, which is taken for
    /// all. Decides no refusal, only how much the search by meaning counts beside the search by words.
    fn languages(&self) -> &[&str] {
        &[]
    }

    /// The tokenizer it reads with, for the chunker.
    fn tokenizer(&self) -> &dyn Tokenizer;

    /// Vectors `[texts.len(), dimension]` in the order of `texts`, each L2-normalised.
    ///
    /// # Errors
    /// [`EmbedError::InputTooLong`] for a text above the limit: nothing is ever truncated.
    fn embed_documents(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError>;

    /// One vector `[dimension]`, L2-normalised.
    ///
    /// # Errors
    /// As [`Embedder::embed_documents`].
    fn embed_query(&self, text: &str) -> Result<Vec<f32>, EmbedError>;

    /// The same model, giving one vector for every token as well; none where its hidden states are out of
    /// reach, as with a hosted one.
    fn token_embedder(&self) -> Option<&dyn TokenEmbedder> {
        None
    }
}

/// A text's vector and, from the same pass of the encoder, one vector for every token (late interaction:
/// Khattab and Zaharia 2020, "ColBERT").
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedText {
    /// `[dimension]`, L2-normalised, equal to what [`Embedder`] gives.
    pub vector: Vec<f32>,
    /// `[tokens, dimension]`, row by row, special tokens left out, each row L2-normalised.
    pub token_vectors: Vec<f32>,
}

/// An embedder that gives its token states along with the pooled vector.
pub trait TokenEmbedder: Send + Sync {
    /// One entry for each text in the order of `texts`.
    ///
    /// # Errors
    /// As [`Embedder::embed_documents`].
    fn embed_documents_with_tokens(&self, texts: &[&str]) -> Result<Vec<EmbeddedText>, EmbedError>;

    /// # Errors
    /// As [`Embedder::embed_query`].
    fn embed_query_with_tokens(&self, text: &str) -> Result<EmbeddedText, EmbedError>;
}

/// Why a text has no vector.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EmbedError {
    /// The text is longer than the model can read. From a chunk this is our defect; from a query, the user's.
    #[error("a text of {tokens} tokens exceeds the model's window of {limit_tokens}")]
    InputTooLong {
        /// Its length.
        tokens: usize,
        /// The limit.
        limit_tokens: usize,
    },
    /// The tokenizer refused the text.
    #[error("the tokenizer failed: {detail}")]
    Tokenizer {
        /// What it said.
        detail: String,
    },
    /// The runtime failed.
    #[error("the model runtime failed: {detail}")]
    Runtime {
        /// What it said.
        detail: String,
    },
    /// A hosted model did not answer.
    #[error("the embedding model cannot be reached: {detail}")]
    Unreachable {
        /// What happened.
        detail: String,
        /// Whether trying again may help.
        retryable: bool,
    },
    /// It answered something that cannot be used.
    #[error("the embedding model answered something unreadable: {detail}")]
    UnreadableAnswer {
        /// What is wrong with it.
        detail: String,
    },
}

impl Classified for EmbedError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::InputTooLong { .. } => ErrorClass::User,
            Self::Unreachable { .. } | Self::UnreadableAnswer { .. } => ErrorClass::World,
            _ => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Unreachable { retryable: true, .. })
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::InputTooLong { limit_tokens, .. } => {
                Some(format!("ask in fewer words (at most {limit_tokens} tokens), or use `--mode lexical`"))
            }
            Self::Unreachable { .. } | Self::UnreadableAnswer { .. } => {
                Some("check the model's address and key, or use `--mode lexical`".to_owned())
            }
            _ => None,
        }
    }
}
