use std::time::Duration;

use adit_core::{CandidateOutcome, CandidateTrace, Filter, IndexSnapshot, RetrieverRank, Scope, Trace};
use adit_index::Snapshot;
use adit_log::{Door, EvidenceFigures, LogError, SearchId, SearchLog, SearchRecord};
use adit_retrieve::{Evidence, Mode, Ranking, SearchRequest, SearchResponse};

/// What a search was asked, apart from the question, which its trace has.
#[derive(Debug, Clone, Copy)]
pub struct LoggedRequest<'a> {
    /// Who asked.
    pub scope: &'a Scope,
    /// What else had to hold.
    pub filter: &'a Filter,
    /// Which retrievers were asked.
    pub mode: Mode,
    /// Which way it came in.
    pub door: Door,
    /// Wall time of the search.
    pub elapsed: Duration,
}

impl<'a> LoggedRequest<'a> {
    /// What `request` was asked, through `door`.
    #[must_use]
    pub fn of(request: &SearchRequest<'a>, door: Door, elapsed: Duration) -> Self {
        Self { scope: request.scope, filter: request.filter, mode: request.mode, door, elapsed }
    }

    fn record(
        &self,
        log: &SearchLog,
        trace: &Trace,
        passages: usize,
        evidence: Option<EvidenceFigures>,
    ) -> Result<SearchId, LogError> {
        log.record(&SearchRecord {
            trace,
            scope: self.scope,
            filter: self.filter,
            door: self.door,
            mode: match self.mode {
                Mode::Hybrid => "hybrid",
                Mode::Dense => "dense",
                Mode::Lexical => "lexical",
            },
            passages,
            evidence,
            elapsed_us: u64::try_from(self.elapsed.as_micros()).unwrap_or(u64::MAX),
        })
    }
}

/// Writes a search that returned passages to the log; gives the id for its reader.
///
/// # Errors
/// [`LogError`]. A search never fails for it: say that it was not logged, and go on.
pub fn log_search(
    log: &SearchLog,
    request: &LoggedRequest<'_>,
    response: &SearchResponse,
) -> Result<SearchId, LogError> {
    let passages = response.passages.len() + response.omitted;
    request.record(log, &response.trace, passages, Some(evidence_figures(&response.evidence)))
}

/// Writes a search that returned documents without texts. It has no evidence, and of the candidates only
/// the order after fusion.
pub(crate) fn log_ranking(
    log: &SearchLog,
    request: &LoggedRequest<'_>,
    query: &str,
    snapshot: &Snapshot,
    ranking: Ranking,
    documents: usize,
) -> Result<SearchId, LogError> {
    let candidates = (1..).zip(&ranking.chunks).map(|(rank, chunk)| CandidateTrace {
        fused: Some(RetrieverRank { rank, score: chunk.score }),
        ..CandidateTrace::of(chunk.chunk, CandidateOutcome::BelowLimit)
    });
    let trace = Trace {
        query: query.to_owned(),
        sequence: snapshot.sequence().0,
        fingerprint: snapshot.fingerprint().hash(),
        candidates: candidates.collect(),
        stages: ranking.stages,
        notices: ranking.notices,
    };
    request.record(log, &trace, documents, None)
}

/// The figures of the log, from what retrieval weighed.
fn evidence_figures(evidence: &Evidence) -> EvidenceFigures {
    EvidenceFigures {
        is_weak: evidence.is_weak(),
        top_cosine: evidence.top_cosine,
        content_terms: evidence.content_terms,
        missing_terms: evidence.missing_terms.clone(),
    }
}
