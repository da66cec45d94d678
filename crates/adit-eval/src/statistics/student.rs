use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

use super::{differences, mean};

/// The continued fraction stops when a step changes it by less than this.
const LAST_STEP: f64 = 1e-15;
/// More than it takes near the fraction's slowest point: about the square root of the degrees of freedom.
const MOST_STEPS: u32 = 10_000;
/// Differences that spread by less than this share of the values are equal but for rounding.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Student's t test (1908) of paired values.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct TTest {
    /// Mean difference, right less left, in units of its standard error.
    pub t: f64,
    /// Pairs less one.
    pub degrees_of_freedom: usize,
    /// Two-sided: how often chance alone gives a `t` at least as far from 0.
    pub p_value: f64,
}

/// The paired t test of `right` against `left`.
///
/// `None` unless both have the same number of values, at least two, all finite; and when all differences
/// are equal, which leaves nothing to measure chance by (two questions that both gained 0.1 prove nothing).
#[must_use]
pub fn paired_t_test(left: &[f64], right: &[f64]) -> Option<TTest> {
    let differences = differences(left, right)?;
    let degrees_of_freedom = differences.len().checked_sub(1).filter(|degrees| *degrees > 0)?;
    let mean = mean(&differences);
    let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
    let deviation = (squares / degrees_of_freedom as f64).sqrt();
    let largest = left.iter().chain(right).fold(0.0, |largest: f64, value| largest.max(value.abs()));
    if !deviation.is_finite() || deviation <= ROUNDING * largest {
        return None;
    }
    let t = mean / (deviation / (differences.len() as f64).sqrt());
    Some(TTest { t, degrees_of_freedom, p_value: two_sided_p_value(t, degrees_of_freedom) })
}

/// P(|T| >= |t|) for Student's distribution is the regularised incomplete beta function
/// I_x(degrees / 2, 1 / 2) at x = degrees / (degrees + t²) (Abramowitz and Stegun 26.7.1).
fn two_sided_p_value(t: f64, degrees_of_freedom: usize) -> f64 {
    let degrees = degrees_of_freedom as f64;
    let (a, b) = (degrees / 2.0, 0.5);
    // Each by itself: 1 less the other loses the digits of the smaller one.
    let (x, complement) = (degrees / (degrees + t * t), t * t / (degrees + t * t));
    let front = x.powf(a) * complement.sqrt() / beta_of_half(degrees_of_freedom);
    // Each side of the mean has its quickly converging fraction (A&S 26.5.8, I_x(a, b) = 1 - I_1-x(b, a)).
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_fraction(complement, b, a) / b
    }
}

/// B(degrees / 2, 1 / 2), from B(1/2, 1/2) = π or B(1, 1/2) = 2 by B(a + 1, b) = B(a, b) a / (a + b).
fn beta_of_half(degrees_of_freedom: usize) -> f64 {
    let (start, first) = if degrees_of_freedom.is_multiple_of(2) { (2.0, 2) } else { (PI, 1) };
    let halves = (first..degrees_of_freedom).step_by(2).map(|twice| twice as f64 / 2.0);
    halves.fold(start, |beta, a| beta * a / (a + 0.5))
}

/// The continued fraction of the incomplete beta function (A&S 26.5.8), by Lentz's method (1976).
fn beta_fraction(x: f64, a: f64, b: f64) -> f64 {
    let away_from_zero = |value: f64| if value.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { value };
    let mut numerators = 1.0;
    let mut denominators = 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0));
    let mut fraction = denominators;
    for step in 1..MOST_STEPS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for coefficient in [even, odd] {
            denominators = 1.0 / away_from_zero(1.0 + coefficient * denominators);
            numerators = away_from_zero(1.0 + coefficient / numerators);
            change = denominators * numerators;
            fraction *= change;
        }
        if (change - 1.0).abs() < LAST_STEP {
            break;
        }
    }
    fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn critical_values_of_the_printed_tables_come_back() {
        // Two-sided 5% and 1% points of Student's distribution, as every statistics book prints them.
        let table =
            [(1, 12.706, 0.05), (4, 2.776, 0.05), (9, 3.250, 0.01), (30, 2.042, 0.05), (120, 2.617, 0.01)];
        for (degrees, t, p) in table {
            assert!((two_sided_p_value(t, degrees) - p).abs() < 5e-5, "{degrees} degrees");
        }
        assert_eq!(two_sided_p_value(0.0, 5), 1.0);
    }

    /// `tests/reference/make_statistics.py` made the numbers with scipy.
    #[test]
    fn p_values_are_those_of_scipy_from_the_middle_to_the_far_tails() {
        let reference = include_str!("../../tests/reference/student.json");
        for (t, degrees, expected) in serde_json::from_str::<Vec<(f64, usize, f64)>>(reference).unwrap() {
            let p = two_sided_p_value(t, degrees);
            assert!((p - expected).abs() <= 1e-9 * expected, "t {t}, {degrees} degrees: {p}, {expected}");
        }
    }

    #[test]
    fn one_degree_of_freedom_is_cauchys_distribution() {
        for t in [1e-6_f64, 0.1, 1.0, 3.0, 1e6] {
            let expected = 2.0 * (1.0 / t).atan() / PI;
            assert!((two_sided_p_value(t, 1) / expected - 1.0).abs() < 1e-12, "{t}");
        }
    }

    #[test]
    fn what_leaves_nothing_to_test_is_refused() {
        assert_eq!(paired_t_test(&[1.0], &[2.0]), None);
        assert_eq!(paired_t_test(&[1.0, 2.0], &[2.0]), None);
        assert_eq!(paired_t_test(&[0.1, 0.2], &[0.1, 0.2]), None);
        // Both gained 0.1 but for the last bit.
        assert_eq!(paired_t_test(&[0.1, 0.2], &[0.2, 0.3]), None);
        assert_eq!(paired_t_test(&[0.0, 0.0], &[0.0, f64::INFINITY]), None);
    }
}
