use std::collections::BTreeSet;
use std::path::PathBuf;

use adit_eval::statistics::LogisticModel;
use adit_retrieve::{Coefficient, EvidenceCalibration};
use serde::Serialize;

use super::eval_answers::{AnswerFigures, describe, figures};
use crate::answer_lines::{self, AnswerLine};
use crate::arguments::FitEvidenceArguments;
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// Penalty on the weights, in examples: small beside a few hundred of them, enough to keep features that say the
/// same from taking opposite signs.
const RIDGE: f64 = 3.0;
/// Share of answerable questions from which on the evidence counts as sufficient.
const SUFFICIENT_PRECISION: f64 = 0.9;

/// What `eval fit-evidence --json` prints.
#[derive(Serialize)]
struct Fit {
    /// Each set scored by a fit on the others.
    left_out: Vec<AnswerFigures>,
    /// Sets that were never fitted on.
    held_out: Vec<AnswerFigures>,
    /// The fit on all.
    calibration: EvidenceCalibration,
}

pub(super) fn run(arguments: &FitEvidenceArguments, output: Output) -> Result<Exit, Failure> {
    let lines = read_all(&arguments.files)?;
    let sets: BTreeSet<String> = lines.iter().map(|line| line.set.clone()).collect();
    let mut left_out = Vec::new();
    for set in sets.iter().filter(|_| sets.len() > 1) {
        let (own, others): (Vec<AnswerLine>, Vec<AnswerLine>) =
            lines.iter().cloned().partition(|line| line.set == *set);
        let calibration = fit(&others, arguments)?;
        left_out.push(figures(set, &rescored(&own, &calibration)));
    }
    let calibration = fit(&lines, arguments)?;
    let mut held_out = Vec::new();
    for file in &arguments.held_out {
        let lines = read_all(std::slice::from_ref(file))?;
        let name = lines.first().map(|line| line.set.clone()).unwrap_or_default();
        held_out.push(figures(&name, &rescored(&lines, &calibration)));
    }
    if let Some(file) = &arguments.out {
        write(file, &calibration)?;
    }
    output.result(&Fit { left_out, held_out, calibration }, describe_fit)?;
    Ok(Exit::Done)
}

fn read_all(files: &[PathBuf]) -> Result<Vec<AnswerLine>, Failure> {
    let mut lines = Vec::new();
    for file in files {
        lines.extend(answer_lines::read(file)?);
    }
    Ok(lines)
}

/// Fits every set with the same weight, and in it the answerable and the unanswerable questions: what a large set
/// is like should not decide what a small one gets. Every feature speaks for an answer; one that gets a weight
/// against it only makes up for others, does not carry over to another collection, and is left out.
fn fit(lines: &[AnswerLine], arguments: &FitEvidenceArguments) -> Result<EvidenceCalibration, Failure> {
    let mut names: Vec<&str> = adit_retrieve::EvidenceFeatures::default()
        .named()
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| arguments.embedder.is_some() || !name.contains("cosine"))
        .collect();
    let labels: Vec<bool> = lines.iter().map(|line| line.answerable).collect();
    let weights = weights(lines);
    let (rows, model) = loop {
        let rows: Vec<Vec<f64>> = lines.iter().map(|line| row(line, &names)).collect();
        let model = LogisticModel::fit(&rows, &labels, &weights, RIDGE).ok_or_else(|| {
            let hint = "give questions of both kinds: `adit eval answers --hide-gold 0.5`";
            Failure::usage("the files cannot be fitted", hint)
        })?;
        let lowest =
            names.iter().zip(&model.features).min_by(|left, right| left.1.weight.total_cmp(&right.1.weight));
        match lowest.filter(|(_, feature)| feature.weight < 0.0) {
            Some((name, _)) => {
                let name = *name;
                names.retain(|other| *other != name);
            }
            None => break (rows, model),
        }
    };
    let probabilities: Vec<f64> = rows.iter().map(|row| model.probability(row)).collect();
    let coefficients = names.iter().zip(&model.features).map(|(name, feature)| Coefficient {
        feature: (*name).to_owned(),
        mean: rounded(feature.mean),
        deviation: rounded(feature.deviation),
        weight: rounded(feature.weight),
    });
    let sets: BTreeSet<&str> = lines.iter().map(|line| line.set.as_str()).collect();
    let (incorrect_below, correct_from) =
        thresholds(&probabilities, &labels, &weights, arguments.false_refusals);
    Ok(EvidenceCalibration {
        embedder: arguments.embedder.clone(),
        fitted_on: sets.into_iter().map(str::to_owned).collect(),
        intercept: rounded(model.intercept),
        coefficients: coefficients.collect(),
        incorrect_below: rounded(incorrect_below),
        correct_from: rounded(correct_from),
    })
}

fn row(line: &AnswerLine, names: &[&str]) -> Vec<f64> {
    let named = line.features.named();
    named.iter().filter(|(name, _)| names.contains(name)).map(|(_, value)| f64::from(*value)).collect()
}

/// Every set and label together weigh as much as every other, and all weigh as many as there are.
fn weights(lines: &[AnswerLine]) -> Vec<f64> {
    let groups: BTreeSet<(&str, bool)> =
        lines.iter().map(|line| (line.set.as_str(), line.answerable)).collect();
    let share = lines.len() as f64 / groups.len().max(1) as f64;
    let size = |line: &AnswerLine| {
        lines.iter().filter(|other| other.set == line.set && other.answerable == line.answerable).count()
    };
    lines.iter().map(|line| share / size(line).max(1) as f64).collect()
}

/// Below the first lies at most the wished share of the answerable; from the second on nine of ten are answerable.
fn thresholds(probabilities: &[f64], labels: &[bool], weights: &[f64], false_refusals: f64) -> (f64, f64) {
    let mut examples: Vec<(f64, bool, f64)> = probabilities
        .iter()
        .zip(labels)
        .zip(weights)
        .map(|((p, label), weight)| (*p, *label, *weight))
        .collect();
    examples.sort_by(|left, right| left.0.total_cmp(&right.0));
    let answerable: f64 = examples.iter().filter(|(_, label, _)| *label).map(|(_, _, weight)| weight).sum();
    let mut below = 0.0;
    let mut lower = 0.0;
    for (probability, label, weight) in &examples {
        if *label {
            below += weight;
        }
        if below > false_refusals * answerable {
            lower = *probability;
            break;
        }
    }
    let (mut right, mut all, mut upper) = (0.0, 0.0, 1.0);
    for (probability, label, weight) in examples.iter().rev() {
        all += weight;
        if *label {
            right += weight;
        }
        if right / all >= SUFFICIENT_PRECISION {
            upper = *probability;
        }
    }
    (lower, upper.max(lower + 1e-4))
}

fn rounded(value: f64) -> f64 {
    (value * 1e4).round() / 1e4
}

#[expect(clippy::cast_possible_truncation, reason = "a probability for display")]
fn rescored(lines: &[AnswerLine], calibration: &EvidenceCalibration) -> Vec<AnswerLine> {
    let rescore = |line: &AnswerLine| {
        let probability = calibration.probability(&line.features);
        AnswerLine {
            probability: Some(probability as f32),
            sufficiency: Some(calibration.sufficiency(probability)),
            ..line.clone()
        }
    };
    lines.iter().map(rescore).collect()
}

fn write(file: &PathBuf, calibration: &EvidenceCalibration) -> Result<(), Failure> {
    let mut all: Vec<EvidenceCalibration> = match fs_err::read_to_string(file) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| {
            Failure::usage(format!("{} is no calibration file: {error}", file.display()), "name another file")
        })?,
        Err(_) => Vec::new(),
    };
    all.retain(|one| one.embedder != calibration.embedder);
    all.push(calibration.clone());
    let text = serde_json::to_string_pretty(&all).map_err(|error| Failure::world(error.to_string()))?;
    fs_err::write(file, text + "\n").map_err(|error| Failure::world(error.to_string()))
}

fn describe_fit(fit: &Fit) -> String {
    let mut text = String::new();
    for (title, sets) in
        [("each set by a fit on the others", &fit.left_out), ("sets never fitted on", &fit.held_out)]
    {
        if !sets.is_empty() {
            text += &format!("{title}:\n");
            text += &sets.iter().map(describe).collect::<String>();
        }
    }
    let calibration = &fit.calibration;
    text += &format!(
        "incorrect below {:.4}, correct from {:.4}, intercept {:.4}\n",
        calibration.incorrect_below, calibration.correct_from, calibration.intercept
    );
    for one in &calibration.coefficients {
        text += &format!("  {:<24} {:>8.4}\n", one.feature, one.weight);
    }
    text
}
