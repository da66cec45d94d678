use serde::{Deserialize, Serialize};

use crate::{ChunkId, PassageId};

/// What a search returns: the document's own words with everything needed to cite them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Passage {
    /// For citations: `3f9a1c20b7d4#2`.
    pub id: PassageId,
    /// Row in the catalog.
    pub chunk: ChunkId,
    /// Path or URI of the document.
    pub source: String,
    /// Title of the document.
    pub title: String,
    /// Headings above it, outermost first.
    pub heading_path: Vec<String>,
    /// First page, from 1.
    pub page_start: Option<u32>,
    /// Last page, from 1.
    pub page_end: Option<u32>,
    /// First character in the extracted text.
    pub char_start: usize,
    /// One past the last character.
    pub char_end: usize,
    /// Header rows of the table this passage continues.
    pub table_header: Option<String>,
    /// The document's words.
    pub text: String,
    /// Other places where the same words stand, as sources; folded into this passage.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub also_in: Vec<String>,
    /// Rank from 1 and scores.
    pub scores: PassageScores,
    /// Length as counted against the budget, header lines included.
    pub token_count: usize,
}

/// Where a passage stood. `score` is agreement between the retrievers, 1.0 meaning first in every
/// list that was searched; it is not a probability and not comparable between questions.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct PassageScores {
    /// Rank after fusion, from 1.
    pub rank: usize,
    /// Fused score, 0 to 1; what it means depends on how the lists were joined. No probability.
    pub score: f32,
    /// Rank and BM25 score by words.
    pub lexical: Option<(usize, f32)>,
    /// Rank and cosine by meaning.
    pub dense: Option<(usize, f32)>,
    /// Rank and score by token vectors.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_interaction: Option<(usize, f32)>,
    /// Rank and score by the reranker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reranker: Option<(usize, f32)>,
    /// Calibrated probability that the passage is relevant, where there is a calibration.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f32>,
}
