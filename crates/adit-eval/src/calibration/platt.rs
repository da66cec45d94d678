use super::LabelledScore;

/// Newton steps; a fit that has not settled by then has no finite answer.
const MOST_STEPS: usize = 100;
/// A step that improves the likelihood less than this, relative to it, is the last one.
const TOLERANCE: f64 = 1e-13;

/// Slope and intercept of log-odds that are linear in the score, with targets that are drawn in from 0 and 1 by
/// one observation of a uniform prior (Platt 1999; Newton's method as Lin, Lin and Weng 2007 write it).
/// `None` without both relevant and other passages.
pub fn platt_scaling(data: &[LabelledScore]) -> Option<(f64, f64)> {
    let relevant = data.iter().filter(|one| one.is_relevant).count() as f64;
    let other = data.len() as f64 - relevant;
    if relevant == 0.0 || other == 0.0 {
        return None;
    }
    let (high, low) = ((relevant + 1.0) / (relevant + 2.0), 1.0 / (other + 2.0));
    let target = |one: &LabelledScore| if one.is_relevant { high } else { low };
    logistic_regression(&data.iter().map(|one| (one.score, target(one))).collect::<Vec<_>>())
}

/// Slope and intercept of the greatest likelihood for `(score, target)` pairs, targets from 0 to 1; `None`
/// where there is no finite one, as with scores that part the targets perfectly.
pub fn logistic_regression(pairs: &[(f64, f64)]) -> Option<(f64, f64)> {
    let scale = Scale::of(pairs)?;
    let pairs: Vec<(f64, f64)> = pairs.iter().map(|(score, target)| (scale.apply(*score), *target)).collect();
    let mean = pairs.iter().map(|(_, target)| target).sum::<f64>() / pairs.len() as f64;
    let (mut slope, mut intercept) = (0.0, (mean / (1.0 - mean)).ln());
    let mut loss = log_loss(&pairs, slope, intercept);
    for _ in 0..MOST_STEPS {
        let (step_slope, step_intercept) = newton_step(&pairs, slope, intercept)?;
        let mut share = 1.0;
        let improved = loop {
            let (next_slope, next_intercept) =
                (slope - share * step_slope, intercept - share * step_intercept);
            let next = log_loss(&pairs, next_slope, next_intercept);
            if next <= loss {
                (slope, intercept) = (next_slope, next_intercept);
                break loss - next;
            }
            share /= 2.0;
            if share < 1e-10 {
                break 0.0;
            }
        };
        loss -= improved;
        if improved <= TOLERANCE * loss.max(1.0) {
            return scale.undo(slope, intercept);
        }
    }
    None
}

/// Scores are fitted with mean 0 and deviation 1, which keeps the equations well conditioned.
struct Scale {
    mean: f64,
    deviation: f64,
}

impl Scale {
    fn of(pairs: &[(f64, f64)]) -> Option<Self> {
        let count = pairs.len() as f64;
        let mean = pairs.iter().map(|(score, _)| score).sum::<f64>() / count;
        let variance = pairs.iter().map(|(score, _)| (score - mean).powi(2)).sum::<f64>() / count;
        let deviation = variance.sqrt();
        (deviation.is_finite() && deviation > 0.0).then_some(Self { mean, deviation })
    }

    fn apply(&self, score: f64) -> f64 {
        (score - self.mean) / self.deviation
    }

    fn undo(&self, slope: f64, intercept: f64) -> Option<(f64, f64)> {
        let (slope, intercept) = (slope / self.deviation, intercept - slope * self.mean / self.deviation);
        (slope.is_finite() && intercept.is_finite()).then_some((slope, intercept))
    }
}

/// Of both parameters, from gradient and Hessian.
fn newton_step(pairs: &[(f64, f64)], slope: f64, intercept: f64) -> Option<(f64, f64)> {
    let (mut by_slope, mut by_intercept) = (0.0, 0.0);
    let (mut slope_slope, mut slope_intercept, mut intercept_intercept) = (0.0, 0.0, 0.0);
    for (score, target) in pairs {
        let share = sigmoid(slope * score + intercept);
        by_slope += (share - target) * score;
        by_intercept += share - target;
        let weight = share * (1.0 - share);
        slope_slope += weight * score * score;
        slope_intercept += weight * score;
        intercept_intercept += weight;
    }
    let determinant = slope_slope * intercept_intercept - slope_intercept * slope_intercept;
    if !(determinant.is_finite() && determinant > 1e-12) {
        return None;
    }
    Some((
        (intercept_intercept * by_slope - slope_intercept * by_intercept) / determinant,
        (slope_slope * by_intercept - slope_intercept * by_slope) / determinant,
    ))
}

fn sigmoid(value: f64) -> f64 {
    1.0 / (1.0 + (-value).exp())
}

fn log_loss(pairs: &[(f64, f64)], slope: f64, intercept: f64) -> f64 {
    let terms = pairs.iter().map(|(score, target)| {
        let value = slope * score + intercept;
        // ln(1 + exp(value)) without overflow.
        value.max(0.0) + (-value.abs()).exp().ln_1p() - target * value
    });
    terms.sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scores_that_part_the_labels_perfectly_have_no_finite_fit_without_a_prior() {
        let pairs: Vec<(f64, f64)> = (0..10).map(|at| (f64::from(at), f64::from(u8::from(at > 4)))).collect();
        assert_eq!(logistic_regression(&pairs), None);
        let data: Vec<LabelledScore> = pairs
            .iter()
            .map(|(score, target)| LabelledScore { question: 0, score: *score, is_relevant: *target > 0.5 })
            .collect();
        let (slope, intercept) = platt_scaling(&data).unwrap();
        assert!(slope > 0.0 && intercept < 0.0);
    }

    #[test]
    fn nothing_can_be_fitted_to_one_kind_or_one_score() {
        let one = |score, is_relevant| LabelledScore { question: 0, score, is_relevant };
        assert_eq!(platt_scaling(&[one(1.0, true), one(2.0, true)]), None);
        assert_eq!(platt_scaling(&[one(1.0, true), one(1.0, false)]), None);
    }
}
