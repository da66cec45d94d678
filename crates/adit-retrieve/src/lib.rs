//! The cascade: a question becomes candidates by words and by meaning, the two lists become one by rank,
//! and the best chunks become passages under a token budget, each with what is needed to cite it.
//!
//! [`Retriever::search`] takes one snapshot and one catalog view and reads everything from them, so an
//! answer never mixes two states. What happened is told in the response's trace; what the caller should
//! know is told in its notices.

mod assemble;
mod calendar;
mod candidates;
mod dense_weight;
mod duplicates;
mod error;
mod evidence;
mod explain;
mod filter_keys;
mod fusion;
mod late_interaction;
mod long_question;
mod multi_search;
mod query;
mod question_parts;
mod read_document;
mod render;
mod request;
mod rerank;
mod retriever;
mod sentences;
mod signals;
mod stored_passage;
mod token_counter;
mod understand;

pub use adit_lexical::Bm25Parameters;
pub use error::RetrieveError;
pub use evidence::{
    Coefficient, Evidence, EvidenceCalibration, EvidenceFeatures, Sufficiency, holds_wanted_kind,
};
pub use explain::{ExplainTarget, ExplainedChunk, Explanation};
pub use fusion::{Candidate, Fusion, FusionWeights, reciprocal_rank_fusion, standardised_fusion};
pub use late_interaction::LateInteractionDefault;
pub use query::MAX_QUERY_BYTES;
pub use read_document::{DocumentExcerpt, ReadFrom};
pub use render::{render_excerpt, render_explanation, render_passages, warning_line};
pub use request::{MIN_BUDGET_TOKENS, Mode, PassageOrder, SearchRequest};
pub use rerank::{RerankConfiguration, RerankSettings};
pub use retriever::{GrepResponse, RankedChunk, Ranking, Retriever, SearchResponse};
pub use sentences::sentence_ranges;
pub use signals::{
    AuthorityRule, CandidateFeatures, DocumentVerdicts, FACTOR_BOUNDS, FEATURE_NAMES, Popularity, SignalKind,
    SignalSelection, SignalSettings, Signals,
};
pub use stored_passage::passage_of;
pub use understand::{DateRange, FilterUse, PlannedSearch, QueryPlan, SearchKind, Turn, Understanding};
