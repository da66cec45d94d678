use super::{Grades, ratio, relevance, relevant_count, relevant_in_top};
use crate::Ranking;

/// Share of the relevant documents that stand in the first `k` places (trec_eval's `recall.k`).
#[must_use]
pub fn recall_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    ratio(relevant_in_top(ranking, grades, k), relevant_count(grades))
}

/// 1 if any of the first `k` places is relevant (`success.k`).
#[must_use]
pub fn hit_rate_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    if relevance(ranking, grades, k).any(|is_relevant| is_relevant) { 1.0 } else { 0.0 }
}

/// One over the rank of the first relevant document, 0 if it is not among the first `k` (`recip_rank` cut at k).
#[must_use]
pub fn mean_reciprocal_rank_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    let found = relevance(ranking, grades, k).position(|is_relevant| is_relevant);
    found.map_or(0.0, |index| ratio(1, index + 1))
}
