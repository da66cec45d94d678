use thiserror::Error;

use crate::{ChunkId, Classified, ErrorClass, Filter, Fingerprint, Scope, SequenceNumber};

/// One search by words.
#[derive(Debug, Clone, Copy)]
pub struct LexicalSearch<'a> {
    /// Who is reading.
    pub scope: &'a Scope,
    /// What else must hold.
    pub filter: &'a Filter,
    /// The question's words.
    pub query: &'a str,
    /// Most hits to return.
    pub limit: usize,
}

/// One search by meaning.
#[derive(Debug, Clone, Copy)]
pub struct DenseSearch<'a> {
    /// Who is reading.
    pub scope: &'a Scope,
    /// What else must hold.
    pub filter: &'a Filter,
    /// The question's vector `[dimension]`, length 1.
    pub vector: &'a [f32],
    /// Fingerprint of the embedder that made the vector; another one than the index's is refused.
    pub fingerprint: &'a Fingerprint,
    /// Most hits to return.
    pub limit: usize,
    /// Candidates the graph keeps while it walks; `None` takes the tuned value.
    pub ef_search: Option<usize>,
}

/// A chunk and its score in one retriever. Scores of two retrievers cannot be compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScoredChunk {
    /// The chunk.
    pub chunk: ChunkId,
    /// BM25, or cosine.
    pub score: f32,
}

/// A lexical hit with the terms that earned its score.
#[derive(Debug, Clone, PartialEq)]
pub struct LexicalHit {
    /// The chunk and its BM25 score.
    pub scored: ScoredChunk,
    /// Share of each matched term; their sum is the score.
    pub terms: Vec<TermContribution>,
}

/// What one query term gave to a score.
#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct TermContribution {
    /// The term as it stands in the index (lower case, stemmed).
    pub term: String,
    /// How often it stands in the chunk.
    pub term_frequency: u32,
    /// How many chunks have it.
    pub document_frequency: u64,
    /// Its inverse document frequency.
    pub inverse_document_frequency: f32,
    /// Its share of the score.
    pub score: f32,
}

/// One immutable state of the index: both retrievers at one sequence number.
///
/// An implementation MUST NOT return a chunk outside the scope or the filter, and MUST apply them
/// inside the search, never to its results.
pub trait IndexSnapshot: Send + Sync {
    /// The last change it contains.
    fn sequence(&self) -> SequenceNumber;

    /// What its vectors and terms were made with.
    fn fingerprint(&self) -> &Fingerprint;

    /// Best chunks by BM25, best first; equal scores by rising chunk id.
    ///
    /// # Errors
    /// [`IndexError`].
    fn search_lexical(&self, search: LexicalSearch<'_>) -> Result<Vec<ScoredChunk>, IndexError>;

    /// Best chunks by cosine, best first; equal scores by rising chunk id.
    ///
    /// # Errors
    /// [`IndexError::FingerprintMismatch`] and others.
    fn search_dense(&self, search: DenseSearch<'_>) -> Result<Vec<ScoredChunk>, IndexError>;

    /// The BM25 score of one chunk taken apart, or `None` when it is outside the scope or matches no term.
    ///
    /// # Errors
    /// [`IndexError`].
    fn explain_lexical(
        &self,
        search: LexicalSearch<'_>,
        chunk: ChunkId,
    ) -> Result<Option<LexicalHit>, IndexError>;
}

/// Why the index did not answer or did not take a change.
#[derive(Debug, Error)]
pub enum IndexError {
    /// Refused: vectors or terms of another make.
    #[error("the index was built with another fingerprint\n  index: {index}\n  given: {given}")]
    FingerprintMismatch {
        /// The index's.
        index: Box<Fingerprint>,
        /// The caller's.
        given: Box<Fingerprint>,
    },
    /// Refused: written by a newer Adit.
    #[error("{path} has format version {found}; this program reads up to {supported}")]
    NewerFormat {
        /// File or folder.
        path: String,
        /// Its version.
        found: u32,
        /// The newest we know.
        supported: u32,
    },
    /// Refused: another process writes.
    #[error("another process is writing to {path} (process {process})")]
    Locked {
        /// The home directory.
        path: String,
        /// Its process id, as it recorded it.
        process: String,
    },
    /// A derived file is damaged; the catalog can make it again.
    #[error("the derived file {path} is damaged: {detail}")]
    Damaged {
        /// Which file.
        path: String,
        /// How it shows.
        detail: String,
    },
    /// A vector has the wrong length; our defect.
    #[error("a vector of dimension {given} was given to an index of dimension {expected}")]
    Dimension {
        /// The index's.
        expected: usize,
        /// The caller's.
        given: usize,
    },
    /// The truth could not be read.
    #[error("the catalog failed: {detail}")]
    Catalog {
        /// What it said.
        detail: String,
    },
    /// Disk trouble.
    #[error("{path}: {source}")]
    Io {
        /// Where.
        path: String,
        /// What the system said.
        source: std::io::Error,
    },
    /// The search engine beneath failed.
    #[error("the {engine} engine failed: {detail}")]
    Engine {
        /// The engine's name, such as `tantivy`.
        engine: &'static str,
        /// What it said.
        detail: String,
    },
}

impl Classified for IndexError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::FingerprintMismatch { .. } | Self::NewerFormat { .. } | Self::Locked { .. } => {
                ErrorClass::Refused
            }
            Self::Dimension { .. } => ErrorClass::Internal,
            _ => ErrorClass::World,
        }
    }

    fn is_retryable(&self) -> bool {
        matches!(self, Self::Locked { .. } | Self::Io { .. })
    }

    fn hint(&self) -> Option<String> {
        Some(
            match self {
                Self::FingerprintMismatch { .. } => {
                    "use the model and settings the index was built with, or build anew with `adit index --reindex`"
                }
                Self::NewerFormat { .. } => "use the newer program that wrote it",
                Self::Locked { .. } => "wait for the other process to end; searching is possible meanwhile",
                Self::Damaged { .. } => "run `adit rebuild`: it makes every derived file again from the catalog",
                Self::Io { .. } | Self::Catalog { .. } => {
                    "check free space and permissions, then run the command again; nothing is half done"
                }
                _ => return None,
            }
            .to_owned(),
        )
    }
}
