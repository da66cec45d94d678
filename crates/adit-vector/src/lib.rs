//! The dense side of the index: immutable segments of vectors in memory-mapped files, a tail in memory,
//! and the planner that decides how each is searched.
//!
//! A segment holds float32 vectors for exact scores, int8 rows for everything before that, and an HNSW
//! graph over the rows. A [`VectorSet`] is what one snapshot searches. Filters are bitmaps of allowed
//! chunks that are applied inside the search; deletions are chunks that are not allowed.

mod error;
mod graph;
mod kernel;
mod plan;
mod quantise;
mod rows;
mod segment;
mod set;
mod settings;
mod tail;
mod tune;

pub use error::VectorError;
pub use kernel::InstructionSet;
pub use plan::{SearchMethod, SegmentPlan};
pub use quantise::PreparedQuery;
pub use segment::builder::SegmentBuilder;
pub use segment::merge::merge_segments;
pub use segment::{
    BuildProgress, Candidate, SearchDepth, SegmentCandidates, SegmentInfo, VectorSegment, build_segment,
    open_segment,
};
pub use set::{DEFAULT_EF, DenseResult, VectorSet};
pub use settings::VectorSettings;
pub use tune::{TunedEf, tune_ef};
