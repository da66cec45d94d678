use adit_catalog::{CatalogView, StoredChunk};
use adit_core::{
    CandidateOutcome, ChunkId, DocumentId, LexicalSearch, PassageId, ReadScope, RetrieverRank, ScoredChunk,
    SignalFactor, TermContribution, Trace,
};
use adit_index::Snapshot;
use serde::{Deserialize, Serialize};

use crate::candidates::{self, Candidates};
use crate::retriever::checked;
use crate::{Mode, RetrieveError, Retriever, SearchRequest, SearchResponse};

/// How deep both lists are looked through.
const EXPLAINED_DEPTH: usize = 1_000;
/// Chunks of one target that are explained, the best ranked first.
const EXPLAINED_CHUNKS: usize = 5;

/// What is to be explained.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExplainTarget {
    /// One passage.
    Passage(PassageId),
    /// The best chunks of one document.
    Document(DocumentId),
    /// The chunks that contain these words; or, when the text is the path of a document, that document.
    Text(String),
}

impl ExplainTarget {
    /// Reads a passage id (`3f9a1c20b7d4#2`), a document id (12 hexadecimal digits), or else a path or quote.
    #[must_use]
    pub fn read(text: &str) -> Self {
        let text = text.trim();
        let is_id = |id: &str| id.len() == 12 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        let bare = text.trim_start_matches("doc:");
        match text.parse::<PassageId>() {
            Ok(passage) if is_id(passage.document.as_str()) => Self::Passage(passage),
            _ if is_id(bare) => Self::Document(DocumentId::from_stored(bare)),
            _ => Self::Text(text.to_owned()),
        }
    }
}

impl std::fmt::Display for ExplainTarget {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Passage(passage) => write!(formatter, "passage {passage}"),
            Self::Document(document) => write!(formatter, "document {document}"),
            Self::Text(text) => write!(formatter, "`{text}`"),
        }
    }
}

/// Where a target stood and why.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Explanation {
    /// The question.
    pub query: String,
    /// The target in words.
    pub target: String,
    /// Its chunks, the best ranked first; empty when nothing in scope matches the target.
    pub chunks: Vec<ExplainedChunk>,
    /// Sentences for the caller.
    pub notices: Vec<String>,
    /// The search as it was answered.
    pub trace: Trace,
}

/// One chunk's way through the cascade.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct ExplainedChunk {
    /// For citations.
    pub passage: PassageId,
    /// Path or URI.
    pub source: String,
    /// Headings above it.
    pub heading_path: Vec<String>,
    /// By words, to depth 1,000.
    pub lexical: Option<RetrieverRank>,
    /// The BM25 score taken apart.
    pub lexical_terms: Vec<TermContribution>,
    /// By meaning, to depth 1,000.
    pub dense: Option<RetrieverRank>,
    /// By token vectors, among the candidates of both; `None` where it has no codes or they were not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late_interaction: Option<RetrieverRank>,
    /// After fusion of the lists at the depth that was asked for.
    pub fused: Option<RetrieverRank>,
    /// After the reranker, by the reranker's own scores.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reranked: Option<RetrieverRank>,
    /// Calibrated probability of relevance.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relevance: Option<f32>,
    /// What multiplied its fused score, each with its reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub signals: Vec<SignalFactor>,
    /// What became of it; `None` when it was no candidate.
    pub outcome: Option<CandidateOutcome>,
    /// The same in words, with what it would have taken.
    pub verdict: String,
}

impl Retriever {
    /// Why a passage, document or quote was or was not among the answers. What lies outside the scope is
    /// unknown here, as it is to every search.
    ///
    /// # Errors
    /// As [`Retriever::search`].
    pub fn explain(
        &self,
        request: &SearchRequest<'_>,
        target: &ExplainTarget,
    ) -> Result<Explanation, RetrieveError> {
        let request = &checked(request)?;
        let snapshot = self.index().snapshot();
        let view = self.catalog().view()?;
        let response = self.search_in(&snapshot, &view, request)?;
        let deeper = SearchRequest { depth: EXPLAINED_DEPTH.max(request.depth), ..*request };
        let deep = candidates::gather(&snapshot, self.embedder(), self.late_interaction(), &deeper)?;
        let mut stored = resolve(&view, request, target)?;
        let mut notices = response.notices.clone();
        if stored.is_empty() {
            notices.push(format!("nothing in this scope matches {target}"));
        }
        stored.sort_by_key(|one| {
            let rank = |rank: Option<RetrieverRank>| rank.map_or(usize::MAX, |rank| rank.rank);
            (rank(deep.fused_rank(one.chunk_id)), one.chunk.index)
        });
        let more = stored.len().saturating_sub(EXPLAINED_CHUNKS);
        if more > 0 {
            notices.push(format!("{more} more chunks of {target} rank lower and are not shown"));
        }
        let chunks = stored.into_iter().take(EXPLAINED_CHUNKS);
        let chunks = chunks.map(|one| explain_chunk(&snapshot, request, &deep, &response, one));
        let chunks = chunks.collect::<Result<_, _>>()?;
        Ok(Explanation {
            query: request.query.to_owned(),
            target: target.to_string(),
            chunks,
            notices,
            trace: response.trace,
        })
    }
}

fn resolve(
    view: &CatalogView,
    request: &SearchRequest<'_>,
    target: &ExplainTarget,
) -> Result<Vec<StoredChunk>, RetrieveError> {
    let scope = ReadScope::Reader(request.scope);
    match target {
        ExplainTarget::Document(document) => Ok(view.chunks_of(document, scope)?),
        ExplainTarget::Passage(passage) => {
            let mut chunks = view.chunks_of(&passage.document, scope)?;
            chunks.retain(|stored| stored.chunk.index == passage.chunk_index);
            Ok(chunks)
        }
        ExplainTarget::Text(text) => {
            let of_path = view.documents(scope)?.into_iter().find(|record| record.source == *text);
            if let Some(record) = of_path {
                return Ok(view.chunks_of(&record.id, scope)?);
            }
            let mut hits = Vec::new();
            view.grep(text, true, scope, EXPLAINED_CHUNKS * 4, &mut |hit| hits.push(hit))?;
            let mut found: Vec<StoredChunk> = Vec::new();
            for hit in hits {
                for stored in view.chunks_of(&hit.document, scope)? {
                    let known = found.iter().any(|one| one.chunk_id == stored.chunk_id);
                    if stored.chunk.range.overlaps(hit.range) && !known {
                        found.push(stored);
                    }
                }
            }
            Ok(found)
        }
    }
}

fn explain_chunk(
    snapshot: &Snapshot,
    request: &SearchRequest<'_>,
    deep: &Candidates,
    response: &SearchResponse,
    stored: StoredChunk,
) -> Result<ExplainedChunk, RetrieveError> {
    let chunk = stored.chunk_id;
    let search =
        LexicalSearch { scope: request.scope, filter: request.filter, query: request.query, limit: 1 };
    let hit = snapshot.explain_lexical_with(search, chunk, request.bm25)?;
    let candidate = response.trace.candidates.iter().find(|candidate| candidate.chunk == chunk);
    let mut explained = ExplainedChunk {
        passage: stored.passage_id(),
        source: stored.source,
        heading_path: stored.chunk.heading_path,
        lexical: deep.lexical_rank(chunk),
        lexical_terms: hit.map(|hit| hit.terms).unwrap_or_default(),
        dense: deep.dense_rank(chunk),
        late_interaction: deep.late_interaction_rank(chunk),
        fused: candidate.and_then(|candidate| candidate.fused),
        reranked: candidate.and_then(|candidate| candidate.reranked),
        relevance: candidate.and_then(|candidate| candidate.relevance),
        signals: candidate.map(|candidate| candidate.signals.clone()).unwrap_or_default(),
        outcome: candidate.map(|candidate| candidate.outcome),
        verdict: String::new(),
    };
    explained.verdict = if snapshot.document_of(request.scope, chunk).is_none() {
        "not in the published snapshot yet: it was committed after it; run the command again".to_owned()
    } else if !snapshot.is_allowed(request.scope, request.filter, chunk) {
        "excluded by the filter".to_owned()
    } else {
        verdict(&explained, chunk, request, deep, &response.trace)
    };
    Ok(explained)
}

fn verdict(
    one: &ExplainedChunk,
    chunk: ChunkId,
    request: &SearchRequest<'_>,
    deep: &Candidates,
    trace: &Trace,
) -> String {
    // The trace is in the order that was shown, which a reranker may have changed after fusion.
    let place = trace.candidates.iter().position(|candidate| candidate.chunk == chunk).map_or(0, |at| at + 1);
    match one.outcome {
        Some(CandidateOutcome::Returned) => format!("returned at rank {place}"),
        Some(CandidateOutcome::Contained) => {
            "left out: all of its words stand in a better passage".to_owned()
        }
        Some(CandidateOutcome::Duplicate { of }) => {
            format!("left out: says the same as chunk {}, which stands higher and keeps its source", of.0)
        }
        Some(CandidateOutcome::Merged { into }) => {
            format!("shown inside the passage made from chunk {}", into.0)
        }
        Some(CandidateOutcome::SourceQuota) => {
            format!("rank {place}, left out: its document already fills its share of the context")
        }
        Some(CandidateOutcome::BelowCutoff) => {
            format!(
                "rank {place}, left out: its probability of relevance is below the cut-off of the settings"
            )
        }
        Some(CandidateOutcome::OverBudget) => format!(
            "rank {place} of the limit of {}, but over the budget of {} tokens: raise the budget",
            request.limit, request.budget_tokens
        ),
        Some(CandidateOutcome::BelowLimit) => {
            let last = request.limit.checked_sub(1).and_then(|last| trace.candidates.get(last));
            let compared = last.and_then(|last| match one.reranked.zip(last.reranked) {
                Some(reranked) => Some(reranked),
                None if last.reranked.is_some() => None,
                None => one.fused.zip(last.fused),
            });
            let needed = compared.map_or_else(String::new, |(own, last)| {
                format!(" (score {:.3}, the last one shown has {:.3})", own.score, last.score)
            });
            format!(
                "rank {place}, below the limit of {}{needed}: raise the limit or name it more exactly",
                request.limit
            )
        }
        None => {
            let mut reasons = Vec::new();
            if deep.dense.is_some() {
                let list = deep.dense.as_deref();
                reasons.push(distance("dense", one.dense, list, request.depth, "beyond rank 1,000"));
            }
            if request.mode != Mode::Dense {
                let absent =
                    if one.lexical_terms.is_empty() { "no shared term" } else { "beyond rank 1,000" };
                let list = deep.lexical.as_deref();
                reasons.push(distance("lexical", one.lexical, list, request.depth, absent));
            }
            format!("no candidate: {}", reasons.join("; "))
        }
    }
}

/// How far outside the candidates, and the score that would have been enough.
fn distance(
    name: &str,
    rank: Option<RetrieverRank>,
    list: Option<&[ScoredChunk]>,
    depth: usize,
    absent: &str,
) -> String {
    let last = list.and_then(|list| list.get(depth.checked_sub(1)?)).map(|hit| hit.score);
    match (rank, last) {
        (Some(rank), Some(last)) => format!(
            "{name} rank {}, outside the {depth} candidates (score {:.3}, the last candidate has {last:.3})",
            rank.rank, rank.score
        ),
        (Some(rank), None) => format!("{name} rank {}, outside the {depth} candidates", rank.rank),
        (None, Some(last)) => format!("{name}: {absent} (the last candidate has {last:.3})"),
        (None, None) => format!("{name}: {absent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_read_by_their_form() {
        assert!(matches!(ExplainTarget::read("doc:3f9a1c20b7d4#2"), ExplainTarget::Passage(_)));
        assert!(matches!(ExplainTarget::read("3f9a1c20b7d4"), ExplainTarget::Document(_)));
        assert!(matches!(ExplainTarget::read("issue #2"), ExplainTarget::Text(_)));
        assert!(matches!(ExplainTarget::read("handbook/refunds.md"), ExplainTarget::Text(_)));
    }
}
