//! The narrow end of the cascade: the best candidates read together with the question, and what their scores
//! are worth as probabilities.

mod attach;
mod scoring;
mod settings;

use std::collections::HashMap;
use std::sync::Arc;

use adit_catalog::CatalogView;
use adit_core::{Calibration, CandidateOutcome, ChunkId, Reranker, RetrieverRank, ScoreSource, StageTrace};

pub(crate) use scoring::Running;
pub use settings::{RerankConfiguration, RerankSettings};

use crate::candidates::{Candidates, stage, timed};
use crate::{Fusion, Mode, RetrieveError, SearchRequest};

/// The reranking part of a retriever. Without reranker and calibration it does nothing.
#[derive(Clone, Default)]
pub(crate) struct Rerank {
    pub(crate) reranker: Option<Arc<dyn Reranker>>,
    pub(crate) settings: RerankSettings,
    pub(crate) calibration: Option<Arc<Calibration>>,
    running: Running,
}

/// What reranking and calibration say of a question's candidates.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reranked {
    /// By the reranker's scores, best first.
    pub(crate) ranks: Vec<(ChunkId, RetrieverRank)>,
    /// Calibrated probabilities of relevance.
    pub(crate) relevance: HashMap<ChunkId, f32>,
    /// Those that the cut-off leaves out, and why.
    pub(crate) cut: HashMap<ChunkId, CandidateOutcome>,
}

impl Reranked {
    pub(crate) fn rank(&self, chunk: ChunkId) -> Option<RetrieverRank> {
        self.ranks.iter().find(|(reranked, _)| *reranked == chunk).map(|(_, rank)| *rank)
    }
}

impl Rerank {
    pub(crate) fn configuration(&self) -> Option<RerankConfiguration> {
        let reranker = self.reranker.as_ref().map(|reranker| reranker.description());
        RerankConfiguration::of(reranker, self.settings, self.calibration.as_deref())
    }

    /// Reorders the best candidates of `found`, tells their probability of relevance, and marks what the cut-off
    /// leaves out. A reranker that fails or is late leaves the fused order, with a notice.
    pub(crate) fn apply(
        &self,
        fingerprint: &str,
        view: &CatalogView,
        request: &SearchRequest<'_>,
        found: &mut Candidates,
    ) -> Result<(), RetrieveError> {
        let mut reranked = Reranked::default();
        if let Some(reranker) = &self.reranker {
            reranked.ranks = self.score(reranker, view, request, found)?;
        }
        if let Some(calibration) = &self.calibration {
            self.calibrate(calibration, fingerprint, request, found, &mut reranked);
        }
        found.reranked = reranked;
        Ok(())
    }

    fn score(
        &self,
        reranker: &Arc<dyn Reranker>,
        view: &CatalogView,
        request: &SearchRequest<'_>,
        found: &mut Candidates,
    ) -> Result<Vec<(ChunkId, RetrieverRank)>, RetrieveError> {
        let (read, elapsed_us) = timed(|| read_texts(view, request, found, self.settings.top_n));
        let (chunks, texts) = read?;
        let entered = found.fused.len();
        found.stages.push(stage("read_for_rerank", entered, chunks.len(), elapsed_us, String::new()));
        if chunks.is_empty() {
            return Ok(Vec::new());
        }
        let deadline = self.settings.deadline;
        let (scores, elapsed_us) =
            timed(|| scoring::score_within(deadline, &self.running, reranker, request.query, texts));
        let description = reranker.description();
        let how = format!("{}@{} {}", description.model, description.revision, description.precision);
        let scores = match scores {
            Ok(scores) => scores,
            Err(reason) => {
                found.stages.push(stage(
                    "rerank_skipped",
                    chunks.len(),
                    0,
                    elapsed_us,
                    format!("{how}: {reason}"),
                ));
                found.notices.push(format!("not reranked: {reason}"));
                return Ok(Vec::new());
            }
        };
        let out = chunks.len();
        found.stages.push(stage("rerank", entered, out, elapsed_us, how));
        let mut scored: Vec<(ChunkId, f32)> = chunks.into_iter().zip(scores).collect();
        // Stable: where the reranker sees no difference, the fused order stays.
        scored.sort_by(|left, right| right.1.total_cmp(&left.1));
        Ok((1..).zip(scored).map(|(rank, (chunk, score))| (chunk, RetrieverRank { rank, score })).collect())
    }

    fn calibrate(
        &self,
        calibration: &Calibration,
        fingerprint: &str,
        request: &SearchRequest<'_>,
        found: &mut Candidates,
        reranked: &mut Reranked,
    ) {
        let (scores, elapsed_us) =
            timed(|| self.calibrated_scores(calibration, fingerprint, request, found, reranked));
        let scores = match scores {
            Ok(scores) => scores,
            Err(reason) => {
                found.notices.push(format!("no probability of relevance, and no cut-off: {reason}"));
                return;
            }
        };
        for (chunk, score) in scores {
            #[expect(clippy::cast_possible_truncation, reason = "a probability for display and comparison")]
            let relevance = calibration.curve.probability(f64::from(score)) as f32;
            reranked.relevance.insert(chunk, relevance);
        }
        let entered = reranked.relevance.len();
        if let Some(cut_off) = self.settings.cut_off {
            self.cut(cut_off, found, reranked);
        }
        let detail = format!("calibration {} of {}", calibration.hash(), calibration.source);
        let stage: StageTrace =
            stage("calibrate", entered, found.fused.len() - reranked.cut.len(), elapsed_us, detail);
        found.stages.push(stage);
    }

    fn cut(&self, cut_off: f32, found: &mut Candidates, reranked: &mut Reranked) {
        let (mut below, mut unscored) = (0_usize, 0_usize);
        for (chunk, _) in &found.fused {
            let outcome = match reranked.relevance.get(chunk) {
                Some(relevance) if *relevance >= cut_off => continue,
                Some(_) => {
                    below += 1;
                    CandidateOutcome::BelowCutoff
                }
                None => {
                    unscored += 1;
                    CandidateOutcome::BelowLimit
                }
            };
            reranked.cut.insert(*chunk, outcome);
        }
        if below > 0 {
            found.notices.push(format!(
                "{below} candidates are left out: their probability of relevance is below the cut-off of {cut_off}"
            ));
        }
        if unscored > 0 {
            found.notices.push(format!(
                "{unscored} candidates behind the first {} were not scored and are left out by the cut-off",
                self.settings.top_n
            ));
        }
    }

    /// The scores that `calibration` was fitted for, if this search has them.
    fn calibrated_scores(
        &self,
        calibration: &Calibration,
        fingerprint: &str,
        request: &SearchRequest<'_>,
        found: &Candidates,
        reranked: &Reranked,
    ) -> Result<Vec<(ChunkId, f32)>, String> {
        match &calibration.source {
            ScoreSource::Reranker(_) if reranked.ranks.is_empty() => {
                Err("the candidates were not reranked".to_owned())
            }
            ScoreSource::Reranker(_) => {
                Ok(reranked.ranks.iter().map(|(chunk, rank)| (*chunk, rank.score)).collect())
            }
            source @ ScoreSource::Fused { .. } => {
                let own = fused_source(request, found, fingerprint);
                if *source == own {
                    Ok(found.fused.clone())
                } else {
                    Err(format!("it was fitted on {source}, this is {own}"))
                }
            }
            source @ ScoreSource::LateInteraction { .. } => {
                Err(format!("it was fitted on {source}, which this search does not compute"))
            }
        }
    }
}

/// What the fused scores of a search are, for a calibration.
pub(crate) fn fused_source(
    request: &SearchRequest<'_>,
    found: &Candidates,
    fingerprint: &str,
) -> ScoreSource {
    let asked = match (request.mode, &found.lexical, &found.dense) {
        (Mode::Hybrid, Some(_), Some(_)) => "hybrid",
        (_, None, _) => "dense",
        _ => "lexical",
    };
    let fusion = match request.fusion {
        Fusion::Standardised => "standardised scores",
        Fusion::ReciprocalRank => "reciprocal rank",
    };
    // Standardised scores depend on how many candidates there are.
    let joined = format!("{asked}, {fusion}, {} candidates of each", request.depth);
    ScoreSource::Fused { joined, fingerprint: fingerprint.to_owned() }
}

/// What the retrievers saw of the best `top_n` candidates that the reader may read.
fn read_texts(
    view: &CatalogView,
    request: &SearchRequest<'_>,
    found: &Candidates,
    top_n: usize,
) -> Result<(Vec<ChunkId>, Vec<String>), RetrieveError> {
    let (mut chunks, mut texts) = (Vec::new(), Vec::new());
    for (chunk, _) in &found.fused {
        if chunks.len() >= top_n {
            break;
        }
        let stored = view.chunk(*chunk)?.ok_or(RetrieveError::TextGone { chunk: *chunk })?;
        if request.scope.permits(&stored.tenant, &stored.access) {
            chunks.push(*chunk);
            texts.push(stored.chunk.indexed);
        }
    }
    Ok((chunks, texts))
}
