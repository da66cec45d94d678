//! Golden sets: questions with the places that answer them, kept by words so that they outlive another
//! chunking or another parser.

mod approximate;
mod check;
mod file;
mod generate;
mod generated;
mod import;
mod import_beir;
mod import_chunk_eval;
mod import_squad;
mod item;
mod keyword_match;
mod locate;
mod normal_text;
mod prompts;
mod sample;
mod sources;
mod split;

pub use check::{CategoryCounts, GoldenReport, SpanFinding, WISHED_UNANSWERABLE_SHARE, check_golden};
pub use file::GoldenSet;
pub use generate::{GenerateError, GenerateSettings, generate_golden};
pub use generated::{GeneratedGolden, Rejection, RejectionReason, StopReason};
pub use import::{ImportedDocument, ImportedGolden};
pub use import_beir::import_beir;
pub use import_chunk_eval::import_chunk_eval;
pub use import_squad::import_squad;
pub use item::{GoldenItem, GoldenSpan, default_golden_id};
pub use keyword_match::keyword_share;
pub use locate::{PLACED_SIMILARITY, Placement, SpanLocator, place_span};
pub use sample::{SourceChunk, sample_by_stratum};
pub use sources::resolve_source;
pub use split::{GoldenSplit, SplitSettings, split_golden};
