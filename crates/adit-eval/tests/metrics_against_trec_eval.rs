//! Our metrics against trec_eval's (through pytrec_eval and ir-measures): random runs with ties, scores that
//! 32-bit floats cannot tell apart, graded and negative judgments, missing queries.
//! `reference/make_metrics.py` made the numbers.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use std::collections::{BTreeMap, BTreeSet};

use adit_eval::{
    Judgments, Latencies, Metric, RankedDocument, Ranking, hit_rate_at_k, mean_reciprocal_rank_at_k,
    ndcg_at_k, per_query, precision_at_k, read_run, read_trec_judgments, recall_at_k, score_run, write_run,
    write_trec_judgments,
};
use serde::Deserialize;

type Scores = BTreeMap<String, f64>;

#[derive(Deserialize)]
struct Case {
    grades: BTreeMap<String, i64>,
    run: Scores,
    scores: Scores,
}

/// Several queries of one run.
#[derive(Deserialize)]
struct QuerySet {
    judgments: Judgments,
    run: BTreeMap<String, Scores>,
    per_query: BTreeMap<String, Scores>,
    means: Scores,
}

impl QuerySet {
    fn rankings(&self) -> BTreeMap<String, Ranking> {
        self.run.iter().map(|(query, scores)| (query.clone(), ranking(scores))).collect()
    }
}

fn ranking(scores: &Scores) -> Ranking {
    let place =
        |(document, score): (&String, &f64)| RankedDocument { document: document.clone(), score: *score };
    Ranking::new(scores.iter().map(place).collect())
}

fn cases() -> Vec<Case> {
    serde_json::from_str(include_str!("reference/metrics.json")).unwrap()
}

fn query_sets() -> Vec<QuerySet> {
    serde_json::from_str(include_str!("reference/means.json")).unwrap()
}

#[test]
fn every_metric_of_every_query_agrees() {
    let mut compared = 0;
    for (number, case) in cases().iter().enumerate() {
        let ranking = ranking(&case.run);
        for (name, expected) in &case.scores {
            let ours = name.parse::<Metric>().unwrap().score(&ranking, &case.grades);
            assert!(
                (ours - expected).abs() < 1e-9,
                "query {number}, {name}: {ours}, trec_eval says {expected}"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 64 * (6 * 7 + 2));
}

#[test]
fn the_free_functions_are_the_metrics() {
    for case in cases() {
        let (ranking, grades) = (ranking(&case.run), &case.grades);
        for k in [1, 10, 100] {
            for (name, ours) in [
                ("recall", recall_at_k(&ranking, grades, k)),
                ("precision", precision_at_k(&ranking, grades, k)),
                ("hit_rate", hit_rate_at_k(&ranking, grades, k)),
                ("mrr", mean_reciprocal_rank_at_k(&ranking, grades, k)),
                ("ndcg", ndcg_at_k(&ranking, grades, k)),
            ] {
                assert!((ours - case.scores[&format!("{name}@{k}")]).abs() < 1e-9, "{name}@{k}");
            }
        }
    }
}

/// The comparison would prove little if the random runs never met the hard cases.
#[test]
fn the_reference_runs_hold_the_hard_cases() {
    let cases = cases();
    let met = |hard: &dyn Fn(&Case) -> bool| cases.iter().filter(|case| hard(case)).count();
    assert!(met(&|case| case.run.len() > 500) >= 4, "deep rankings");
    assert!(met(&|case| case.grades.values().any(|grade| *grade < 0)) >= 4, "negative grades");
    assert!(met(&|case| case.grades.values().any(|grade| *grade > 1)) >= 4, "graded judgments");
    assert!(met(&|case| distinct_scores(case, |score| score) < case.run.len()) >= 4, "ties");
    let is_beyond_32_bits = |case: &Case| {
        distinct_scores(case, |score| f64::from(score as f32)) < distinct_scores(case, |score| score)
    };
    assert!(met(&is_beyond_32_bits) >= 4, "ties of 32-bit floats alone");
    assert!(query_sets().iter().all(|set| set.judgments.keys().any(|query| !set.run.contains_key(query))));
}

fn distinct_scores(case: &Case, kept: fn(f64) -> f64) -> usize {
    case.run.values().map(|score| kept(*score).to_bits()).collect::<BTreeSet<_>>().len()
}

#[test]
fn missing_queries_count_zero_and_queries_without_anything_relevant_are_left_out() {
    for set in query_sets() {
        let rankings = set.rankings();
        for (name, expected) in &set.per_query {
            let ours = per_query(name.parse().unwrap(), &set.judgments, &rankings);
            assert!(ours.keys().eq(expected.keys()), "{name}");
            assert!(!ours.contains_key("nothing relevant") && !ours.contains_key("not judged"));
            for (query, value) in &ours {
                assert!((value - expected[query]).abs() < 1e-9, "{name} of {query}");
            }
            let mean = ours.values().sum::<f64>() / ours.len() as f64;
            assert!((mean - set.means[name]).abs() < 1e-9, "mean of {name}");
        }
    }
}

#[test]
fn means_of_a_run_are_those_of_ir_measures() {
    for set in query_sets() {
        let scores = score_run(&set.judgments, &set.rankings(), &Latencies::default());
        assert_eq!(scores.queries, 20);
        assert!((scores.ndcg_at_10 - set.means["ndcg@10"]).abs() < 1e-9);
        assert!((scores.recall_at_100 - set.means["recall@100"]).abs() < 1e-9);
    }
}

#[test]
fn figures_survive_the_way_through_files() {
    let folder = tempfile::tempdir().unwrap();
    let (run_path, judgments_path) = (folder.path().join("run"), folder.path().join("qrels"));
    for set in query_sets() {
        // Two names of the reference hold spaces, which no TREC file can.
        let named = |name: &String| name.replace(' ', "_");
        let rankings: BTreeMap<_, _> =
            set.rankings().into_iter().map(|(query, ranking)| (named(&query), ranking)).collect();
        let judgments: Judgments =
            set.judgments.iter().map(|(query, grades)| (named(query), grades.clone())).collect();
        write_run(&run_path, &rankings, "reference").unwrap();
        write_trec_judgments(&judgments_path, &judgments).unwrap();
        let (run, judgments) = (read_run(&run_path).unwrap(), read_trec_judgments(&judgments_path).unwrap());
        for (name, expected) in &set.per_query {
            let ours = per_query(name.parse().unwrap(), &judgments, &run);
            assert!(ours.iter().all(|(query, value)| (value - expected[query]).abs() < 1e-9), "{name}");
        }
    }
}
