//! The gradients of LambdaMART.

/// Where scores are equal at the start, no difference is divided by.
const SCORE_GAP_SMOOTHING: f64 = 0.01;

/// First and second derivatives for each row of one question.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Gradients {
    pub(crate) first: Vec<f64>,
    pub(crate) second: Vec<f64>,
}

/// The gain of a grade: `2^grade - 1`.
fn gain(grade: u32) -> f64 {
    f64::from(grade.min(30)).exp2() - 1.0
}

/// The discount of a place, from 0.
fn discount(place: usize) -> f64 {
    1.0 / ((place + 2) as f64).log2()
}

/// Burges (2010): every pair of rows with different grades pulls the better one up and the other one down,
/// by how wrongly it stands now times what exchanging the two changes in nDCG. Pairs of which neither row
/// stands among the first `truncation` are left out. As `LightGBM` does by default, a pair's weight is divided
/// by the distance of its scores, and a question's sum of weights `s` is scaled to `log2(1 + s)`, so that
/// questions with many pairs do not outweigh the others.
pub(crate) fn gradients(grades: &[u32], scores: &[f64], truncation: usize) -> Gradients {
    let count = grades.len();
    let mut result = Gradients { first: vec![0.0; count], second: vec![0.0; count] };
    let Some(inverse_ideal) = inverse_ideal(grades, truncation) else { return result };
    let score = |row: usize| scores.get(row).copied().unwrap_or_default();
    let grade = |row: usize| grades.get(row).copied().unwrap_or_default();
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|left, right| score(*right).total_cmp(&score(*left)));
    let best = order.first().map_or(0.0, |row| score(*row));
    let worst = order.last().map_or(0.0, |row| score(*row));
    let mut sum = 0.0;
    for (place, row) in order.iter().enumerate().take(truncation) {
        for (other_place, other) in order.iter().enumerate().skip(place + 1) {
            if grade(*row) == grade(*other) {
                continue;
            }
            let (high, low) = if grade(*row) > grade(*other) { (*row, *other) } else { (*other, *row) };
            let distance = score(high) - score(low);
            let mut weight = (gain(grade(high)) - gain(grade(low)))
                * (discount(place) - discount(other_place)).abs()
                * inverse_ideal;
            if best != worst {
                weight /= SCORE_GAP_SMOOTHING + distance.abs();
            }
            let wrongness = 1.0 / (1.0 + distance.exp());
            let pull = wrongness * weight;
            let curvature = wrongness * (1.0 - wrongness) * weight;
            add(&mut result.first, high, -pull);
            add(&mut result.first, low, pull);
            add(&mut result.second, high, curvature);
            add(&mut result.second, low, curvature);
            sum += 2.0 * pull;
        }
    }
    if sum > 0.0 {
        let scale = (1.0 + sum).log2() / sum;
        result.first.iter_mut().chain(&mut result.second).for_each(|value| *value *= scale);
    }
    result
}

fn add(values: &mut [f64], row: usize, value: f64) {
    if let Some(slot) = values.get_mut(row) {
        *slot += value;
    }
}

/// 1 / DCG of the best order at `truncation`; `None` where no row is better than another or none is good.
fn inverse_ideal(grades: &[u32], truncation: usize) -> Option<f64> {
    let mut sorted = grades.to_vec();
    sorted.sort_unstable_by(|left, right| right.cmp(left));
    let ideal: f64 =
        sorted.iter().take(truncation).enumerate().map(|(place, grade)| gain(*grade) * discount(place)).sum();
    (ideal > 0.0).then(|| 1.0 / ideal)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_rows_pull_apart() {
        // Equal scores: wrongness 1/2; ideal 1; the exchange changes 1 - 1/log2(3).
        let weight = 1.0 - 1.0 / 3.0_f64.log2();
        let scale = (1.0 + weight).log2() / weight;
        let found = gradients(&[0, 1], &[0.0, 0.0], 30);
        assert!((found.first[1] + 0.5 * weight * scale).abs() < 1e-12);
        assert_eq!(found.first[0], -found.first[1]);
        assert!((found.second[0] - 0.25 * weight * scale).abs() < 1e-12);
    }

    #[test]
    fn rows_of_one_grade_say_nothing() {
        for grades in [[0, 0, 0], [2, 2, 2]] {
            assert!(gradients(&grades, &[0.3, 0.1, 0.2], 30).first.iter().all(|one| *one == 0.0));
        }
    }

    #[test]
    fn pairs_beyond_the_truncation_are_left_out() {
        let found = gradients(&[0, 0, 1, 0], &[4.0, 3.0, 2.0, 1.0], 2);
        assert_eq!(found.first[3], 0.0);
        assert!(found.first[2] < 0.0 && found.first[0] > 0.0 && found.first[1] > 0.0);
    }
}
