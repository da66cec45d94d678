//! Metrics of one query, as trec_eval computes them. `grades` holds the judged documents of the query.

use std::collections::BTreeMap;

use crate::Ranking;

type Grades = BTreeMap<String, i64>;

fn grade(grades: &Grades, document: &str) -> i64 {
    grades.get(document).copied().unwrap_or(0)
}

fn relevant_count(grades: &Grades) -> usize {
    grades.values().filter(|grade| **grade > 0).count()
}

fn relevant_in_top(ranking: &Ranking, grades: &Grades, k: usize) -> usize {
    ranking.places().iter().take(k).filter(|place| grade(grades, &place.document) > 0).count()
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Share of the relevant documents that stand in the first `k` places (trec_eval's `recall.k`).
#[must_use]
pub fn recall_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    ratio(relevant_in_top(ranking, grades, k), relevant_count(grades))
}

/// Share of the first `k` places that are relevant; missing places count as not relevant (`P.k`).
#[must_use]
pub fn precision_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    ratio(relevant_in_top(ranking, grades, k), k)
}

/// 1 if any of the first `k` places is relevant (`success.k`).
#[must_use]
pub fn hit_rate_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    if relevant_in_top(ranking, grades, k) > 0 { 1.0 } else { 0.0 }
}

/// One over the rank of the first relevant document, 0 if it is not among the first `k` (`recip_rank` cut at k).
#[must_use]
pub fn mean_reciprocal_rank_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    let found = ranking.places().iter().take(k).position(|place| grade(grades, &place.document) > 0);
    found.map_or(0.0, |index| ratio(1, index + 1))
}

/// Normalised discounted cumulative gain with linear gain, discounted by log2(rank + 1)
/// (Järvelin and Kekäläinen 2002; trec_eval's `ndcg_cut.k`).
#[must_use]
pub fn ndcg_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    let gained = ranking.places().iter().take(k).map(|place| grade(grades, &place.document));
    let mut ideal: Vec<i64> = grades.values().copied().filter(|grade| *grade > 0).collect();
    ideal.sort_unstable_by(|left, right| right.cmp(left));
    let best = discounted_gain(ideal.into_iter().take(k));
    if best == 0.0 { 0.0 } else { discounted_gain(gained) / best }
}

fn discounted_gain(grades: impl Iterator<Item = i64>) -> f64 {
    grades.enumerate().map(|(index, grade)| grade.max(0) as f64 / ((index + 2) as f64).log2()).sum()
}
