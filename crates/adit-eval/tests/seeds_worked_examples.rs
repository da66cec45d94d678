//! Worked examples of articles about retrieval, to the digits they print.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use adit_eval::{Judgments, Metric, RankedDocument, Ranking, per_query};

/// One query for each rank of its only relevant passage in ten; `None` stands nowhere.
fn queries(gold_ranks: &[Option<usize>]) -> (Judgments, BTreeMap<String, Ranking>) {
    let named = || gold_ranks.iter().enumerate().map(|(number, rank)| (format!("q{number}"), rank));
    let judgments = named().map(|(query, _)| (query, [("gold".to_owned(), 1)].into())).collect();
    let place = |rank: usize, gold: &Option<usize>| RankedDocument {
        document: if *gold == Some(rank) { "gold".to_owned() } else { format!("other {rank}") },
        score: 1.0 / rank as f64,
    };
    let ranking = |gold| Ranking::new((1..=10).map(|rank| place(rank, gold)).collect());
    (judgments, named().map(|(query, gold)| (query, ranking(gold))).collect())
}

fn mean(metric: &str, gold_ranks: &[Option<usize>]) -> f64 {
    let (judgments, run) = queries(gold_ranks);
    let values = per_query(metric.parse::<Metric>().unwrap(), &judgments, &run);
    values.values().sum::<f64>() / values.len() as f64
}

#[test]
fn forty_questions_of_which_sixteen_find_their_passage() {
    let ranks: Vec<_> = (0..40).map(|number| (number < 16).then_some(number % 10 + 1)).collect();
    assert_eq!(format!("{:.2}", mean("recall@10", &ranks)), "0.40");
}

#[test]
fn three_questions_at_rank_one_three_and_nowhere() {
    let ranks = [Some(1), Some(3), None];
    assert_eq!(format!("{:.2}", mean("mrr@10", &ranks)), "0.44");
    assert_eq!(format!("{:.4}", mean("mrr@10", &ranks) * 3.0), "1.3333");
    let middle = [Some(3)];
    assert_eq!(format!("{:.2}", mean("mrr@10", &middle)), "0.33");
    assert_eq!(format!("{:.2}", mean("ndcg@5", &middle)), "0.50");
    assert_eq!(format!("{:.2}", mean("ndcg_exp@5", &middle)), "0.50");
}

#[test]
fn five_questions_of_which_one_is_not_in_the_top_five() {
    let ranks = [Some(1), Some(3), Some(2), None, Some(1)];
    for (metric, printed) in [("recall@1", "0.4"), ("recall@3", "0.8"), ("recall@5", "0.8")] {
        assert_eq!(format!("{:.1}", mean(metric, &ranks)), printed, "{metric}");
    }
    assert_eq!(format!("{:.3}", mean("mrr@5", &ranks)), "0.567");
    let single: Vec<String> = ranks.iter().map(|rank| format!("{:.3}", mean("mrr@5", &[*rank]))).collect();
    assert_eq!(single, ["1.000", "0.333", "0.500", "0.000", "1.000"]);
}

/// The formula with the gain 2^grade - 1 and the discount log2(rank + 1), added up by hand:
/// grades 1, 0, 3 gain 1/1 + 7/2 = 4.5; the ideal order 3, 1, 0 gains 7/1 + 1/log2(3) = 7.6309.
#[test]
fn exponential_gain_by_hand() {
    let grades = [("a".to_owned(), 1), ("b".to_owned(), 0), ("c".to_owned(), 3)].into();
    let places =
        [("a", 3.0), ("b", 2.0), ("c", 1.0)].map(|(id, score)| RankedDocument { document: id.into(), score });
    let ranking = Ranking::new(places.into());
    let score = |metric: &str| metric.parse::<Metric>().unwrap().score(&ranking, &grades);
    assert_eq!(format!("{:.4}", score("ndcg_exp@10")), "0.5897");
    // Linear: 1/1 + 3/2 = 2.5 of 3/1 + 1/log2(3) = 3.6309.
    assert_eq!(format!("{:.4}", score("ndcg@10")), "0.6885");
    // The relevant stand at 1 and 3: (1/1 + 2/3) / 2, and one of the first two is relevant.
    assert_eq!(format!("{:.4}", score("map")), "0.8333");
    assert_eq!(score("r_precision"), 0.5);
}
