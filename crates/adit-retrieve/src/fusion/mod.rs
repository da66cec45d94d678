//! Ranked lists become one.

mod completion;
mod reciprocal_rank;
mod standardised;

use adit_core::{ChunkId, IndexError, ScoredChunk};
use adit_index::Snapshot;
use serde::{Deserialize, Serialize};

pub use reciprocal_rank::reciprocal_rank_fusion;
pub use standardised::{Candidate, FusionWeights, standardised_fusion};

use crate::SearchRequest;
use reciprocal_rank::RANK_CONSTANT;

/// How the lists of two retrievers are joined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fusion {
    /// Both scores of every candidate, each standardised over the question's candidates, then summed.
    #[default]
    Standardised,
    /// Ranks only; what a list does not hold gets nothing from it.
    ReciprocalRank,
}

/// The lists of one question, best first.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Lists<'a> {
    pub(crate) lexical: Option<&'a [ScoredChunk]>,
    pub(crate) dense: Option<&'a [ScoredChunk]>,
    /// The candidates of both, by token vectors; those without codes are not in it.
    pub(crate) late_interaction: Option<&'a [ScoredChunk]>,
    /// The question's vector, where meaning was searched.
    pub(crate) vector: Option<&'a [f32]>,
}

/// One order for all candidates, best first, with scores from 0 to 1, and how it came to be.
pub(crate) fn fuse(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    lists: Lists<'_>,
    weights: FusionWeights,
) -> Result<(Vec<(ChunkId, f32)>, String), IndexError> {
    let Lists { lexical, dense, vector, late_interaction } = lists;
    // A list on its own needs no weight.
    let dense_weight = if lexical.is_some() { weights.dense } else { 1.0 };
    let weights = FusionWeights { dense: dense_weight, ..weights };
    if request.fusion == Fusion::ReciprocalRank {
        return Ok((by_rank(lists, weights), format!("reciprocal rank, k={RANK_CONSTANT}")));
    }
    let candidates = match (lexical, dense, vector) {
        (Some(lexical), Some(dense), Some(vector)) => {
            let tokens = late_interaction.unwrap_or_default().iter();
            let tokens = tokens.map(|hit| (hit.chunk, hit.score)).collect();
            completion::complete(snapshot, request, lexical, dense, vector, &tokens)?
        }
        _ => completion::of_one_list(lexical, dense),
    };
    Ok((standardised_fusion(&candidates, weights), "standardised scores".to_owned()))
}

fn by_rank(lists: Lists<'_>, weights: FusionWeights) -> Vec<(ChunkId, f32)> {
    let ids = |hits: &[ScoredChunk]| hits.iter().map(|hit| hit.chunk).collect::<Vec<_>>();
    let tokens = lists.late_interaction.filter(|hits| !hits.is_empty());
    let weighted =
        [(lists.lexical, 1.0), (lists.dense, weights.dense), (tokens, weights.late_interaction.max(0.0))];
    let (lists, weights): (Vec<Vec<ChunkId>>, Vec<f32>) =
        weighted.into_iter().filter_map(|(list, weight)| Some((ids(list?), weight))).unzip();
    let views: Vec<&[ChunkId]> = lists.iter().map(Vec::as_slice).collect();
    let mut fused = reciprocal_rank_fusion(&views, &weights, RANK_CONSTANT);
    let largest = weights.iter().sum::<f32>() / (RANK_CONSTANT + 1.0);
    for (_, score) in &mut fused {
        *score = (*score / largest).min(1.0);
    }
    fused
}
