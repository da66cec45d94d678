//! Looks again at logged searches, each as the reader who asked.

use std::collections::HashMap;
use std::sync::Arc;

use adit_core::{Classified, EmbedError, ErrorClass, Filter, LexicalSearch, Scope};
use adit_eval::gaps::{AskedQuestion, Outcome, TermStanding, question_words};
use adit_index::Snapshot;
use adit_lexical::Bm25Parameters;
use adit_log::{EvidenceFigures, LoggedSearch, REDACTED, Verdict};
use adit_retrieve::{Mode, SearchRequest};

use crate::failure::Failure;
use crate::read_session::ReadSession;

/// Different searches that are run again, at most; the newest are.
const MOST_RERUNS: usize = 1000;

/// How a search goes now.
#[derive(Clone)]
struct Rerun {
    outcome: Outcome,
    missing_terms: Vec<String>,
}

/// Everything that decides how a search goes.
type RerunKey = (String, Scope, String, String);

/// Runs searches again and looks words up, each only once.
pub(super) struct Examiner<'a> {
    session: &'a ReadSession,
    snapshot: Arc<Snapshot>,
    languages: Vec<String>,
    reruns: HashMap<RerunKey, Option<Rerun>>,
    vectors: HashMap<String, Option<Vec<f32>>>,
    chunks: HashMap<(String, Scope), u64>,
    not_rerun: usize,
}

impl<'a> Examiner<'a> {
    pub(super) fn new(session: &'a ReadSession) -> Self {
        let snapshot = session.retriever.index().snapshot();
        let languages = snapshot.languages().to_vec();
        let (reruns, vectors, chunks) = (HashMap::new(), HashMap::new(), HashMap::new());
        Self { session, snapshot, languages, reruns, vectors, chunks, not_rerun: 0 }
    }

    /// Languages of the collection.
    pub(super) fn languages(&self) -> &[String] {
        &self.languages
    }

    /// The searches as [`adit_eval::gaps::find_gaps`] wants them, in their order.
    pub(super) fn examine(&mut self, searches: &[LoggedSearch]) -> Result<Vec<AskedQuestion>, Failure> {
        // The newest first, so that the limit on reruns leaves out the oldest.
        let mut questions =
            searches.iter().rev().map(|search| self.question(search)).collect::<Result<Vec<_>, _>>()?;
        questions.reverse();
        Ok(questions)
    }

    /// Sentences about what was not looked at.
    pub(super) fn into_notices(self) -> Vec<String> {
        let mut notices = Vec::new();
        if self.not_rerun > 0 {
            notices.push(format!(
                "{} older searches were judged by the figures of their day only; name a later --since",
                self.not_rerun
            ));
        }
        if self.session.retriever.embedder().is_none() {
            notices.push("questions were grouped by their words: the model is not there".to_owned());
        }
        notices
    }

    fn question(&mut self, search: &LoggedSearch) -> Result<AskedQuestion, Failure> {
        let query = search.query.replace(REDACTED, " ");
        let in_question = is_in_question(search);
        let rerun = if in_question { self.rerun(search, &query)? } else { None };
        let vector = if in_question { self.vector(&query)? } else { None };
        let then = outcome(search.passages, search.evidence.as_ref());
        let now = rerun.as_ref().map(|rerun| rerun.outcome);
        let missing = match (&rerun, &search.evidence) {
            (Some(rerun), _) => rerun.missing_terms.as_slice(),
            (None, Some(evidence)) => evidence.missing_terms.as_slice(),
            (None, None) => &[],
        };
        let any_passage = now.unwrap_or(then).passages > 0;
        let mut terms = Vec::new();
        for term in question_words(&query, &self.languages) {
            let chunks = self.chunks_with(&term, &search.scope)?;
            let in_passages =
                any_passage && chunks > 0 && !missing.iter().any(|word| word.to_lowercase() == term);
            terms.push(TermStanding { term, chunks, in_passages });
        }
        Ok(AskedQuestion {
            id: search.id.to_string(),
            question: search.query.clone(),
            asker: asker(&search.scope),
            vector,
            then,
            now,
            terms,
            answered: search.verdict.map(|verdict| verdict == Verdict::Yes),
            note: search.note.clone(),
        })
    }

    /// The same search by the same reader now; `None` where it cannot be run as it was.
    fn rerun(&mut self, search: &LoggedSearch, query: &str) -> Result<Option<Rerun>, Failure> {
        let filter = serde_json::to_string(&search.filter).unwrap_or_default();
        let key = (query.to_owned(), search.scope.clone(), search.mode.clone(), filter);
        if let Some(known) = self.reruns.get(&key) {
            return Ok(known.clone());
        }
        let mode = mode_named(&search.mode);
        // Without a model there is no cosine, and the evidence of two searches cannot be compared.
        let is_comparable = mode == Mode::Lexical || self.session.retriever.embedder().is_some();
        if !is_comparable || self.reruns.len() >= MOST_RERUNS {
            self.not_rerun += usize::from(is_comparable);
            return Ok(None);
        }
        let request = SearchRequest { mode, ..SearchRequest::new(query, &search.scope, &search.filter) };
        let rerun = match self.session.retriever.search(&request) {
            Ok(response) => Some(Rerun {
                outcome: Outcome {
                    passages: response.passages.len() + response.omitted,
                    is_weak: Some(response.evidence.is_weak()),
                    top_cosine: response.evidence.top_cosine,
                },
                missing_terms: response.evidence.missing_terms,
            }),
            // What is left of a redacted question may be none.
            Err(error) if error.class() == ErrorClass::User => None,
            Err(error) => return Err(error.into()),
        };
        self.reruns.insert(key, rerun.clone());
        Ok(rerun)
    }

    fn vector(&mut self, query: &str) -> Result<Option<Vec<f32>>, Failure> {
        let Some(embedder) = self.session.retriever.embedder() else { return Ok(None) };
        if let Some(known) = self.vectors.get(query) {
            return Ok(known.clone());
        }
        if self.vectors.len() >= MOST_RERUNS {
            return Ok(None);
        }
        let vector = match embedder.embed_query(query) {
            Ok(vector) => Some(vector),
            Err(EmbedError::InputTooLong { .. }) => None,
            Err(error) => return Err(error.into()),
        };
        self.vectors.insert(query.to_owned(), vector.clone());
        Ok(vector)
    }

    /// Chunks that have `term`, 0 when none that the reader may see has it.
    fn chunks_with(&mut self, term: &str, scope: &Scope) -> Result<u64, Failure> {
        let key = (term.to_owned(), scope.clone());
        if let Some(known) = self.chunks.get(&key) {
            return Ok(*known);
        }
        let filter = Filter::default();
        let search = LexicalSearch { scope, filter: &filter, query: term, limit: 1 };
        let parameters = Bm25Parameters::default();
        let best = self.snapshot.search_lexical_with(search, parameters)?;
        let explained = match best.first() {
            Some(hit) => self.snapshot.explain_lexical_with(search, hit.chunk, parameters)?,
            None => None,
        };
        let chunks = explained
            .filter(|hit| hit.terms.len() >= self.parts(term))
            .and_then(|hit| hit.terms.iter().map(|matched| matched.document_frequency).min())
            .unwrap_or(0);
        self.chunks.insert(key, chunks);
        Ok(chunks)
    }

    /// How many words the index makes of one: a code such as `r-17` is there only if both parts are.
    fn parts(&self, term: &str) -> usize {
        let parts = term.split(|character: char| !character.is_alphanumeric());
        let counts =
            |part: &&str| part.chars().count() == 1 || !question_words(part, &self.languages).is_empty();
        parts.filter(counts).count().max(1)
    }
}

/// Whether a search failed, was uncertain, or was never weighed.
fn is_in_question(search: &LoggedSearch) -> bool {
    let looked_good = search.passages > 0 && search.evidence.as_ref().is_some_and(|one| !one.is_weak);
    match search.verdict {
        Some(Verdict::Yes) => false,
        Some(Verdict::No) => true,
        None => !looked_good,
    }
}

fn outcome(passages: usize, evidence: Option<&EvidenceFigures>) -> Outcome {
    Outcome {
        passages,
        is_weak: evidence.map(|evidence| evidence.is_weak),
        top_cosine: evidence.and_then(|evidence| evidence.top_cosine),
    }
}

fn mode_named(name: &str) -> Mode {
    match name {
        "lexical" => Mode::Lexical,
        "dense" => Mode::Dense,
        _ => Mode::Hybrid,
    }
}

/// The only name a reader has here: the tenant and whom they read as.
fn asker(scope: &Scope) -> String {
    let principals: Vec<&str> = scope.principals().iter().map(|principal| principal.0.as_str()).collect();
    format!("{} {}", scope.tenant(), principals.join(" "))
}
