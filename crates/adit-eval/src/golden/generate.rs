use std::collections::BTreeSet;

use adit_core::{Classified, CompletionRequest, ErrorClass, LanguageModel, LanguageModelError};
use thiserror::Error;

use super::check::{WISHED_UNANSWERABLE_SHARE, question_key};
use super::file::GoldenSet;
use super::generated::{GeneratedGolden, Rejection, RejectionReason, StopReason};
use super::item::{GoldenItem, GoldenSpan, default_golden_id};
use super::keyword_match::keyword_share;
use super::locate::{Placement, place_span};
use super::prompts::{ModelQuestion, answerable_request, read_answer, unanswerable_request};
use super::sample::{SourceChunk, sample_by_stratum};

/// How questions are generated.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GenerateSettings {
    /// Questions wished, unanswerable ones included.
    pub questions: usize,
    /// Share of them that the collection does not answer, 0 to 1.
    pub unanswerable_share: f64,
    /// The most calls of the model, failed ones included. Never exceeded.
    pub max_calls: usize,
    /// Questions with a higher [`keyword_share`] are rejected as trivial.
    pub most_keyword_share: f64,
    /// The most tokens of one answer.
    pub max_output_tokens: usize,
    /// Another number takes other chunks.
    pub seed: u64,
}

impl Default for GenerateSettings {
    fn default() -> Self {
        Self {
            questions: 100,
            unanswerable_share: WISHED_UNANSWERABLE_SHARE,
            max_calls: 300,
            most_keyword_share: 0.7,
            max_output_tokens: 400,
            seed: 0,
        }
    }
}

/// Why nothing was generated.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum GenerateError {
    /// The user's fault: nothing to ask about.
    #[error("there is no text to make questions from")]
    NoChunks,
    /// The search that checks unanswerable questions failed.
    #[error("the search that checks whether a question is answered failed: {detail}")]
    Search {
        /// What it said.
        detail: String,
    },
}

impl Classified for GenerateError {
    fn class(&self) -> ErrorClass {
        match self {
            Self::NoChunks => ErrorClass::User,
            Self::Search { .. } => ErrorClass::Internal,
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::NoChunks => Some("index documents first: `adit index PATH`".to_owned()),
            Self::Search { .. } => None,
        }
    }
}

/// Makes questions with their gold from `chunks`, taken by stratum, one call a chunk.
///
/// `is_answered` says whether the collection seems to answer a question that was meant to be
/// unanswerable. What is made before the model fails for good is returned, with the reason.
///
/// # Errors
/// [`GenerateError::NoChunks`]; [`GenerateError::Search`] with what `is_answered` said.
pub fn generate_golden(
    chunks: &[SourceChunk],
    existing: &GoldenSet,
    model: &dyn LanguageModel,
    is_answered: &mut dyn FnMut(&str) -> Result<bool, String>,
    settings: &GenerateSettings,
) -> Result<GeneratedGolden, GenerateError> {
    if chunks.iter().all(|chunk| chunk.text.trim().is_empty()) {
        return Err(GenerateError::NoChunks);
    }
    let share = settings.unanswerable_share.clamp(0.0, 1.0);
    let unanswerable = part_of(settings.questions, share);
    let answerable = settings.questions - unanswerable;
    let mut generation = Generation::new(existing, model, settings);
    let mut order = sample_by_stratum(chunks, settings.seed).into_iter();
    // Answerable questions leave their share of the calls to the others.
    let call_limit = settings.max_calls - part_of(settings.max_calls, share);
    generation.fill(answerable, call_limit, chunks, &mut order, &mut |generation, chunk| {
        generation.try_answerable(chunk);
        Ok(())
    })?;
    // Where fewer answerable ones were made, the share stays; a chunk may serve for both kinds.
    let reached = generation.made.items.len() as f64 / answerable.max(1) as f64;
    let unanswerable = if answerable == 0 { unanswerable } else { part_of(unanswerable, reached) };
    let mut order = order.chain(sample_by_stratum(chunks, settings.seed.wrapping_add(1)));
    generation.fill(unanswerable, settings.max_calls, chunks, &mut order, &mut |generation, chunk| {
        generation.try_unanswerable(chunk, is_answered)
    })?;
    Ok(generation.made)
}

/// `share` (0 to 1) of `count`, rounded.
fn part_of(count: usize, share: f64) -> usize {
    (count as f64 * share).round() as usize
}

struct Generation<'a> {
    model: &'a dyn LanguageModel,
    settings: &'a GenerateSettings,
    questions: BTreeSet<String>,
    ids: BTreeSet<String>,
    made: GeneratedGolden,
}

impl<'a> Generation<'a> {
    fn new(existing: &GoldenSet, model: &'a dyn LanguageModel, settings: &'a GenerateSettings) -> Self {
        Self {
            model,
            settings,
            questions: existing.items.iter().map(|item| question_key(&item.question)).collect(),
            ids: existing.items.iter().map(|item| item.id.clone()).collect(),
            made: GeneratedGolden {
                items: Vec::new(),
                rejected: Vec::new(),
                calls: 0,
                input_tokens: 0,
                output_tokens: 0,
                stopped: StopReason::Complete,
            },
        }
    }

    /// Tries chunk after chunk until `wanted` more items are there or something ends it.
    fn fill(
        &mut self,
        wanted: usize,
        call_limit: usize,
        chunks: &[SourceChunk],
        order: &mut dyn Iterator<Item = usize>,
        attempt: &mut dyn FnMut(&mut Self, &SourceChunk) -> Result<(), GenerateError>,
    ) -> Result<(), GenerateError> {
        let enough = self.made.items.len() + wanted;
        while self.made.items.len() < enough && self.may_go_on(call_limit) {
            let Some(chunk) = order.next().and_then(|index| chunks.get(index)) else {
                self.made.stopped = StopReason::NoMoreChunks;
                return Ok(());
            };
            if chunk.text.trim().is_empty() {
                continue;
            }
            attempt(self, chunk)?;
        }
        Ok(())
    }

    /// Whether the model may be asked again.
    fn may_go_on(&mut self, call_limit: usize) -> bool {
        if matches!(self.made.stopped, StopReason::Model(_)) {
            return false;
        }
        if self.made.calls >= call_limit {
            self.made.stopped = StopReason::CallBudget;
            return false;
        }
        true
    }

    fn try_answerable(&mut self, chunk: &SourceChunk) {
        let request = answerable_request(chunk, self.settings.max_output_tokens);
        let Some(answer) = self.ask(chunk, &request) else { return };
        match self.answerable_item(chunk, &answer) {
            Ok(item) => self.keep(item),
            Err(reason) => self.reject(chunk, Some(answer.question), reason),
        }
    }

    fn answerable_item(
        &self,
        chunk: &SourceChunk,
        answer: &ModelQuestion,
    ) -> Result<GoldenItem, RejectionReason> {
        let mut span = GoldenSpan::quoted(&chunk.source, answer.quote.trim());
        if span.problem().is_some() {
            return Err(RejectionReason::QuoteNotPlaced { best_similarity: 0.0 });
        }
        let placed = match place_span(&chunk.text, &span) {
            Placement::NotFound { best_similarity } => {
                return Err(RejectionReason::QuoteNotPlaced { best_similarity });
            }
            found => found.range().unwrap_or_default(),
        };
        // The gold is what the document says, not what the model made of it.
        let quote = placed.slice(&chunk.text).unwrap_or_default();
        let before = chunk.text.get(..placed.start).unwrap_or_default().chars().count();
        span.quote = Some(quote.to_owned());
        span.char_start = Some(chunk.char_start + before);
        span.char_end = Some(chunk.char_start + before + quote.chars().count());
        let share = keyword_share(&answer.question, quote, &chunk.language);
        if share > self.settings.most_keyword_share {
            return Err(RejectionReason::KeywordMatchable { share });
        }
        self.new_item(answer, vec![span])
    }

    fn try_unanswerable(
        &mut self,
        chunk: &SourceChunk,
        is_answered: &mut dyn FnMut(&str) -> Result<bool, String>,
    ) -> Result<(), GenerateError> {
        let request = unanswerable_request(chunk, self.settings.max_output_tokens);
        let Some(answer) = self.ask(chunk, &request) else { return Ok(()) };
        match self.new_item(&answer, Vec::new()) {
            Err(reason) => self.reject(chunk, Some(answer.question), reason),
            Ok(item) => {
                if is_answered(&item.question).map_err(|detail| GenerateError::Search { detail })? {
                    self.reject(chunk, Some(answer.question), RejectionReason::Answered);
                } else {
                    self.keep(item);
                }
            }
        }
        Ok(())
    }

    fn new_item(
        &self,
        answer: &ModelQuestion,
        spans: Vec<GoldenSpan>,
    ) -> Result<GoldenItem, RejectionReason> {
        let question = answer.question.trim().to_owned();
        let id = default_golden_id(&question, &spans);
        if self.questions.contains(&question_key(&question)) || self.ids.contains(&id) {
            return Err(RejectionReason::Duplicate);
        }
        Ok(GoldenItem {
            id,
            category: Some(if spans.is_empty() { "unanswerable" } else { "generated" }.to_owned()),
            answerable: !spans.is_empty(),
            expected_answer: answer.answer.clone().filter(|_| !spans.is_empty()),
            question,
            spans,
        })
    }

    /// One call; what cannot be used is noted.
    fn ask(&mut self, chunk: &SourceChunk, request: &CompletionRequest) -> Option<ModelQuestion> {
        self.made.calls += 1;
        let completion = match self.model.complete(request) {
            Ok(completion) => completion,
            Err(error) => {
                self.note_failure(chunk, &error);
                return None;
            }
        };
        self.made.input_tokens += completion.usage.read_tokens();
        self.made.output_tokens += completion.usage.output_tokens;
        read_answer(&completion.text)
            .map_err(|detail| self.reject(chunk, None, RejectionReason::Unreadable { detail }))
            .ok()
    }

    /// Passing trouble costs one chunk; lasting trouble would cost every further call.
    fn note_failure(&mut self, chunk: &SourceChunk, error: &LanguageModelError) {
        if error.is_retryable() {
            self.reject(chunk, None, RejectionReason::CallFailed { detail: error.to_string() });
        } else {
            self.made.stopped = StopReason::Model(error.to_string());
        }
    }

    fn keep(&mut self, item: GoldenItem) {
        self.questions.insert(question_key(&item.question));
        self.ids.insert(item.id.clone());
        self.made.items.push(item);
    }

    fn reject(&mut self, chunk: &SourceChunk, question: Option<String>, reason: RejectionReason) {
        self.made.rejected.push(Rejection { source: chunk.source.clone(), question, reason });
    }
}
