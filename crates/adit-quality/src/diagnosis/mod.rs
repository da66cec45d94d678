//! One question whose answer is known: which stage lost it.

mod candidates;
mod document;
mod report;
mod text;

pub use report::{Diagnosis, Finding, Stage};

use std::path::Path;

use adit_catalog::CatalogView;
use adit_core::{AdministratorScope, ReadScope};
use adit_index::Snapshot;
use adit_retrieve::{Retriever, SearchRequest, SearchResponse};

use crate::QualityError;
use report::Findings;
use text::ExpectedPlace;

/// What is to be diagnosed.
#[derive(Debug, Clone, Copy)]
pub struct DiagnosisRequest<'a> {
    /// The question as the reader asked it: scope, filter, mode, limit and budget are theirs.
    pub search: SearchRequest<'a>,
    /// Words of the document that answer it.
    pub expected: &'a str,
    /// Where they are expected; `None` looks through every document.
    pub source: Option<&'a str>,
    /// The folder that sources are relative to, to compare with the files as they are now.
    pub base_folder: Option<&'a Path>,
    /// What a model answered, if it did.
    pub answer: Option<&'a str>,
}

/// Follows the expected words from the file to the passages, in a fixed order, and stops at the stage that
/// lost them. Looks at documents outside the reader's scope to tell whether rights are to blame: an
/// operator's act, which `administrator` stands for.
///
/// # Errors
/// A question that cannot be searched, a failing index or catalog.
pub fn diagnose(
    retriever: &Retriever,
    administrator: &AdministratorScope,
    request: &DiagnosisRequest<'_>,
) -> Result<Diagnosis, QualityError> {
    let response = retriever.search(&request.search)?;
    let snapshot = retriever.index().snapshot();
    let view = retriever.catalog().view()?;
    let case =
        Case { retriever, snapshot: &snapshot, view: &view, administrator, request, response: &response };
    case.run()
}

/// Everything the checks look at.
struct Case<'a> {
    retriever: &'a Retriever,
    snapshot: &'a Snapshot,
    view: &'a CatalogView,
    administrator: &'a AdministratorScope,
    request: &'a DiagnosisRequest<'a>,
    response: &'a SearchResponse,
}

impl Case<'_> {
    fn run(&self) -> Result<Diagnosis, QualityError> {
        let mut findings = Findings::new(self.request.search.query, self.request.expected);
        let places = match self.find_in_texts(&mut findings)? {
            Ok(places) => places,
            Err(diagnosis) => return Ok(diagnosis),
        };
        // Words that stand in several documents are found as soon as one of them is shown.
        if let Some(shown) = places.iter().find(|place| self.is_shown(place)) {
            findings.add(
                "context",
                true,
                format!("the passages shown contain it, from {}", shown.record.source),
            );
            return Ok(self.check_answer(findings));
        }
        let mut last = None;
        for place in &places {
            let mut own = findings.clone();
            let diagnosis = self.follow(place, &mut own)?;
            // The document that got furthest tells most.
            if last.as_ref().is_none_or(|best: &Diagnosis| diagnosis.findings.len() > best.findings.len()) {
                last = Some(diagnosis);
            }
        }
        Ok(last.unwrap_or_else(|| {
            findings.blame(Stage::Parser, "no document has these words", "check the quote")
        }))
    }

    /// The stages after extraction, for one document that has the words.
    fn follow(&self, place: &ExpectedPlace, findings: &mut Findings) -> Result<Diagnosis, QualityError> {
        if let Some(diagnosis) = self.check_version(place, findings) {
            return Ok(diagnosis);
        }
        let chunks = self.view.chunks_of(&place.record.id, ReadScope::Administrator(self.administrator))?;
        let holding = match self.check_chunks(place, &chunks, findings) {
            Ok(holding) => holding,
            Err(diagnosis) => return Ok(*diagnosis),
        };
        if let Some(diagnosis) = self.check_scope(place, findings) {
            return Ok(diagnosis);
        }
        self.check_cascade(place, &holding, findings)
    }

    /// Whether the passages shown cover the expected words, alone or together.
    fn is_shown(&self, place: &ExpectedPlace) -> bool {
        let passages = self.response.passages.iter().filter(|passage| passage.id.document == place.record.id);
        let mut parts: Vec<(usize, usize)> =
            passages.map(|passage| (passage.char_start, passage.char_end)).collect();
        parts.sort_unstable();
        let mut reached = place.char_start;
        for (start, end) in parts {
            if start <= reached {
                reached = reached.max(end);
            }
        }
        reached >= place.char_end
    }

    fn check_answer(&self, mut findings: Findings) -> Diagnosis {
        let Some(answer) = self.request.answer else {
            return findings.blame(
                Stage::None,
                "retrieval shows the expected words to whoever asks",
                "if the answer is still wrong, pass it with --answer to check it against the words",
            );
        };
        let missing = text::facts_missing(self.request.expected, answer);
        if missing.is_empty() {
            findings.add(
                "answer",
                true,
                "the answer has the names, codes and numbers of the expected words".into(),
            );
            return findings.blame(Stage::None, "the answer agrees with the expected words", "nothing to do");
        }
        findings.add("answer", false, format!("the answer lacks {}", missing.join(", ")));
        findings.blame(
            Stage::Generation,
            "the expected words were in the context and the answer does not use them",
            "look at the prompt and the model; put fewer passages into the context",
        )
    }
}
