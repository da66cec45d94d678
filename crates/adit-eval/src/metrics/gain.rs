use super::{Grades, grade};
use crate::Ranking;

/// 2^1000 can still be added up without reaching infinity. No scale of judgments comes near it.
const HIGHEST_EXPONENT: i64 = 1000;

/// Normalised discounted cumulative gain with linear gain, discounted by log2(rank + 1)
/// (Järvelin and Kekäläinen 2002; trec_eval's `ndcg_cut.k`).
#[must_use]
pub fn ndcg_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    normalised(ranking, grades, k, |grade| grade as f64)
}

/// The same with the gain 2^grade - 1 (Burges et al. 2005), which sets a perfect document further apart from
/// a middling one. With grades 0 and 1 both are equal.
#[must_use]
pub fn ndcg_exponential_at_k(ranking: &Ranking, grades: &Grades, k: usize) -> f64 {
    normalised(ranking, grades, k, |grade| (grade.min(HIGHEST_EXPONENT) as f64).exp2() - 1.0)
}

fn normalised(ranking: &Ranking, grades: &Grades, k: usize, gain: fn(i64) -> f64) -> f64 {
    let found = ranking.places().iter().take(k).map(|place| grade(grades, &place.document));
    let mut ideal: Vec<i64> = grades.values().copied().filter(|grade| *grade > 0).collect();
    ideal.sort_unstable_by(|left, right| right.cmp(left));
    let best = discounted(ideal.into_iter().take(k), gain);
    if best == 0.0 { 0.0 } else { discounted(found, gain) / best }
}

fn discounted(grades: impl Iterator<Item = i64>, gain: fn(i64) -> f64) -> f64 {
    let relevant = grades.enumerate().filter(|(_, grade)| *grade > 0);
    relevant.map(|(index, grade)| gain(grade) / ((index + 2) as f64).log2()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::RankedDocument;

    #[test]
    fn absurd_grades_stay_numbers() {
        let ranking = Ranking::new(vec![RankedDocument { document: "a".to_owned(), score: 1.0 }]);
        let grades = [("a".to_owned(), i64::MAX), ("b".to_owned(), i64::MIN)].into();
        assert_eq!(ndcg_at_k(&ranking, &grades, 10), 1.0);
        assert_eq!(ndcg_exponential_at_k(&ranking, &grades, 10), 1.0);
    }
}
