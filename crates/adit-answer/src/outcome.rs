use std::fmt::Write;

use adit_core::{Passage, PassageId, TokenUsage};
use adit_retrieve::{SearchResponse, Sufficiency};
use serde::Serialize;

use crate::CheckedClaim;

/// The answer to a question, or the refusal of one, and everything about how it came to be.
#[derive(Debug, Clone, Serialize)]
pub struct AnswerOutcome {
    /// The words, with citations as `[doc:ID#N]`; the refusal's words where it was refused.
    pub answer: String,
    /// The passages that the answer cites, in the order of their first mention.
    pub citations: Vec<Citation>,
    /// Whether the documents do not answer.
    pub refused: bool,
    /// Why, and what to do next; none where an answer was given.
    pub refusal: Option<Refusal>,
    /// How far to trust it.
    pub confidence: Confidence,
    /// Every claim of the answer with what was found against it.
    pub claims: Vec<CheckedClaim>,
    /// Supported claims among all; none without a claim.
    pub faithfulness: Option<f32>,
    /// What the language model's calls are billed for, judge and rewrites included.
    pub usage: TokenUsage,
    /// Calls of the language model, failed ones included.
    pub model_calls: usize,
    /// The model that wrote the answer; none for an extractive one and for a refusal before generation.
    pub model: Option<String>,
    /// Whether the answer is sentences of the documents, selected without a model.
    pub extractive: bool,
    /// Whether the passages hold the answer, as far as it can be told without a model.
    pub sufficiency: Option<Sufficiency>,
    /// The calibrated probability behind it.
    pub evidence_probability: Option<f32>,
    /// Other questions that were searched because the evidence was weak.
    pub rewrites: Vec<String>,
    /// Sentences for the caller: fallbacks, what was cut or removed, weak evidence.
    pub notices: Vec<String>,
    /// The search that the answer was made from.
    #[serde(skip)]
    pub response: SearchResponse,
}

/// Why a question was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// In one sentence.
    pub reason: String,
    /// Words of the question that stand in none of the passages.
    pub missing_terms: Vec<String>,
    /// What to search or do next.
    pub next_steps: Vec<String>,
}

/// How far to trust an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Confidence {
    /// High or low.
    pub level: ConfidenceLevel,
    /// Why, in one sentence.
    pub reason: String,
}

/// See [`Confidence`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ConfidenceLevel {
    /// Every claim is supported and the evidence is sufficient.
    High,
    /// Anything else.
    Low,
}

/// A passage that an answer cites, resolved to where it stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Citation {
    /// As it is written in the answer.
    pub id: PassageId,
    /// Path or URI of the document.
    pub source: String,
    /// Its title.
    pub title: String,
    /// Headings above the passage, outermost first.
    pub heading_path: Vec<String>,
    /// First page, from 1.
    pub page_start: Option<u32>,
    /// Last page, from 1.
    pub page_end: Option<u32>,
    /// First character of the passage in the extracted text.
    pub char_start: usize,
    /// One past the last.
    pub char_end: usize,
}

impl Citation {
    pub(crate) fn of(passage: &Passage) -> Self {
        Self {
            id: passage.id.clone(),
            source: passage.source.clone(),
            title: passage.title.clone(),
            heading_path: passage.heading_path.clone(),
            page_start: passage.page_start,
            page_end: passage.page_end,
            char_start: passage.char_start,
            char_end: passage.char_end,
        }
    }
}

/// `[doc:ID#N] file > heading > heading, p. 3`, for people.
#[must_use]
pub fn citation_line(citation: &Citation) -> String {
    let mut line = format!("[doc:{}] {}", citation.id, citation.source);
    for heading in &citation.heading_path {
        let _ = write!(line, " > {}", heading.split_whitespace().collect::<Vec<_>>().join(" "));
    }
    match (citation.page_start, citation.page_end) {
        (Some(first), Some(last)) if last > first => {
            let _ = write!(line, ", pp. {first}-{last}");
        }
        (Some(page), _) => {
            let _ = write!(line, ", p. {page}");
        }
        _ => {}
    }
    line
}
