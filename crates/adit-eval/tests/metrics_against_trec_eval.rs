//! Our metrics against trec_eval's (through pytrec_eval), on random runs with ties and graded judgments.
//! `reference/make_metrics.py` made the numbers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use adit_eval::{
    Latencies, RankedDocument, Ranking, hit_rate_at_k, mean_reciprocal_rank_at_k, ndcg_at_k, precision_at_k,
    recall_at_k, score_run,
};
use serde::Deserialize;

#[derive(Deserialize)]
struct Case {
    grades: BTreeMap<String, i64>,
    run: BTreeMap<String, f64>,
    scores: BTreeMap<String, f64>,
}

impl Case {
    fn ranking(&self) -> Ranking {
        let place =
            |(document, score): (&String, &f64)| RankedDocument { document: document.clone(), score: *score };
        Ranking::new(self.run.iter().map(place).collect())
    }
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("reference/metrics.json")).unwrap()
}

#[test]
fn every_metric_of_every_query_agrees() {
    let mut compared = 0;
    for (number, case) in cases().iter().enumerate() {
        let (ranking, grades) = (case.ranking(), &case.grades);
        for (name, expected) in &case.scores {
            let ours = match name.rsplit_once('_').map(|(metric, k)| (metric, k.parse::<usize>())) {
                Some(("ndcg_cut", Ok(k))) => ndcg_at_k(&ranking, grades, k),
                Some(("recall", Ok(k))) => recall_at_k(&ranking, grades, k),
                Some(("P", Ok(k))) => precision_at_k(&ranking, grades, k),
                Some(("success", Ok(k))) => hit_rate_at_k(&ranking, grades, k),
                Some(("recip_rank", Ok(k))) => mean_reciprocal_rank_at_k(&ranking, grades, k),
                _ if name == "recip_rank" => mean_reciprocal_rank_at_k(&ranking, grades, usize::MAX),
                _ => panic!("no metric is called {name}"),
            };
            assert!(
                (ours - expected).abs() < 1e-9,
                "query {number}, {name}: {ours}, trec_eval says {expected}"
            );
            compared += 1;
        }
    }
    assert!(compared > 600, "{compared}");
}

#[test]
fn means_are_over_queries_with_something_relevant_and_a_missing_ranking_counts_as_nothing() {
    let cases = cases();
    let named = || cases.iter().enumerate().map(|(number, case)| (format!("q{number}"), case));
    let mut judgments: BTreeMap<_, _> = named().map(|(name, case)| (name, case.grades.clone())).collect();
    let rankings: BTreeMap<_, _> = named().skip(1).map(|(name, case)| (name, case.ranking())).collect();
    judgments.insert("nothing relevant".to_owned(), [("d1".to_owned(), 0)].into());
    let scores = score_run(&judgments, &rankings, &Latencies::default());
    let expected =
        cases.iter().skip(1).map(|case| case.scores["ndcg_cut_10"]).sum::<f64>() / cases.len() as f64;
    assert_eq!(scores.queries, cases.len());
    assert!((scores.ndcg_at_10 - expected).abs() < 1e-9);
}
