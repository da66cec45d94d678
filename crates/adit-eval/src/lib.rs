//! Metrics and labelled sets: how good is retrieval, measured.
//!
//! Figures follow trec_eval: rankings are sorted by falling score and, where scores are equal, by
//! falling document id; queries without a judged relevant document are left out of the mean.

mod beir;
pub mod calibration;
mod error;
pub mod gaps;
pub mod golden;
mod latency;
mod metrics;
mod ranking;
mod scores;
pub mod statistics;
mod trec;

pub use beir::{BeirDocument, BeirQuery, BeirSet, Judgments};
pub use error::EvalError;
pub use golden::{GoldenItem, GoldenSet, GoldenSpan, Placement, place_span};
pub use latency::Latencies;
pub use metrics::{
    Metric, average_precision, hit_rate_at_k, mean_reciprocal_rank_at_k, ndcg_at_k, ndcg_exponential_at_k,
    per_query, precision_at_k, r_precision, recall_at_k,
};
pub use ranking::{RankedDocument, Ranking, best_chunk_per_document};
pub use scores::{RetrievalScores, score_run};
pub use trec::{TrecProblem, read_run, read_trec_judgments, write_run, write_trec_judgments};
