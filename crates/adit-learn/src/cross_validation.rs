use crate::{JudgedRows, LearnError, TrainingSettings, train};

/// Scores every question's rows by a ranker that was trained on the questions of the other folds, so that no
/// question is scored by what was learnt from it. `folds` names each question's fold; questions that share
/// documents belong into one fold.
///
/// # Errors
/// [`LearnError::Training`] for fewer than two folds, not one fold a question, or folds that nothing can be
/// learnt from.
pub fn cross_validated_scores(
    feature_names: &[&str],
    questions: &[JudgedRows],
    folds: &[usize],
    settings: &TrainingSettings,
) -> Result<Vec<Vec<f64>>, LearnError> {
    let refuse = |detail: &str| Err(LearnError::Training { detail: detail.to_owned() });
    if folds.len() != questions.len() {
        return refuse("there is not one fold a question");
    }
    let mut used = folds.to_vec();
    used.sort_unstable();
    used.dedup();
    if used.len() < 2 {
        return refuse("cross-validation needs questions in at least two folds");
    }
    let mut scores = vec![Vec::new(); questions.len()];
    for fold in used {
        let of_others = questions.iter().zip(folds).filter(|(_, own)| **own != fold);
        let others: Vec<JudgedRows> = of_others.map(|(question, _)| question.clone()).collect();
        let ranker = train(feature_names, &others, settings)?;
        for ((slot, question), own) in scores.iter_mut().zip(questions).zip(folds) {
            if *own == fold {
                *slot = question.rows.iter().map(|row| ranker.score(row)).collect();
            }
        }
    }
    Ok(scores)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The label is a coin flip that only the row's own number gives away: nothing to learn across questions.
    fn noise(question: u32) -> JudgedRows {
        let value = |row: u32| (question * 31 + row * 17) % 97;
        let rows = (0..12).map(|row| vec![value(row) as f32]).collect();
        let grades = (0..12)
            .map(|row| u32::from((value(row) * 7919 + question * 104_729).is_multiple_of(5)))
            .collect();
        JudgedRows { rows, grades }
    }

    #[test]
    fn each_question_is_scored_by_the_other_folds() {
        let questions: Vec<JudgedRows> = (0..20).map(noise).collect();
        let folds: Vec<usize> = (0..20).map(|index| index % 4).collect();
        let settings = TrainingSettings { min_rows_in_leaf: 3, trees: 20, ..TrainingSettings::default() };
        let scores = cross_validated_scores(&["x"], &questions, &folds, &settings).unwrap();
        let others: Vec<JudgedRows> = questions
            .iter()
            .zip(&folds)
            .filter(|(_, fold)| **fold != 2)
            .map(|(one, _)| one.clone())
            .collect();
        let ranker = train(&["x"], &others, &settings).unwrap();
        let expected: Vec<f64> = questions[6].rows.iter().map(|row| ranker.score(row)).collect();
        assert_eq!(scores[6], expected);
        assert!(scores.iter().all(|one| one.len() == 12));
    }

    #[test]
    fn one_fold_is_refused() {
        let questions: Vec<JudgedRows> = (0..3).map(noise).collect();
        let settings = TrainingSettings::default();
        assert!(cross_validated_scores(&["x"], &questions, &[1, 1, 1], &settings).is_err());
        assert!(cross_validated_scores(&["x"], &questions, &[0, 1], &settings).is_err());
    }
}
