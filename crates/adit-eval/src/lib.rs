//! Metrics and labelled sets: how good is retrieval, measured.
//!
//! Figures follow trec_eval: rankings are sorted by falling score and, where scores are equal, by
//! falling document id; queries without a judged relevant document are left out of the mean.

mod beir;
mod error;
mod latency;
mod metrics;
mod ranking;
mod scores;
mod trec;

pub use beir::{BeirDocument, BeirQuery, BeirSet, Judgments};
pub use error::EvalError;
pub use latency::Latencies;
pub use metrics::{hit_rate_at_k, mean_reciprocal_rank_at_k, ndcg_at_k, precision_at_k, recall_at_k};
pub use ranking::{RankedDocument, Ranking, best_chunk_per_document};
pub use scores::{RetrievalScores, score_run};
pub use trec::write_run;
