use serde::{Deserialize, Serialize};

use crate::{Judgments, Latencies, Ranking, mean_reciprocal_rank_at_k, ndcg_at_k, recall_at_k};

/// Means over the judged queries of a set. The field names are the JSON keys of `adit eval beir`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RetrievalScores {
    /// Queries with at least one relevant document.
    pub queries: usize,
    /// Linear gain, as trec_eval.
    pub ndcg_at_10: f64,
    /// Recall in the first 5.
    pub recall_at_5: f64,
    /// Recall in the first 25.
    pub recall_at_25: f64,
    /// Recall in the first 50.
    pub recall_at_50: f64,
    /// Recall in the first 100.
    pub recall_at_100: f64,
    /// Reciprocal rank of the first relevant document among the first 10.
    pub mrr_at_10: f64,
    /// One query after the other.
    pub queries_per_second: f64,
    /// Median time of a query.
    pub p50_ms: f64,
    /// 99th percentile.
    pub p99_ms: f64,
}

/// Scores a run: each judged query's ranking. A query that is missing from `rankings` counts as
/// having returned nothing (trec_eval's `-c`).
#[must_use]
pub fn score_run(
    judgments: &Judgments,
    rankings: &std::collections::BTreeMap<String, Ranking>,
    latencies: &Latencies,
) -> RetrievalScores {
    let empty = Ranking::default();
    let judged: Vec<_> = judgments
        .iter()
        .filter(|(_, grades)| grades.values().any(|grade| *grade > 0))
        .map(|(query, grades)| (rankings.get(query).unwrap_or(&empty), grades))
        .collect();
    let mean = |metric: &dyn Fn(&Ranking, &std::collections::BTreeMap<String, i64>) -> f64| {
        let sum: f64 = judged.iter().map(|(ranking, grades)| metric(ranking, grades)).sum();
        if judged.is_empty() { 0.0 } else { sum / judged.len() as f64 }
    };
    RetrievalScores {
        queries: judged.len(),
        ndcg_at_10: mean(&|ranking, grades| ndcg_at_k(ranking, grades, 10)),
        recall_at_5: mean(&|ranking, grades| recall_at_k(ranking, grades, 5)),
        recall_at_25: mean(&|ranking, grades| recall_at_k(ranking, grades, 25)),
        recall_at_50: mean(&|ranking, grades| recall_at_k(ranking, grades, 50)),
        recall_at_100: mean(&|ranking, grades| recall_at_k(ranking, grades, 100)),
        mrr_at_10: mean(&|ranking, grades| mean_reciprocal_rank_at_k(ranking, grades, 10)),
        queries_per_second: latencies.queries_per_second(),
        p50_ms: latencies.percentile_ms(50.0),
        p99_ms: latencies.percentile_ms(99.0),
    }
}
