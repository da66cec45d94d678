use serde::{Deserialize, Serialize};

use crate::{ChunkId, PassageId};

/// One query's whole story. `explain`, `eval` and `diagnose` read this and nothing else.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Trace {
    /// The question as asked.
    pub query: String,
    /// Sequence number of the snapshot.
    pub sequence: u64,
    /// Hash of the index's fingerprint.
    pub fingerprint: String,
    /// The stages in the order they ran.
    pub stages: Vec<StageTrace>,
    /// Every candidate of either list and what became of it.
    pub candidates: Vec<CandidateTrace>,
    /// Sentences for the caller: fallbacks, weak evidence, what was left out.
    pub notices: Vec<String>,
}

/// What went in and out of one stage.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StageTrace {
    /// `embed_query`, `lexical`, `dense`, `fuse`, `assemble` ...
    pub stage: String,
    /// Candidates that entered.
    pub items_in: usize,
    /// Candidates that left.
    pub items_out: usize,
    /// Wall time.
    pub elapsed_us: u64,
    /// How it was done, such as `exact scan of 512 vectors`.
    pub detail: String,
}

/// Rank from 1 and raw score in one retriever.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RetrieverRank {
    /// From 1.
    pub rank: usize,
    /// Raw score of that retriever.
    pub score: f32,
}

/// One candidate's way through the cascade.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CandidateTrace {
    /// The chunk.
    pub chunk: ChunkId,
    /// For people.
    pub passage: Option<PassageId>,
    /// In the lexical list.
    pub lexical: Option<RetrieverRank>,
    /// In the dense list.
    pub dense: Option<RetrieverRank>,
    /// Among the candidates, by token vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_interaction: Option<RetrieverRank>,
    /// After fusion.
    pub fused: Option<RetrieverRank>,
    /// What multiplied its fused score.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<SignalFactor>,
    /// After the reranker, by the reranker's own scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reranked: Option<RetrieverRank>,
    /// Calibrated probability of relevance, where the reranker has a calibration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f32>,
    /// What became of it.
    pub outcome: CandidateOutcome,
}

impl CandidateTrace {
    /// A candidate of no list yet.
    #[must_use]
    pub fn of(chunk: ChunkId, outcome: CandidateOutcome) -> Self {
        Self {
            chunk,
            passage: None,
            lexical: None,
            dense: None,
            late_interaction: None,
            fused: None,
            signals: Vec::new(),
            reranked: None,
            relevance: None,
            outcome,
        }
    }
}

/// One reason why a fused score was multiplied.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SignalFactor {
    /// `authority`, `recency`, `version`, `links`, `popularity` ...
    pub signal: String,
    /// Above 1 raises, below 1 lowers.
    pub factor: f32,
    /// Why, such as `path rule policies/**: 1.5`.
    pub reason: String,
}

/// What became of a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CandidateOutcome {
    /// Returned as a passage.
    Returned,
    /// Ranked below the number of passages asked for.
    BelowLimit,
    /// All of its words stand in a better passage.
    Contained,
    /// Good enough but over the token budget.
    OverBudget,
    /// Says the same as a better passage, which keeps its source.
    Duplicate {
        /// The better one.
        of: ChunkId,
    },
    /// Shown inside the passage of a neighbour or a parent.
    Merged {
        /// The chunk that passage was made from.
        into: ChunkId,
    },
    /// Its document already fills its share of the context.
    SourceQuota,
    /// Its calibrated probability of relevance is below the cut-off that the settings name.
    BelowCutoff,
}
