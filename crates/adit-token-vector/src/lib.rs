//! Late interaction over the token states of the embedder that is there already (Khattab and Zaharia 2020,
//! "ColBERT"): every token of a chunk is a row of signs, one bit a dimension, and a chunk is scored by the
//! sum over the question's tokens of the best row for each (MaxSim).
//!
//! Rows are made by a [`TokenCodeMake`], which fixes the mean that is taken off before the signs are kept and
//! how many tokens share a row. They lie in immutable memory-mapped segments and a small tail, as the dense
//! vectors do; a [`TokenCodeSet`] is what one snapshot scores with. The question's tokens stay numbers
//! (8 bits each), only the chunks' are signs.

mod calibration;
mod coder;
mod error;
mod kernel;
mod make;
mod pooling;
mod query;
mod segment;
mod set;

pub use calibration::calibrated_make;
pub use coder::{TokenCodes, encode, encode_all};
pub use error::TokenVectorError;
pub use kernel::InstructionSet;
pub use make::{CodeBits, MAX_DIMENSION, MAX_POOLING, TokenCodeMake};
pub use query::TokenQuery;
pub use segment::TokenSegmentInfo;
pub use segment::builder::TokenSegmentBuilder;
pub use segment::file::TokenSegment;
pub use set::TokenCodeSet;
