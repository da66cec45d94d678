use crate::bins::FeatureBins;
use crate::grow::{BinnedRows, grow};
use crate::lambda::gradients;
use crate::{LearnError, Ranker};

/// Most trees, leaves of a tree, and rows altogether: far more than a golden set can teach.
const MOST_TREES: usize = 10_000;
const MOST_LEAVES: usize = 255;
const MOST_ROWS: usize = 20_000_000;

/// The candidates of one question as numbers, with how good each is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JudgedRows {
    /// `[candidate][feature]`; every value finite.
    pub rows: Vec<Vec<f32>>,
    /// One grade a candidate, 0 for one that is no answer.
    pub grades: Vec<u32>,
}

/// How trees are grown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TrainingSettings {
    /// How many trees.
    pub trees: usize,
    /// Most leaves of a tree.
    pub leaves: usize,
    /// How much of each tree's values counts.
    pub learning_rate: f64,
    /// Fewest rows of a leaf.
    pub min_rows_in_leaf: usize,
    /// Smallest sum of second derivatives of a leaf.
    pub min_hessian_in_leaf: f64,
    /// Draws the values of leaves to 0.
    pub l2: f64,
    /// Places of the ranking that pairs must touch.
    pub truncation: usize,
}

impl Default for TrainingSettings {
    /// Small trees and a slow rate: golden sets have hundreds of questions, not millions.
    fn default() -> Self {
        Self {
            trees: 100,
            leaves: 8,
            learning_rate: 0.05,
            min_rows_in_leaf: 50,
            min_hessian_in_leaf: 1e-3,
            l2: 1.0,
            truncation: 20,
        }
    }
}

/// Trains a ranker on the candidates of judged questions. The same rows give the same ranker.
///
/// # Errors
/// [`LearnError::Training`] for rows of different lengths, values that are no numbers, settings out of range,
/// and questions that have nothing to tell apart.
pub fn train(
    feature_names: &[&str],
    questions: &[JudgedRows],
    settings: &TrainingSettings,
) -> Result<Ranker, LearnError> {
    check(feature_names, questions, settings)?;
    let data = binned(feature_names.len(), questions);
    let all = || questions.iter().flat_map(|question| &question.rows);
    let mut scores: Vec<Vec<f64>> = questions.iter().map(|question| vec![0.0; question.rows.len()]).collect();
    let mut trees = Vec::with_capacity(settings.trees);
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for _ in 0..settings.trees {
        first.clear();
        second.clear();
        for (question, scores) in questions.iter().zip(&scores) {
            let found = gradients(&question.grades, scores, settings.truncation);
            first.extend(found.first);
            second.extend(found.second);
        }
        let Some(tree) = grow(&data, &first, &second, settings) else { break };
        for (score, row) in scores.iter_mut().flatten().zip(all()) {
            *score += tree.value(row);
        }
        trees.push(tree);
    }
    if trees.is_empty() {
        let detail = "no split of any feature tells good candidates from others".to_owned();
        return Err(LearnError::Training { detail });
    }
    Ok(Ranker::new(feature_names, trees))
}

fn check(
    feature_names: &[&str],
    questions: &[JudgedRows],
    settings: &TrainingSettings,
) -> Result<(), LearnError> {
    let refuse = |detail: String| Err(LearnError::Training { detail });
    let TrainingSettings { trees, leaves, learning_rate, l2, min_hessian_in_leaf, truncation, .. } =
        *settings;
    if !(1..=MOST_TREES).contains(&trees) || !(2..=MOST_LEAVES).contains(&leaves) || truncation == 0 {
        return refuse(format!(
            "{trees} trees of {leaves} leaves at truncation {truncation} cannot be grown"
        ));
    }
    if !(learning_rate > 0.0 && learning_rate <= 1.0 && l2 >= 0.0 && min_hessian_in_leaf >= 0.0) {
        return refuse("the learning rate, l2 or the smallest leaf is out of range".to_owned());
    }
    let rows: usize = questions.iter().map(|question| question.rows.len()).sum();
    if rows == 0 || rows > MOST_ROWS {
        return refuse(format!("{rows} candidates; expected 1 to {MOST_ROWS}"));
    }
    for (number, question) in questions.iter().enumerate() {
        if question.rows.len() != question.grades.len() {
            return refuse(format!("question {number} has not one grade a candidate"));
        }
        let is_sound =
            |row: &Vec<f32>| row.len() == feature_names.len() && row.iter().all(|one| one.is_finite());
        if !question.rows.iter().all(is_sound) {
            return refuse(format!("question {number} has a candidate with missing or infinite features"));
        }
    }
    Ok(())
}

fn binned(features: usize, questions: &[JudgedRows]) -> BinnedRows {
    let column = |feature: usize| {
        let rows = questions.iter().flat_map(|question| &question.rows);
        rows.map(move |row| row.get(feature).copied().unwrap_or_default()).collect::<Vec<f32>>()
    };
    let mut data = BinnedRows { bins: Vec::with_capacity(features), columns: Vec::with_capacity(features) };
    for feature in 0..features {
        let values = column(feature);
        let bins = FeatureBins::new(values.clone());
        data.columns.push(values.into_iter().map(|value| bins.bin_of(value)).collect());
        data.bins.push(bins);
    }
    data
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn learns_which_of_two_features_counts() {
        let question = |seed: u32| {
            let rows: Vec<Vec<f32>> = (0..20_u32)
                .map(|row| vec![((row * 7 + seed) % 20) as f32, ((row * 3 + seed) % 5) as f32])
                .collect();
            let grades = rows.iter().map(|row| u32::from(row[0] > 16.0)).collect();
            JudgedRows { rows, grades }
        };
        let questions: Vec<JudgedRows> = (0..30).map(question).collect();
        let settings = TrainingSettings { min_rows_in_leaf: 5, ..TrainingSettings::default() };
        let ranker = train(&["good", "noise"], &questions, &settings).unwrap();
        assert!(ranker.score(&[18.0, 0.0]) > ranker.score(&[3.0, 4.0]));
        assert_eq!(train(&["good", "noise"], &questions, &settings).unwrap(), ranker);
    }

    #[test]
    fn what_cannot_be_learnt_from_is_refused() {
        let question = |rows: Vec<Vec<f32>>, grades: &[u32]| JudgedRows { rows, grades: grades.to_vec() };
        for bad in [
            vec![],
            vec![question(vec![vec![1.0]], &[1, 0])],
            vec![question(vec![vec![f32::NAN], vec![1.0]], &[1, 0])],
            vec![question(vec![vec![1.0, 2.0], vec![1.0, 2.0]], &[1, 0])],
            vec![question(vec![vec![1.0], vec![1.0]], &[1, 0])],
            vec![question(vec![vec![1.0], vec![2.0]], &[0, 0])],
        ] {
            assert!(train(&["one"], &bad, &TrainingSettings::default()).is_err(), "{bad:?}");
        }
    }
}
