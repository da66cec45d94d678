//! Do the passages hold the answer, and what is done when they do not (Yan et al. 2024, "Corrective Retrieval
//! Augmented Generation"): sufficient evidence goes on, ambiguous evidence is refined into strips, insufficient
//! evidence is searched again under another wording, then outside, and in the end it is said.

mod corrective;
mod outside;
mod refusal;
mod rewrite;
mod strips;

pub(crate) use corrective::{Corrected, Correction};
pub use outside::{OutsideSearch, OutsideSearchError};
pub(crate) use refusal::refusal;
pub(crate) use rewrite::standalone_query;
pub use rewrite::{ModelRewriter, QueryRewriter, Rewritten, RuleRewriter, read_rewrite, rewrite_request};
pub use strips::{Strips, refine_into_strips};
