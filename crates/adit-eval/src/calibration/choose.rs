use std::collections::BTreeMap;

use adit_core::CalibrationCurve;
use serde::{Deserialize, Serialize};

use super::LabelledScore;
use super::isotonic::isotonic_regression;
use super::platt::platt_scaling;
use super::reliability::{Prediction, Reliability, reliability};
use crate::EvalError;

/// Parts of a cross-validation.
const FOLDS: usize = 5;
/// Fewer passages of either kind give no curve worth its name.
const LEAST_OF_EACH_KIND: usize = 20;

/// A way from scores to probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CalibrationMethod {
    /// Log-odds linear in the score: two numbers.
    Platt,
    /// Any rising curve.
    Isotonic,
}

impl CalibrationMethod {
    fn fit(self, data: &[LabelledScore]) -> Option<CalibrationCurve> {
        match self {
            Self::Platt => {
                let (slope, intercept) = platt_scaling(data)?;
                // A score that falls with relevance has no calibration that keeps its order.
                (slope >= 0.0).then_some(CalibrationCurve::Platt { slope, intercept })
            }
            Self::Isotonic => {
                // A block of few passages says 0 or 1; drawn in as Laplace's rule does it for all of them.
                let least = 1.0 / (data.len() as f64 + 2.0);
                let points = isotonic_regression(data);
                let (scores, probabilities): (Vec<f64>, Vec<f64>) =
                    points.into_iter().map(|(score, share)| (score, share.clamp(least, 1.0 - least))).unzip();
                (!scores.is_empty()).then_some(CalibrationCurve::Isotonic { scores, probabilities })
            }
        }
    }
}

/// A method on passages that its fit had not seen.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct HeldOut {
    /// The method.
    pub method: CalibrationMethod,
    /// Every passage predicted by a curve that was fitted on other questions.
    pub reliability: Reliability,
}

/// The better curve, and what it was chosen by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ChosenCalibration {
    /// Its method.
    pub method: CalibrationMethod,
    /// Fitted on all data.
    pub curve: CalibrationCurve,
    /// Both methods held out, the chosen one first.
    pub held_out: Vec<HeldOut>,
    /// Log loss of always saying the share of relevant passages: what a curve must beat to be of use.
    pub base_log_loss: f64,
    /// Passages.
    pub pairs: usize,
    /// Relevant ones.
    pub relevant: usize,
    /// Questions.
    pub questions: usize,
}

/// Fits both methods, and takes the one with the lower held-out log loss in a cross-validation whose parts have
/// no question in common: the passages of a question resemble each other.
///
/// # Errors
/// [`EvalError::TooFewLabels`], [`EvalError::NoSignal`] where scores say nothing about relevance.
pub fn choose_calibration(data: &[LabelledScore]) -> Result<ChosenCalibration, EvalError> {
    let data: Vec<LabelledScore> = data.iter().filter(|one| one.score.is_finite()).copied().collect();
    let relevant = data.iter().filter(|one| one.is_relevant).count();
    let other = data.len() - relevant;
    let folds = folds_by_question(&data);
    let questions = folds.len();
    if relevant.min(other) < LEAST_OF_EACH_KIND || questions < FOLDS {
        return Err(EvalError::TooFewLabels {
            relevant,
            other,
            questions,
            needed: LEAST_OF_EACH_KIND,
            needed_questions: FOLDS,
        });
    }
    let mut held_out = Vec::new();
    for method in [CalibrationMethod::Platt, CalibrationMethod::Isotonic] {
        let Some(predictions) = predict_held_out(method, &data, &folds) else { continue };
        held_out.extend(reliability(&predictions).map(|reliability| HeldOut { method, reliability }));
    }
    held_out.sort_by(|left, right| left.reliability.log_loss.total_cmp(&right.reliability.log_loss));
    let best = held_out.first().ok_or(EvalError::NoSignal)?;
    let share = relevant as f64 / data.len() as f64;
    let base_log_loss = -(share * share.ln() + (1.0 - share) * (1.0 - share).ln());
    if best.reliability.log_loss >= base_log_loss {
        return Err(EvalError::NoSignal);
    }
    let method = best.method;
    let curve = method.fit(&data).ok_or(EvalError::NoSignal)?;
    Ok(ChosenCalibration { method, curve, held_out, base_log_loss, pairs: data.len(), relevant, questions })
}

/// The fold of every question, dealt out in the order of their numbers.
fn folds_by_question(data: &[LabelledScore]) -> BTreeMap<usize, usize> {
    let mut questions: Vec<usize> = data.iter().map(|one| one.question).collect();
    questions.sort_unstable();
    questions.dedup();
    questions.into_iter().enumerate().map(|(place, question)| (question, place % FOLDS)).collect()
}

fn predict_held_out(
    method: CalibrationMethod,
    data: &[LabelledScore],
    folds: &BTreeMap<usize, usize>,
) -> Option<Vec<Prediction>> {
    let mut predictions = Vec::with_capacity(data.len());
    for fold in 0..FOLDS {
        let is_held_out = |one: &&LabelledScore| folds.get(&one.question) == Some(&fold);
        let seen: Vec<LabelledScore> = data.iter().filter(|one| !is_held_out(one)).copied().collect();
        let curve = method.fit(&seen)?;
        predictions.extend(data.iter().filter(is_held_out).map(|one| Prediction {
            probability: curve.probability(one.score),
            is_relevant: one.is_relevant,
        }));
    }
    Some(predictions)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Knuth's linear congruential generator, its upper bits as a number from 0 to 1.
    struct UniformNumbers(u64);

    impl UniformNumbers {
        fn draw(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 11) as f64 / (1_u64 << 53) as f64
        }
    }

    /// `count` passages of 40 questions whose relevance has the probability that `truth` gives for the score.
    fn drawn(count: usize, truth: impl Fn(f64) -> f64) -> Vec<LabelledScore> {
        let mut numbers = UniformNumbers(7);
        let mut one = |at: usize| {
            let score = numbers.draw();
            LabelledScore { question: at % 40, score, is_relevant: numbers.draw() < truth(score) }
        };
        (0..count).map(&mut one).collect()
    }

    #[test]
    fn the_method_that_fits_the_truth_is_chosen() {
        let logistic = drawn(3_000, |score| 1.0 / (1.0 + (-(8.0 * score - 5.0)).exp()));
        let chosen = choose_calibration(&logistic).unwrap();
        assert_eq!(chosen.method, CalibrationMethod::Platt);
        let CalibrationCurve::Platt { slope, intercept } = chosen.curve else { panic!("Platt") };
        assert!((slope - 8.0).abs() < 1.0 && (intercept + 5.0).abs() < 0.7, "{slope} {intercept}");
        // A step in the middle is no logistic curve.
        let step = drawn(3_000, |score| if score < 0.5 { 0.1 } else { 0.6 });
        let chosen = choose_calibration(&step).unwrap();
        assert_eq!(chosen.method, CalibrationMethod::Isotonic);
        assert!((chosen.curve.probability(0.2) - 0.1).abs() < 0.05);
        assert!((chosen.curve.probability(0.8) - 0.6).abs() < 0.07);
        assert!(chosen.held_out[0].reliability.expected_calibration_error < 0.04);
    }

    #[test]
    fn scores_without_signal_and_too_few_labels_are_refused() {
        assert!(matches!(choose_calibration(&drawn(500, |_| 0.3)), Err(EvalError::NoSignal)));
        assert!(matches!(choose_calibration(&drawn(500, |score| 1.0 - score)), Err(EvalError::NoSignal)));
        assert!(matches!(choose_calibration(&drawn(30, |score| score)), Err(EvalError::TooFewLabels { .. })));
    }

    #[test]
    fn no_question_stands_on_both_sides() {
        let data = drawn(400, |score| score);
        let folds = folds_by_question(&data);
        assert_eq!(folds.len(), 40);
        assert!((0..FOLDS).all(|fold| folds.values().filter(|of| **of == fold).count() == 8));
    }
}
