//! Against LightGBM 4.7.0's `lambdarank` on the same data with the same settings; `oracle.py` beside this file
//! prints the figures.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use adit_learn::{JudgedRows, TrainingSettings, train};

const NAMES: [&str; 3] = ["one", "two", "three"];
const ROWS: u64 = 20;

/// The finaliser of splitmix64.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

fn question(number: u64) -> JudgedRows {
    let mut question = JudgedRows::default();
    for row in 0..ROWS {
        let place = (number * ROWS + row) * 4;
        let values: Vec<u64> = (0..3).map(|feature| mix(place + feature) % 64).collect();
        let hidden = values[0] + 2 * (values[1] % 16) + mix(place + 3) % 40;
        question.rows.push(values.iter().map(|value| *value as f32).collect());
        question.grades.push(if hidden > 105 { 2 } else { u32::from(hidden > 85) });
    }
    question
}

fn questions() -> (Vec<JudgedRows>, Vec<JudgedRows>) {
    ((0..40).map(question).collect(), (40..60).map(question).collect())
}

fn settings(trees: usize) -> TrainingSettings {
    TrainingSettings {
        trees,
        leaves: 8,
        learning_rate: 0.05,
        min_rows_in_leaf: 1,
        min_hessian_in_leaf: 0.5,
        l2: 1.0,
        truncation: 20,
    }
}

/// Mean nDCG@10 with gain 2^grade - 1, questions without a good row left out.
fn ndcg(questions: &[JudgedRows], score: impl Fn(&[f32]) -> f64) -> f64 {
    let total = |grades: &[u32]| -> f64 {
        let gains = grades.iter().take(10).enumerate();
        gains.map(|(place, grade)| (f64::from(*grade).exp2() - 1.0) / ((place + 2) as f64).log2()).sum()
    };
    let mut values = Vec::new();
    for question in questions {
        let mut order: Vec<usize> = (0..question.rows.len()).collect();
        order.sort_by(|left, right| score(&question.rows[*right]).total_cmp(&score(&question.rows[*left])));
        let ranked: Vec<u32> = order.iter().map(|row| question.grades[*row]).collect();
        let mut ideal = question.grades.clone();
        ideal.sort_unstable_by(|left, right| right.cmp(left));
        if total(&ideal) > 0.0 {
            values.push(total(&ranked) / total(&ideal));
        }
    }
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn the_data_are_those_of_the_script() {
    let first = question(0);
    assert_eq!(first.rows[..2], [vec![47.0, 1.0, 14.0], vec![10.0, 26.0, 0.0]]);
    let (train, _) = questions();
    let count = |grade: u32| train.iter().flat_map(|one| &one.grades).filter(|one| **one == grade).count();
    assert_eq!([0, 1, 2].map(count), [634, 130, 36]);
}

#[test]
fn the_first_tree_is_lightgbms() {
    let (training, _) = questions();
    let ranker = train(&NAMES, &training, &settings(1)).unwrap();
    let expected = [
        [-0.016_760_141, -0.088_605_808, 0.069_903_51, -0.088_605_808, -0.088_605_808, -0.088_605_808],
        [0.069_903_51, -0.088_605_808, -0.029_766_281, 0.020_694_26, -0.043_348_549, -0.088_605_808],
    ];
    for (question, expected) in training.iter().zip(expected) {
        for (row, expected) in question.rows.iter().zip(expected) {
            let found = ranker.score(row);
            assert!((found - expected).abs() < 1e-4, "{found} and {expected}");
        }
    }
}

#[test]
fn a_hundred_trees_rank_as_well() {
    let (training, unseen) = questions();
    let ranker = train(&NAMES, &training, &settings(100)).unwrap();
    let (seen, unseen) = (ndcg(&training, |row| ranker.score(row)), ndcg(&unseen, |row| ranker.score(row)));
    assert!((seen - 0.952_380).abs() < 0.01, "on the training data {seen}");
    assert!((unseen - 0.806_163).abs() < 0.02, "on others {unseen}");
}
