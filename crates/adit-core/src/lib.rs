//! The words everybody shares: ids, documents, blocks, chunks, passages, scopes, filters,
//! fingerprints, traces, errors, and the traits between the stages. This crate does no I/O.
//!
//! Data flows one way: a [`Parser`] turns bytes into a [`ParsedDocument`], a [`Chunker`] turns that
//! into [`Chunk`]s, an [`Embedder`] turns their texts into vectors, the catalog commits them as one
//! document version, an [`IndexSnapshot`] answers searches, and retrieval returns [`Passage`]s with
//! a [`Trace`].

mod block;
mod calibration;
mod chunk;
mod citation_label;
mod container;
mod coverage;
mod document;
mod embedder;
mod error;
mod filter;
mod finding;
mod fingerprint;
mod id;
mod index;
mod language_model;
mod metadata;
mod parser;
mod passage;
mod reranker;
mod scope;
mod state;
mod text_range;
mod trace;

pub use block::{Block, BlockKind, Section, Table, TableCell, TableRow};
pub use calibration::{Calibration, CalibrationCurve, ScoreSource};
pub use chunk::{Chunk, ChunkError, Chunker};
pub use citation_label::{CitationLabel, citation_labels};
pub use container::{CHILD_SEPARATOR, ChildFile, ContainerLimit, Expansion, child_source};
pub use coverage::{Coverage, EncodingReport};
pub use document::{AccessControl, DocumentRecord};
pub use embedder::{EmbedError, EmbeddedText, Embedder, EmbedderDescription, TokenEmbedder, Tokenizer};
pub use error::{Classified, ErrorClass};
pub use filter::{Condition, Filter, FilterParseError, Test};
pub use finding::{FindingKind, TextFinding};
pub use fingerprint::Fingerprint;
pub use id::{ChunkId, DocumentId, PassageId, PassageIdParseError, SequenceNumber};
pub use index::{
    DenseSearch, IndexError, IndexSnapshot, LexicalHit, LexicalSearch, ScoredChunk, TermContribution,
};
pub use language_model::{
    Completion, CompletionRequest, ContentPart, LanguageModel, LanguageModelDescription, LanguageModelError,
    Message, NativeCitation, OutputFormat, Role, SearchResultPart, StopReason, TokenProbability, TokenUsage,
    ToolCall, ToolChoice, ToolDefinition, ToolResult,
};
pub use metadata::{Metadata, MetadataValue};
pub use parser::{MediaType, ParseError, ParsedDocument, Parser, SourceFile};
pub use passage::{Passage, PassageScores};
pub use reranker::{RerankError, Reranker, RerankerDescription};
pub use scope::{AdministratorScope, Principal, ReadScope, Scope, ScopeError, TenantId};
pub use state::{DocumentState, PipelineStage, StateCounts};
pub use text_range::TextRange;
pub use trace::{CandidateOutcome, CandidateTrace, RetrieverRank, SignalFactor, StageTrace, Trace};
