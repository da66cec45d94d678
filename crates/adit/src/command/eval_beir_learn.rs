//! What a trained ranker would make of a labelled set, by cross-validation.

use std::collections::BTreeMap;

use adit_eval::statistics::paired_randomisation_test;
use adit_eval::{Judgments, Metric, Ranking, best_chunk_per_document, per_query};
use adit_learn::{JudgedRows, TrainingSettings, cross_validated_scores};
use adit_retrieve::{FEATURE_NAMES, RankedChunk, Retriever, SearchRequest};
use serde::Serialize;

use crate::beir_home::BeirHome;
use crate::failure::Failure;

const PERMUTATIONS: usize = 10_000;
const SEED: u64 = 1935;

/// The default order against the learnt one.
#[derive(Debug, Serialize)]
pub(super) struct LearnedScores {
    folds: usize,
    questions: usize,
    ndcg_at_10_before: f64,
    ndcg_at_10_after: f64,
    better: usize,
    worse: usize,
    p_randomisation: Option<f64>,
}

impl LearnedScores {
    pub(super) fn describe(&self) -> String {
        format!(
            "learnt in {} folds over {} questions: nDCG@10 {:.4} -> {:.4}, {} better, {} worse, p = {:.4}\n",
            self.folds,
            self.questions,
            self.ndcg_at_10_before,
            self.ndcg_at_10_after,
            self.better,
            self.worse,
            self.p_randomisation.unwrap_or(1.0)
        )
    }
}

/// Candidates of every judged question, in the default order.
#[derive(Default)]
pub(super) struct LearnableQuestions {
    ids: Vec<String>,
    chunks: Vec<Vec<RankedChunk>>,
    rows: Vec<JudgedRows>,
}

impl LearnableQuestions {
    /// Asks once more, for the features.
    pub(super) fn add(
        &mut self,
        id: &str,
        retriever: &Retriever,
        request: &SearchRequest<'_>,
        grade_of: impl Fn(&RankedChunk) -> i64,
    ) -> Result<(), Failure> {
        let (ranking, features) = retriever.rank_with_features(request)?;
        let grade = |chunk: &RankedChunk| u32::try_from(grade_of(chunk).max(0)).unwrap_or(u32::MAX);
        let grades = ranking.chunks.iter().take(features.len()).map(grade).collect();
        self.rows.push(JudgedRows { rows: features.into_iter().map(|one| one.values).collect(), grades });
        self.chunks.push(ranking.chunks);
        self.ids.push(id.to_owned());
        Ok(())
    }

    /// Trains and compares. Folds go by the first document that answers, so that questions about one document
    /// stand in one fold.
    pub(super) fn compare(
        &self,
        home: &BeirHome,
        judgments: &Judgments,
        folds: usize,
    ) -> Result<LearnedScores, Failure> {
        let fold_of: Vec<usize> = self.ids.iter().map(|id| fold(id, judgments, folds.max(2))).collect();
        let scores =
            cross_validated_scores(&FEATURE_NAMES, &self.rows, &fold_of, &TrainingSettings::default())?;
        let default_order: Vec<Vec<f64>> =
            self.chunks.iter().map(|chunks| chunks.iter().map(|_| 0.0).collect()).collect();
        let before = self.ndcg(home, judgments, &default_order);
        let after = self.ndcg(home, judgments, &scores);
        let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len().max(1) as f64;
        let count = |is: fn(f64, f64) -> bool| {
            before.iter().zip(&after).filter(|(one, two)| is(**one, **two)).count()
        };
        Ok(LearnedScores {
            folds: folds.max(2),
            questions: before.len(),
            ndcg_at_10_before: mean(&before),
            ndcg_at_10_after: mean(&after),
            better: count(|one, two| two > one),
            worse: count(|one, two| two < one),
            p_randomisation: paired_randomisation_test(&before, &after, PERMUTATIONS, SEED),
        })
    }

    /// By question, in the order of the judgments; the first candidates go by `scores`, equal ones keep their
    /// places, the others follow.
    fn ndcg(&self, home: &BeirHome, judgments: &Judgments, scores: &[Vec<f64>]) -> Vec<f64> {
        let mut rankings = BTreeMap::new();
        for ((id, chunks), scores) in self.ids.iter().zip(&self.chunks).zip(scores) {
            let mut order: Vec<usize> = (0..chunks.len()).collect();
            let score = |at: &usize| scores.get(*at).copied().unwrap_or(f64::NEG_INFINITY);
            order.sort_by(|left, right| score(right).total_cmp(&score(left)));
            let places: Vec<(&RankedChunk, f64)> = (1_u32..)
                .zip(order)
                .filter_map(|(place, at)| Some((chunks.get(at)?, 1.0 / f64::from(place))))
                .collect();
            let documents =
                best_chunk_per_document(&places, |chunk| home.set_ids.get(&chunk.document).cloned());
            rankings.insert(id.clone(), Ranking::new(documents));
        }
        per_query(Metric::Ndcg(10), judgments, &rankings).into_values().collect()
    }
}

fn fold(id: &str, judgments: &Judgments, folds: usize) -> usize {
    let answers = judgments.get(id).into_iter().flatten();
    let first = answers.filter(|(_, grade)| **grade > 0).map(|(document, _)| document.as_str()).next();
    // FNV-1a: small, and the same on every machine.
    let hash = first.unwrap_or(id).bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    usize::try_from(hash % folds as u64).unwrap_or(0)
}
