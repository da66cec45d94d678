//! Our statistics against scipy's. `reference/make_statistics.py` made the numbers.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use adit_eval::statistics::{bootstrap_mean, effect, paired_randomisation_test, paired_t_test};
use serde::Deserialize;

#[derive(Deserialize)]
struct Reference {
    pairs: Vec<Pairs>,
    intervals: Vec<Sample>,
}

#[derive(Deserialize)]
struct Pairs {
    left: Vec<f64>,
    right: Vec<f64>,
    t: f64,
    degrees_of_freedom: usize,
    p_t: f64,
    /// Over all assignments of signs, where there are few enough.
    p_exact: Option<f64>,
}

#[derive(Deserialize)]
struct Sample {
    values: Vec<f64>,
    confidence: f64,
    mean: f64,
    low: f64,
    high: f64,
    standard_error: f64,
}

fn reference() -> Reference {
    serde_json::from_str(include_str!("reference/statistics.json")).unwrap()
}

fn is_close(ours: f64, expected: f64) -> bool {
    (ours - expected).abs() <= 1e-9 * expected.abs()
}

#[test]
fn paired_t_tests_agree() {
    for pairs in reference().pairs {
        let test = paired_t_test(&pairs.left, &pairs.right).unwrap();
        assert_eq!(test.degrees_of_freedom, pairs.degrees_of_freedom);
        assert!(is_close(test.t, pairs.t), "t: {} against {}", test.t, pairs.t);
        assert!(is_close(test.p_value, pairs.p_t), "p: {} against {}", test.p_value, pairs.p_t);
        let turned = paired_t_test(&pairs.right, &pairs.left).unwrap();
        assert_eq!((turned.t, turned.p_value), (-test.t, test.p_value));
    }
}

#[test]
fn exact_randomisation_tests_agree() {
    let mut compared = 0;
    for pairs in reference().pairs.iter().filter(|pairs| pairs.left.len() <= 12) {
        let p = paired_randomisation_test(&pairs.left, &pairs.right, 1, 0).unwrap();
        let expected = pairs.p_exact.unwrap();
        assert!((p - expected).abs() < 1e-12, "{p} against {expected}");
        compared += 1;
    }
    assert_eq!(compared, 15);
}

#[test]
fn sampled_randomisation_tests_come_near_the_exact_value() {
    let permutations = 20_000;
    for pairs in reference().pairs.iter().filter(|pairs| pairs.left.len() == 20) {
        let exact = pairs.p_exact.unwrap();
        let standard_error = (exact * (1.0 - exact) / f64::from(permutations)).sqrt();
        for seed in 0..3 {
            let p =
                paired_randomisation_test(&pairs.left, &pairs.right, permutations as usize, seed).unwrap();
            assert!((p - exact).abs() < 4.0 * standard_error + 1.0 / f64::from(permutations), "{p}, {exact}");
            let again =
                paired_randomisation_test(&pairs.left, &pairs.right, permutations as usize, seed).unwrap();
            assert_eq!(p.to_bits(), again.to_bits());
        }
    }
}

#[test]
fn bootstrap_intervals_come_near_those_of_many_draws() {
    for sample in reference().intervals {
        let ours = bootstrap_mean(&sample.values, 20_000, sample.confidence, 11).unwrap();
        assert!(is_close(ours.mean, sample.mean));
        // Ends of 20 000 draws stray by about 0.02 standard errors; whole steps of a coarse sample add to it.
        let slack = sample.standard_error * 0.08;
        assert!((ours.low - sample.low).abs() < slack, "{} against {}", ours.low, sample.low);
        assert!((ours.high - sample.high).abs() < slack, "{} against {}", ours.high, sample.high);
    }
}

#[test]
fn effects_are_of_the_right_against_the_left() {
    for pairs in reference().pairs {
        let effect = effect(&pairs.left, &pairs.right).unwrap();
        assert_eq!(effect.wins + effect.losses + effect.ties, pairs.left.len());
        assert_eq!(effect.mean_difference > 0.0, pairs.t > 0.0);
    }
}
