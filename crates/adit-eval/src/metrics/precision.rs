use super::{Grades, ratio, relevance, relevant_count, relevant_in_top};
use crate::Ranking;

/// Share of the first `k` places that are relevant; missing places count as not relevant (trec_eval's `P.k`).
#[must_use]
pub fn precision_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    ratio(relevant_in_top(ranking, grades, k), k)
}

/// Precision in the first R places, where R is the number of relevant documents (`Rprec`).
#[must_use]
pub fn r_precision(ranking: &Ranking, grades: &Grades) -> f64 {
    precision_at_k(ranking, grades, relevant_count(grades))
}

/// Mean over the relevant documents of the precision at the place where each stands, 0 for one that was not
/// returned (`map` before the mean over queries).
#[must_use]
pub fn average_precision(ranking: &Ranking, grades: &Grades) -> f64 {
    let relevant = relevant_count(grades);
    if relevant == 0 {
        return 0.0;
    }
    let ranks_of_relevant = relevance(ranking, grades, usize::MAX)
        .enumerate()
        .filter_map(|(index, is_relevant)| is_relevant.then_some(index + 1));
    let precisions = ranks_of_relevant.enumerate().map(|(found_before, rank)| ratio(found_before + 1, rank));
    precisions.sum::<f64>() / relevant as f64
}
