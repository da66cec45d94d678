use serde::{Deserialize, Serialize};

use super::METRICS;
use super::run::{EvaluationRun, ItemResult};
use super::segments::{grouped, values};
use crate::QualityError;

/// What a run must hold, as `[[gate]]` of the settings names it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateRule {
    /// Such as `ndcg@10`.
    pub metric: String,
    /// `all`, or key and value such as `category=meaning`.
    pub segment: String,
    /// The mean must be at least this.
    pub at_least: Option<f64>,
    /// The mean must not be lower than the accepted run's by more than this.
    pub most_loss: Option<f64>,
}

/// How one rule came out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GateOutcome {
    /// The rule.
    pub rule: GateRule,
    /// Questions in the segment.
    pub questions: usize,
    /// The mean now; `None` when the segment is empty, which never passes.
    pub now: Option<f64>,
    /// The accepted run's mean, where the rule needs it and it is there.
    pub accepted: Option<f64>,
    /// Whether it holds.
    pub passed: bool,
    /// Why not, in words.
    pub reason: Option<String>,
}

/// Holds a run against the rules. A question the accepted run asked and this one did not counts as 0: a
/// gate cannot be passed by leaving questions out.
///
/// # Errors
/// [`QualityError::Gate`] for a rule that cannot be checked; [`QualityError::Nothing`] without rules.
pub fn check_gate(
    rules: &[GateRule],
    run: &EvaluationRun,
    accepted: Option<&EvaluationRun>,
) -> Result<Vec<GateOutcome>, QualityError> {
    if rules.is_empty() {
        return Err(QualityError::Nothing { what: "the settings name no [[gate]]".to_owned() });
    }
    for (index, rule) in rules.iter().enumerate() {
        check_rule(index + 1, rule)?;
    }
    let items = with_missing_as_zero(run, accepted);
    let now = grouped(&items.iter().filter(|item| item.answerable).collect::<Vec<_>>());
    let before =
        accepted.map(|run| grouped(&run.items.iter().filter(|item| item.answerable).collect::<Vec<_>>()));
    Ok(rules.iter().map(|rule| outcome(rule, &now, before.as_deref())).collect())
}

fn check_rule(number: usize, rule: &GateRule) -> Result<(), QualityError> {
    let wrong = |detail: String| Err(QualityError::Gate { number, detail });
    if !METRICS.contains(&rule.metric.as_str()) {
        return wrong(format!("`{}` is no metric; known: {}", rule.metric, METRICS.join(", ")));
    }
    if rule.at_least.is_none() && rule.most_loss.is_none() {
        return wrong("names neither `at_least` nor `most_loss`".to_owned());
    }
    let is_share = |value: f64| (0.0..=1.0).contains(&value);
    match [rule.at_least, rule.most_loss].into_iter().flatten().find(|value| !is_share(*value)) {
        Some(value) => wrong(format!("{value} is not between 0 and 1")),
        None => Ok(()),
    }
}

fn with_missing_as_zero(run: &EvaluationRun, accepted: Option<&EvaluationRun>) -> Vec<ItemResult> {
    let mut items = run.items.clone();
    for earlier in accepted.iter().flat_map(|run| &run.items) {
        if !run.items.iter().any(|item| item.id == earlier.id) {
            let metrics = earlier.metrics.keys().map(|metric| (metric.clone(), 0.0)).collect();
            items.push(ItemResult { metrics, first_rank: None, ..earlier.clone() });
        }
    }
    items
}

type Groups<'a> = [(String, Vec<&'a ItemResult>)];

fn mean_in(groups: &Groups<'_>, rule: &GateRule) -> Option<(usize, f64)> {
    let (_, items) = groups.iter().find(|(name, _)| *name == rule.segment)?;
    let values = values(items, &rule.metric)?;
    Some((items.len(), values.iter().sum::<f64>() / values.len().max(1) as f64))
}

fn outcome(rule: &GateRule, now: &Groups<'_>, before: Option<&Groups<'_>>) -> GateOutcome {
    let found = mean_in(now, rule);
    let accepted = before.and_then(|groups| mean_in(groups, rule)).map(|(_, mean)| mean);
    let reason = match (found, rule.most_loss, accepted) {
        (None, _, _) => Some(format!("no question of the set is in `{}`", rule.segment)),
        (Some((_, mean)), _, _) if !mean.is_finite() => Some("the mean is no number".to_owned()),
        (Some((_, mean)), _, _) if rule.at_least.is_some_and(|least| mean < least) => {
            Some(format!("below {:.4}", rule.at_least.unwrap_or_default()))
        }
        (Some(_), Some(_), None) => Some("no run was accepted yet: `adit eval --accept`".to_owned()),
        (Some((_, mean)), Some(loss), Some(accepted)) if mean < accepted - loss => {
            Some(format!("more than {loss:.4} below the accepted {accepted:.4}"))
        }
        _ => None,
    };
    GateOutcome {
        rule: rule.clone(),
        questions: found.map_or(0, |(questions, _)| questions),
        now: found.map(|(_, mean)| mean),
        accepted,
        passed: reason.is_none(),
        reason,
    }
}
