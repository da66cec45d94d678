use serde::{Deserialize, Serialize};

/// Newton steps; the fit of a few thousand examples needs fewer than ten.
const MOST_STEPS: usize = 50;
/// A step that changes no weight by more ends the fit.
const SMALLEST_STEP: f64 = 1e-9;

/// A logistic regression over standardised features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogisticModel {
    /// Logit at the mean of every feature.
    pub intercept: f64,
    /// Mean, deviation and weight of each feature.
    pub features: Vec<StandardisedWeight>,
}

/// What one feature counts.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct StandardisedWeight {
    /// Mean over the examples.
    pub mean: f64,
    /// Deviation; 1 for a feature that never varies.
    pub deviation: f64,
    /// What a deviation adds to the logit.
    pub weight: f64,
}

impl LogisticModel {
    /// Fits labels to rows of equal length by Newton's method with a ridge penalty on the weights (le Cessie and
    /// van Houwelingen 1992). Every example counts `weights[i]`. None where both labels do not occur, or the
    /// lengths differ.
    #[must_use]
    pub fn fit(rows: &[Vec<f64>], labels: &[bool], weights: &[f64], ridge: f64) -> Option<Self> {
        let width = rows.first()?.len();
        let is_even = rows.len() == labels.len() && rows.len() == weights.len();
        if !is_even
            || rows.iter().any(|row| row.len() != width)
            || labels.iter().all(|label| *label == labels.first().copied().unwrap_or_default())
        {
            return None;
        }
        let scales: Vec<(f64, f64)> = (0..width).map(|column| scale(rows, column)).collect();
        let standard: Vec<Vec<f64>> = rows.iter().map(|row| standardised(row, &scales)).collect();
        let mut beta = vec![0.0; width + 1];
        for _ in 0..MOST_STEPS {
            let step = newton_step(&standard, labels, weights, ridge, &beta)?;
            let largest = step.iter().fold(0.0_f64, |most, change| most.max(change.abs()));
            for (value, change) in beta.iter_mut().zip(&step) {
                *value += change;
            }
            if largest < SMALLEST_STEP {
                break;
            }
        }
        let (intercept, rest) = beta.split_first()?;
        let features = scales.iter().zip(rest);
        let features = features.map(|((mean, deviation), weight)| StandardisedWeight {
            mean: *mean,
            deviation: *deviation,
            weight: *weight,
        });
        Some(Self { intercept: *intercept, features: features.collect() })
    }

    /// The probability of a row.
    #[must_use]
    pub fn probability(&self, row: &[f64]) -> f64 {
        let sum: f64 = self
            .features
            .iter()
            .zip(row)
            .map(|(feature, value)| feature.weight * (value - feature.mean) / feature.deviation)
            .sum();
        1.0 / (1.0 + (-(self.intercept + sum)).exp())
    }
}

fn scale(rows: &[Vec<f64>], column: usize) -> (f64, f64) {
    let values = || rows.iter().filter_map(|row| row.get(column));
    let count = rows.len() as f64;
    let mean = values().sum::<f64>() / count;
    let variance = values().map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    let deviation = variance.sqrt();
    (mean, if deviation > 1e-12 { deviation } else { 1.0 })
}

fn standardised(row: &[f64], scales: &[(f64, f64)]) -> Vec<f64> {
    let rest = row.iter().zip(scales).map(|(value, (mean, deviation))| (value - mean) / deviation);
    std::iter::once(1.0).chain(rest).collect()
}

fn newton_step(
    rows: &[Vec<f64>],
    labels: &[bool],
    weights: &[f64],
    ridge: f64,
    beta: &[f64],
) -> Option<Vec<f64>> {
    let width = beta.len();
    let mut gradient: Vec<f64> =
        beta.iter().enumerate().map(|(at, value)| if at == 0 { 0.0 } else { -ridge * value }).collect();
    let mut hessian: Vec<Vec<f64>> = (0..width)
        .map(|at| {
            (0..width)
                .map(|other| if at == other { if at == 0 { 1e-9 } else { ridge } } else { 0.0 })
                .collect()
        })
        .collect();
    for ((row, label), weight) in rows.iter().zip(labels).zip(weights) {
        let logit: f64 = row.iter().zip(beta).map(|(value, beta)| value * beta).sum();
        let probability = 1.0 / (1.0 + (-logit).exp());
        let residual = f64::from(u8::from(*label)) - probability;
        let curvature = weight * probability * (1.0 - probability);
        for ((own, value), line) in gradient.iter_mut().zip(row).zip(&mut hessian) {
            *own += weight * residual * value;
            for (cell, other) in line.iter_mut().zip(row) {
                *cell += curvature * value * other;
            }
        }
    }
    solve(hessian, gradient)
}

/// Gaussian elimination with partial pivots; none for a singular matrix.
fn solve(mut matrix: Vec<Vec<f64>>, mut right: Vec<f64>) -> Option<Vec<f64>> {
    let size = right.len();
    for column in 0..size {
        let size_at =
            |row: usize| matrix.get(row).and_then(|line| line.get(column)).map_or(0.0, |cell| cell.abs());
        let pivot = (column..size).max_by(|left, other| size_at(*left).total_cmp(&size_at(*other)))?;
        if size_at(pivot) < 1e-12 {
            return None;
        }
        matrix.swap(column, pivot);
        right.swap(column, pivot);
        let pivot_line = matrix.get(column)?.clone();
        let pivot_value = *pivot_line.get(column)?;
        let pivot_right = *right.get(column)?;
        for row in column + 1..size {
            let line = matrix.get_mut(row)?;
            let factor = line.get(column)? / pivot_value;
            for (cell, above) in line.iter_mut().zip(&pivot_line) {
                *cell -= factor * above;
            }
            *right.get_mut(row)? -= factor * pivot_right;
        }
    }
    let mut solution = vec![0.0; size];
    for row in (0..size).rev() {
        let line = matrix.get(row)?;
        let known: f64 = line.iter().zip(&solution).skip(row + 1).map(|(cell, value)| cell * value).sum();
        *solution.get_mut(row)? = (right.get(row)? - known) / line.get(row)?;
    }
    Some(solution)
}

/// The probability that a positive example scores above a negative one, ties counting half (Hanley and McNeil
/// 1982). None where one label is missing.
#[must_use]
pub fn area_under_roc(scores: &[f64], labels: &[bool]) -> Option<f64> {
    let mut order: Vec<(f64, bool)> = scores.iter().copied().zip(labels.iter().copied()).collect();
    order.sort_by(|left, right| left.0.total_cmp(&right.0));
    let positives = order.iter().filter(|(_, label)| *label).count();
    let negatives = order.len() - positives;
    if positives == 0 || negatives == 0 {
        return None;
    }
    let (mut below, mut wins) = (0_usize, 0.0);
    for group in order.chunk_by(|left, right| left.0 == right.0) {
        let above = group.iter().filter(|(_, label)| *label).count();
        let tied = group.len() - above;
        wins += above as f64 * (below as f64 + tied as f64 / 2.0);
        below += tied;
    }
    Some(wins / (positives as f64 * negatives as f64))
}

/// The mean gap between probability and share of positives over ten bins of equal width, weighted by their size
/// (Naeini et al. 2015, expected calibration error).
#[must_use]
pub fn expected_calibration_error(probabilities: &[f64], labels: &[bool]) -> f64 {
    const BINS: usize = 10;
    let mut bins = [(0.0, 0.0, 0.0); BINS];
    for (probability, label) in probabilities.iter().zip(labels) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share times ten")]
        let place = ((probability.clamp(0.0, 1.0) * BINS as f64) as usize).min(BINS - 1);
        if let Some((count, sum, positives)) = bins.get_mut(place) {
            *count += 1.0;
            *sum += probability;
            *positives += f64::from(u8::from(*label));
        }
    }
    let all: f64 = bins.iter().map(|(count, _, _)| count).sum();
    let gap: f64 = bins.iter().map(|(_, sum, positives)| (sum - positives).abs()).sum();
    if all > 0.0 { gap / all } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_without_penalty_gives_the_log_odds_of_a_binary_feature() {
        // 3 of 4 positive with the feature, 1 of 4 without: log odds ln 3 and -ln 3.
        let rows: Vec<Vec<f64>> =
            [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0].iter().map(|value| vec![*value]).collect();
        let labels = [true, true, true, false, true, false, false, false];
        let model = LogisticModel::fit(&rows, &labels, &[1.0; 8], 0.0).unwrap();
        assert!(
            (model.probability(&[1.0]) - 0.75).abs() < 1e-9
                && (model.probability(&[0.0]) - 0.25).abs() < 1e-9
        );
        assert_eq!(LogisticModel::fit(&rows, &[true; 8], &[1.0; 8], 0.0), None);
        assert_eq!(LogisticModel::fit(&rows, &labels[..3], &[1.0; 8], 0.0), None);
    }

    #[test]
    fn a_feature_that_never_varies_gets_no_weight() {
        let rows: Vec<Vec<f64>> = (0..20).map(|at| vec![f64::from(at), 5.0]).collect();
        let labels: Vec<bool> = (0..20).map(|at| at % 3 == 0 || at > 12).collect();
        let model = LogisticModel::fit(&rows, &labels, &[1.0; 20], 0.1).unwrap();
        assert!(model.features[1].weight.abs() < 1e-9 && model.features[0].weight > 0.0, "{model:?}");
    }

    #[test]
    fn area_and_error_have_their_known_values() {
        assert_eq!(area_under_roc(&[0.1, 0.4, 0.35, 0.8], &[false, false, true, true]), Some(0.75));
        assert_eq!(area_under_roc(&[0.5, 0.5], &[false, true]), Some(0.5));
        assert_eq!(area_under_roc(&[0.5], &[true]), None);
        assert!((expected_calibration_error(&[0.95, 0.95], &[true, false]) - 0.45).abs() < 1e-12);
        assert_eq!(expected_calibration_error(&[], &[]), 0.0);
    }
}
