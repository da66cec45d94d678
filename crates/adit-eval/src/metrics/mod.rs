//! Metrics of one query by trec_eval's rules: a document that is not judged, or judged 0 or below, is not
//! relevant. `grades` holds the judged documents of the query, `k` counts places from the top.

mod gain;
mod precision;
mod ranked;

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use gain::{ndcg_at_k, ndcg_exponential_at_k};
pub use precision::{average_precision, precision_at_k, r_precision};
pub use ranked::{hit_rate_at_k, mean_reciprocal_rank_at_k, recall_at_k};

use crate::{EvalError, Judgments, Ranking};

type Grades = BTreeMap<String, i64>;

/// A metric by name: written and read as `recall@100`, `map` and so on, also in JSON and TOML.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Metric {
    /// `recall@k`, see [`recall_at_k`].
    Recall(usize),
    /// `precision@k`, see [`precision_at_k`].
    Precision(usize),
    /// `hit_rate@k`, which trec_eval calls `success@k`, see [`hit_rate_at_k`].
    HitRate(usize),
    /// `mrr@k`, see [`mean_reciprocal_rank_at_k`].
    MeanReciprocalRank(usize),
    /// `ndcg@k` with linear gain, see [`ndcg_at_k`].
    Ndcg(usize),
    /// `ndcg_exp@k` with exponential gain, see [`ndcg_exponential_at_k`].
    NdcgExponential(usize),
    /// `map`, see [`average_precision`].
    MeanAveragePrecision,
    /// `r_precision`, see [`r_precision`].
    RPrecision,
}

impl Metric {
    /// The metric of one query, from 0 to 1; 0 when no judged document is relevant.
    #[must_use]
    pub fn score(&self, ranking: &Ranking, grades: &BTreeMap<String, i64>) -> f64 {
        match *self {
            Self::Recall(k) => recall_at_k(ranking, grades, k),
            Self::Precision(k) => precision_at_k(ranking, grades, k),
            Self::HitRate(k) => hit_rate_at_k(ranking, grades, k),
            Self::MeanReciprocalRank(k) => mean_reciprocal_rank_at_k(ranking, grades, k),
            Self::Ndcg(k) => ndcg_at_k(ranking, grades, k),
            Self::NdcgExponential(k) => ndcg_exponential_at_k(ranking, grades, k),
            Self::MeanAveragePrecision => average_precision(ranking, grades),
            Self::RPrecision => r_precision(ranking, grades),
        }
    }
}

/// The metric of every query that has a relevant document. A query that is missing from `run` counts 0
/// (trec_eval's `-c`), so that a run gains nothing by leaving out what it cannot answer; queries of the run
/// that nobody judged are left out.
#[must_use]
pub fn per_query(
    metric: Metric,
    judgments: &Judgments,
    run: &BTreeMap<String, Ranking>,
) -> BTreeMap<String, f64> {
    let score = |(query, grades): (&String, &Grades)| {
        (query.clone(), run.get(query).map_or(0.0, |ranking| metric.score(ranking, grades)))
    };
    judgments.iter().filter(|(_, grades)| relevant_count(grades) > 0).map(score).collect()
}

impl fmt::Display for Metric {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Recall(k) => write!(formatter, "recall@{k}"),
            Self::Precision(k) => write!(formatter, "precision@{k}"),
            Self::HitRate(k) => write!(formatter, "hit_rate@{k}"),
            Self::MeanReciprocalRank(k) => write!(formatter, "mrr@{k}"),
            Self::Ndcg(k) => write!(formatter, "ndcg@{k}"),
            Self::NdcgExponential(k) => write!(formatter, "ndcg_exp@{k}"),
            Self::MeanAveragePrecision => formatter.write_str("map"),
            Self::RPrecision => formatter.write_str("r_precision"),
        }
    }
}

impl FromStr for Metric {
    type Err = EvalError;

    /// Reads what [`Metric`]'s `Display` writes, and `success@k`. A `k` is a whole number above 0.
    fn from_str(text: &str) -> Result<Self, EvalError> {
        let unknown = || EvalError::UnknownMetric { name: text.to_owned() };
        let Some((name, k)) = text.split_once('@') else {
            return match text {
                "map" => Ok(Self::MeanAveragePrecision),
                "r_precision" => Ok(Self::RPrecision),
                _ => Err(unknown()),
            };
        };
        let k = k.parse().ok().filter(|k| *k > 0).ok_or_else(unknown)?;
        match name {
            "recall" => Ok(Self::Recall(k)),
            "precision" => Ok(Self::Precision(k)),
            "hit_rate" | "success" => Ok(Self::HitRate(k)),
            "mrr" => Ok(Self::MeanReciprocalRank(k)),
            "ndcg" => Ok(Self::Ndcg(k)),
            "ndcg_exp" => Ok(Self::NdcgExponential(k)),
            _ => Err(unknown()),
        }
    }
}

impl TryFrom<String> for Metric {
    type Error = EvalError;

    fn try_from(text: String) -> Result<Self, EvalError> {
        text.parse()
    }
}

impl From<Metric> for String {
    fn from(metric: Metric) -> Self {
        metric.to_string()
    }
}

fn grade(grades: &Grades, document: &str) -> i64 {
    grades.get(document).copied().unwrap_or(0)
}

/// Whether each of the first `k` places is relevant, from the top.
fn relevance(ranking: &Ranking, grades: &Grades, k: usize) -> impl Iterator<Item = bool> {
    ranking.places().iter().take(k).map(|place| grade(grades, &place.document) > 0)
}

fn relevant_in_top(ranking: &Ranking, grades: &Grades, k: usize) -> usize {
    relevance(ranking, grades, k).filter(|is_relevant| *is_relevant).count()
}

fn relevant_count(grades: &Grades) -> usize {
    grades.values().filter(|grade| **grade > 0).count()
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let names = [
            "recall@100",
            "precision@5",
            "hit_rate@10",
            "mrr@10",
            "ndcg@10",
            "ndcg_exp@10",
            "map",
            "r_precision",
        ];
        for name in names {
            let metric: Metric = name.parse().unwrap();
            assert_eq!(metric.to_string(), name);
            assert_eq!(serde_json::to_string(&metric).unwrap(), format!("\"{name}\""));
            assert_eq!(serde_json::from_str::<Metric>(&format!("\"{name}\"")).unwrap(), metric);
        }
        assert_eq!("success@3".parse::<Metric>().unwrap(), Metric::HitRate(3));
    }

    #[test]
    fn other_names_are_refused_and_named() {
        for name in
            ["", "recall", "recall@", "recall@0", "recall@-1", "recall@ten", "map@10", "NDCG@10", "f1@3"]
        {
            let error = name.parse::<Metric>().unwrap_err();
            assert!(error.to_string().contains(&format!("{name:?}")), "{error}");
        }
    }
}
