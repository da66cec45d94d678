//! A golden set run through the engine, what it scored, and what changed since another run.

mod compare;
mod gate;
mod gold;
mod log;
mod ranker;
mod report;
mod run;
mod saved;
mod score;
mod segments;

pub use compare::{Comparison, MetricComparison, SegmentComparison, compare};
pub use gate::{GateOutcome, GateRule, check_gate};
pub(crate) use gold::Collection;
pub use log::LogEntry;
pub use ranker::{RankerTraining, train_ranker};
pub use report::html_report;
pub use run::{Configuration, EvaluationRun, ItemResult, evaluate};
pub use saved::SavedEvaluations;
pub(crate) use score::reveals_any;
pub use segments::{SegmentScores, Summary, summarise};

/// Metrics of an answerable question, in the order in which they are shown.
pub(crate) const METRICS: &[&str] = &[
    "recall@5",
    "recall@25",
    "recall@50",
    "recall@100",
    "ndcg@10",
    "mrr@10",
    "precision@5",
    "span_recall@5",
    "span_precision@5",
    "span_iou@5",
];
