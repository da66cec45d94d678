//! How far a figure may be trusted: intervals of a mean, and whether two runs over the same questions differ
//! by more than chance.
//!
//! Two runs are given as `left` and `right`, one value for each question in the same order. Differences
//! are right less left, so that above 0 means that `right` is better.

mod bootstrap;
mod logistic;
mod paired;
mod random_numbers;
mod student;

pub use bootstrap::{Interval, bootstrap_mean};
pub use logistic::{LogisticModel, StandardisedWeight, area_under_roc, expected_calibration_error};
pub use paired::{Effect, effect, paired_randomisation_test};
pub use student::{TTest, paired_t_test};

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn are_finite(values: &[f64]) -> bool {
    values.iter().all(|value| value.is_finite())
}

/// Right less left. `None` unless both sides have the same number of values, at least one, all finite.
fn differences(left: &[f64], right: &[f64]) -> Option<Vec<f64>> {
    let is_paired = left.len() == right.len() && !left.is_empty();
    let differences: Vec<f64> = left.iter().zip(right).map(|(left, right)| right - left).collect();
    (is_paired && are_finite(&differences)).then_some(differences)
}
