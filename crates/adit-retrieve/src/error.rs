use adit_catalog::CatalogError;
use adit_core::{ChunkId, Classified, DocumentId, EmbedError, ErrorClass, IndexError};
use adit_token_vector::TokenVectorError;
use thiserror::Error;

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum RetrieveError {
    /// The user's: nothing was asked.
    #[error("the question is empty")]
    EmptyQuery,
    /// The user's: bytes that are no question.
    #[error("the question contains the control character U+{code_point:04X} at byte {byte_offset}")]
    ControlCharacter {
        /// Which.
        code_point: u32,
        /// Where.
        byte_offset: usize,
    },
    /// The user's: longer than any question.
    #[error("the question has {bytes} bytes, more than the limit of {limit_bytes}")]
    QueryTooLong {
        /// Its length.
        bytes: usize,
        /// The limit.
        limit_bytes: usize,
    },
    /// The user's: no room for even one passage.
    #[error("a budget of {budget_tokens} tokens is too small; at least {minimum_tokens} are needed")]
    BudgetTooSmall {
        /// What was given.
        budget_tokens: usize,
        /// What is needed.
        minimum_tokens: usize,
    },
    /// The user's: settings of the signals, or a trained ranker, that cannot be used.
    #[error("{detail}")]
    SignalSettings {
        /// Which and why.
        detail: String,
    },
    /// The user's: dense search was asked for and there is no model.
    #[error("searching by meaning needs the embedding model, and none is loaded")]
    NoEmbedder,
    /// The user's or ours: dense search was asked for and the question could not be embedded.
    #[error("the question could not be embedded: {source}")]
    Embedding {
        /// Why.
        source: EmbedError,
    },
    /// The user's: no such document, or it may not be read, which cannot be told apart.
    #[error("there is no document `{document}` in this scope")]
    UnknownDocument {
        /// The id as given.
        document: DocumentId,
    },
    /// The user's: a start beyond the end.
    #[error("`{document}` has no {what} {asked}; it has {available}")]
    BeyondEnd {
        /// The document.
        document: DocumentId,
        /// `chunk` or `character`.
        what: &'static str,
        /// The start as given.
        asked: usize,
        /// How many there are.
        available: usize,
    },
    /// The world's: texts were purged faster than they could be read.
    #[error("the text of chunk {chunk} was removed while it was being read")]
    TextGone {
        /// The chunk.
        chunk: ChunkId,
    },
    /// The user's: a calibration maps the scores of what it was fitted on, and of nothing else.
    #[error("the calibration was fitted on {fitted_on}, not on {given}")]
    OtherCalibration {
        /// What it holds for.
        fitted_on: String,
        /// What it was to be used for.
        given: String,
    },
    /// The user's: a cut-off on a score without a scale.
    #[error("a cut-off needs a calibration, and there is none")]
    CutOffWithoutCalibration,
    /// The index refused or failed.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The catalog refused or failed.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The question's token vectors do not fit the index; our defect.
    #[error(transparent)]
    TokenVectors(#[from] TokenVectorError),
    /// A search thread died; our defect.
    #[error("the {stage} search ended without an answer")]
    ThreadDied {
        /// `lexical` or `dense`.
        stage: &'static str,
    },
}

impl Classified for RetrieveError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::EmptyQuery
            | Self::ControlCharacter { .. }
            | Self::QueryTooLong { .. }
            | Self::BudgetTooSmall { .. }
            | Self::NoEmbedder
            | Self::SignalSettings { .. }
            | Self::UnknownDocument { .. }
            | Self::BeyondEnd { .. }
            | Self::OtherCalibration { .. }
            | Self::CutOffWithoutCalibration => ErrorClass::User,
            Self::Embedding { source } => source.class(),
            Self::TextGone { .. } => ErrorClass::World,
            Self::Index(error) => error.class(),
            Self::Catalog(error) => error.class(),
            Self::TokenVectors(error) => error.class(),
            Self::ThreadDied { .. } => ErrorClass::Internal,
        }
    }

    fn is_retryable(&self) -> bool {
        match self {
            Self::TextGone { .. } => true,
            Self::Index(error) => error.is_retryable(),
            Self::Catalog(error) => error.is_retryable(),
            Self::Embedding { source } => source.is_retryable(),
            _ => false,
        }
    }

    fn hint(&self) -> Option<String> {
        let hint = match self {
            Self::EmptyQuery => "ask with a few words, such as `adit search refund after 30 days`",
            Self::ControlCharacter { .. } => "remove the control characters; line breaks and tabs are fine",
            Self::QueryTooLong { .. } => {
                "ask for one thing in a few words; to find an exact text use `adit grep`"
            }
            Self::BudgetTooSmall { .. } => "raise the token budget, or ask for fewer passages",
            Self::SignalSettings { .. } => {
                "correct `[signals]` and `[[authority]]` in adit.toml, or train the ranker again"
            }
            Self::NoEmbedder => "fetch the model with `adit models pull`, or use `--mode lexical`",
            Self::UnknownDocument { .. } => "take the id from a search result; ids look like 3f9a1c20b7d4",
            Self::BeyondEnd { .. } => "start at 0, or where the last answer said to continue",
            Self::TextGone { .. } => "search again",
            Self::OtherCalibration { .. } | Self::CutOffWithoutCalibration => {
                "fit one with `adit calibrate`, or remove rerank.cut_off from adit.toml"
            }
            Self::Embedding { source } => return source.hint(),
            Self::Index(error) => return error.hint(),
            Self::Catalog(error) => return error.hint(),
            Self::TokenVectors(error) => return error.hint(),
            Self::ThreadDied { .. } => return None,
        };
        Some(hint.to_owned())
    }
}
