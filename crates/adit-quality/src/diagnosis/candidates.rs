//! The cascade: candidates of both retrievers, their fused order, the context.

use adit_catalog::StoredChunk;
use adit_core::{CandidateOutcome, DenseSearch, Fingerprint, IndexSnapshot, LexicalSearch};
use adit_retrieve::{ExplainTarget, ExplainedChunk, Mode};

use super::report::{Diagnosis, Findings, Stage};
use super::text::ExpectedPlace;
use super::{Case, QualityError};
use crate::stored_vector::{stale_cosine, stored_vector};

/// Why a retriever cannot have found a chunk, whatever was asked.
struct Defect {
    stage: Stage,
    evidence: String,
    reason: &'static str,
    remedy: &'static str,
}

impl Case<'_> {
    /// Where the best of the chunks that hold the words left the cascade.
    pub(super) fn check_cascade(
        &self,
        place: &ExpectedPlace,
        holding: &[StoredChunk],
        findings: &mut Findings,
    ) -> Result<Diagnosis, QualityError> {
        let mut best: Option<(StoredChunk, ExplainedChunk)> = None;
        for stored in holding {
            let target = ExplainTarget::Passage(stored.passage_id());
            let explanation = self.retriever.explain(&self.request.search, &target)?;
            let Some(explained) = explanation.chunks.into_iter().next() else { continue };
            if best.as_ref().is_none_or(|(_, other)| closeness(&explained) < closeness(other)) {
                best = Some((stored.clone(), explained));
            }
        }
        let Some((stored, explained)) = best else {
            findings.add(
                "version",
                false,
                format!("{} is not in the published snapshot", place.record.source),
            );
            return Ok(findings.blame(
                Stage::Version,
                "the snapshot lacks the document",
                "run `adit rebuild`",
            ));
        };
        self.note_ranks(&explained, findings);
        match explained.outcome {
            Some(CandidateOutcome::Returned) => {
                findings.add("context", true, explained.verdict.clone());
                Ok(self.check_answer(findings.clone()))
            }
            Some(
                CandidateOutcome::OverBudget
                | CandidateOutcome::Contained
                | CandidateOutcome::Duplicate { .. }
                | CandidateOutcome::Merged { .. }
                | CandidateOutcome::SourceQuota
                | CandidateOutcome::BelowCutoff,
            ) => {
                findings.add("assembly", false, explained.verdict.clone());
                Ok(findings.blame(
                    Stage::Assembly,
                    "it ranked well enough and was left out of the context",
                    "raise the token budget (--budget), or ask for fewer passages so that this one fits",
                ))
            }
            Some(CandidateOutcome::BelowLimit) => Ok(self.blame_for_rank(&stored, &explained, findings)?),
            None => Ok(self.blame_for_absence(&stored, &explained, findings)?),
        }
    }

    fn note_ranks(&self, explained: &ExplainedChunk, findings: &mut Findings) {
        let search = &self.request.search;
        let shown = |rank: Option<adit_core::RetrieverRank>, deepest: usize| match rank {
            Some(rank) => format!("rank {} (score {:.3})", rank.rank, rank.score),
            None => format!("not among the first {deepest}"),
        };
        let is_in = |rank: Option<adit_core::RetrieverRank>, limit: usize| {
            rank.is_some_and(|rank| rank.rank <= limit)
        };
        if search.mode != Mode::Dense {
            let mut terms: Vec<String> =
                explained.lexical_terms.iter().map(|term| format!("`{}`", term.term)).collect();
            terms.truncate(8);
            let shared = if terms.is_empty() { "no word in common".to_owned() } else { terms.join(", ") };
            let evidence = format!("{}; {shared}", shown(explained.lexical, 1_000));
            findings.add("lexical", is_in(explained.lexical, search.depth), evidence);
        }
        if self.searches_meaning() {
            findings.add("dense", is_in(explained.dense, search.depth), shown(explained.dense, 1_000));
        }
        if explained.fused.is_some() {
            findings.add(
                "fusion",
                is_in(explained.fused, search.limit),
                shown(explained.fused, search.depth),
            );
        }
    }

    fn searches_meaning(&self) -> bool {
        self.request.search.mode != Mode::Lexical && self.retriever.embedder().is_some()
    }

    /// It was a candidate, below the limit.
    fn blame_for_rank(
        &self,
        stored: &StoredChunk,
        explained: &ExplainedChunk,
        findings: &mut Findings,
    ) -> Result<Diagnosis, QualityError> {
        let limit = self.request.search.limit;
        let place = |rank: Option<adit_core::RetrieverRank>| rank.map_or(usize::MAX, |rank| rank.rank);
        let is_reranked = self.response.trace.stages.iter().any(|stage| stage.stage == "rerank");
        if is_reranked && place(explained.fused) <= limit {
            return Ok(findings.blame(
                Stage::Rerank,
                "it was among the best after fusion and the reranker put it below the limit",
                "try another reranker, or search without one",
            ));
        }
        let best = place(explained.lexical).min(place(explained.dense));
        if best <= limit {
            return Ok(findings.blame(
                Stage::Fusion,
                format!(
                    "one retriever ranked it {best}, within the limit of {limit}; the fused order put it at {}",
                    place(explained.fused)
                ),
                "raise the limit (--limit), or search with the better retriever only (--mode)",
            ));
        }
        self.blame_a_retriever(stored, explained, findings, "ranked it too low")
    }

    /// It was no candidate at all.
    fn blame_for_absence(
        &self,
        stored: &StoredChunk,
        explained: &ExplainedChunk,
        findings: &mut Findings,
    ) -> Result<Diagnosis, QualityError> {
        self.blame_a_retriever(stored, explained, findings, "did not find it")
    }

    fn blame_a_retriever(
        &self,
        stored: &StoredChunk,
        explained: &ExplainedChunk,
        findings: &mut Findings,
        what: &str,
    ) -> Result<Diagnosis, QualityError> {
        let mut defects = Vec::new();
        if self.searches_meaning() {
            defects.extend(self.dense_defect(stored)?);
        }
        if self.request.search.mode != Mode::Dense {
            defects.extend(self.lexical_defect(stored, explained)?);
        }
        if let Some(defect) = defects.into_iter().next() {
            findings.add("index", false, defect.evidence);
            return Ok(findings.blame(defect.stage, defect.reason, defect.remedy));
        }
        let shares_words = !explained.lexical_terms.is_empty();
        let is_lexical =
            !self.searches_meaning() || (shares_words && self.request.search.mode != Mode::Dense);
        Ok(if is_lexical {
            let reason = if shares_words {
                format!("the search by words {what}: other chunks have more of the question's words")
            } else {
                format!("the search by words {what}: question and document have no word in common")
            };
            findings.blame(
                Stage::Lexical,
                reason,
                "ask with words of the document, such as its names and codes",
            )
        } else {
            findings.blame(
                Stage::Dense,
                format!("the search by meaning {what}, and only meaning connects question and document"),
                "ask in the document's words; a larger embedding model finds more by meaning",
            )
        })
    }

    /// Is the stored vector that of the chunk's text, and does the index hold it?
    fn dense_defect(&self, stored: &StoredChunk) -> Result<Option<Defect>, QualityError> {
        let Some(embedder) = self.retriever.embedder() else { return Ok(None) };
        let Some(vector) = stored_vector(self.view, stored.chunk_id)? else {
            return Ok(Some(Defect {
                stage: Stage::Dense,
                evidence: "the catalog has no vector for this chunk".to_owned(),
                reason: "the chunk has no vector",
                remedy: "index the document again: `adit index --reindex`",
            }));
        };
        if let Some(cosine) = stale_cosine(embedder, stored, &vector)? {
            return Ok(Some(Defect {
                stage: Stage::Dense,
                evidence: format!(
                    "the stored vector's cosine to the embedding of its own text is {cosine:.3}"
                ),
                reason: "the stored vector does not belong to the chunk's text",
                remedy: "embed everything again: `adit index --reindex`",
            }));
        }
        let fingerprint =
            Fingerprint { embedder: embedder.description().clone(), ..self.snapshot.fingerprint().clone() };
        let search = &self.request.search;
        let own = DenseSearch {
            scope: search.scope,
            filter: search.filter,
            vector: &vector,
            fingerprint: &fingerprint,
            limit: search.depth.max(1),
            ef_search: search.ef_search,
        };
        let exact = self.snapshot.search_dense_exact(own)?;
        let is_held = exact.iter().any(|hit| hit.chunk == stored.chunk_id);
        if !is_held {
            return Ok(Some(Defect {
                stage: Stage::Dense,
                evidence: "a search with the chunk's own vector does not return it".to_owned(),
                reason: "the vector index lacks the chunk",
                remedy: "run `adit rebuild`",
            }));
        }
        Ok(None)
    }

    /// Does the lexical index hold the chunk, and does its analyser see the question's words in it?
    fn lexical_defect(
        &self,
        stored: &StoredChunk,
        explained: &ExplainedChunk,
    ) -> Result<Option<Defect>, QualityError> {
        let search = &self.request.search;
        let own_words: String = stored.chunk.indexed.chars().take(400).collect();
        let own = LexicalSearch { scope: search.scope, filter: search.filter, query: &own_words, limit: 1 };
        if self.snapshot.explain_lexical_with(own, stored.chunk_id, search.bm25)?.is_none() {
            return Ok(Some(Defect {
                stage: Stage::Lexical,
                evidence: "the chunk's own first words do not match it".to_owned(),
                reason: "the lexical index lacks the chunk",
                remedy: "run `adit rebuild`",
            }));
        }
        let text = stored.chunk.indexed.to_lowercase();
        let unseen = search
            .query
            .split_whitespace()
            .map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase())
            .find(|word| word.chars().count() >= 5 && text.contains(word.as_str()));
        Ok(match unseen {
            Some(word) if explained.lexical_terms.is_empty() => Some(Defect {
                stage: Stage::Lexical,
                evidence: format!(
                    "`{word}` stands in the chunk, but not as a term of its own; the document was taken for language `{}`",
                    stored.language
                ),
                reason: "the analyser does not see the question's words in the document",
                remedy: "ask with the whole word as the document writes it",
            }),
            _ => None,
        })
    }
}

/// Smaller is closer to being shown.
fn closeness(explained: &ExplainedChunk) -> usize {
    let place = |rank: Option<adit_core::RetrieverRank>| rank.map_or(1_000_000, |rank| rank.rank);
    match explained.outcome {
        Some(CandidateOutcome::Returned) => 0,
        Some(
            CandidateOutcome::OverBudget
            | CandidateOutcome::Contained
            | CandidateOutcome::Duplicate { .. }
            | CandidateOutcome::Merged { .. }
            | CandidateOutcome::SourceQuota
            | CandidateOutcome::BelowCutoff,
        ) => 1,
        Some(CandidateOutcome::BelowLimit) => 1 + place(explained.fused),
        None => 1_000_000 + place(explained.lexical).min(place(explained.dense)),
    }
}
