use std::ops::ControlFlow;

use adit_core::{CompletionRequest, LanguageModel, LanguageModelError, Message, TokenUsage};
use adit_cost::{Price, Usage, cost_usd};

use crate::answer_check::checked_answer;
use crate::{EnrichError, EnrichKind, EnrichmentKey, EnrichmentStore, estimated_tokens};

/// Unreadable or rejected answers in a row after which a run ends: then it is not the chunk's fault.
const FAILURES_IN_A_ROW: u32 = 3;

/// A document and its chunks' own words, in reading order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentToEnrich {
    /// The extracted text, whole.
    pub text: String,
    /// The `display` of each chunk.
    pub chunks: Vec<String>,
}

/// What a run may spend. Before each call the most it could cost, by estimated tokens, must still fit.
#[derive(Debug, Clone, Default)]
pub struct EnrichBudget {
    /// Tokens read and written together.
    pub max_tokens: Option<u64>,
    /// US dollars, and the price that counts them.
    pub max_usd: Option<(f64, Price)>,
}

/// Where a run is, told after each chunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EnrichProgress {
    /// Chunks looked at.
    pub chunks_done: u64,
    /// Chunks in all.
    pub chunks_total: u64,
}

/// Why a run ended before its last chunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StopCause {
    /// The next call might not fit.
    Budget,
    /// The caller asked for it.
    Cancelled,
    /// The model failed in a way that the next call would too.
    Model(LanguageModelError),
}

/// What a run did. Every chunk is in exactly one of the counts, `left` included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct EnrichOutcome {
    /// Answered now and kept.
    pub written: u64,
    /// Answered now, paid and refused.
    pub refused: u64,
    /// Answered by an earlier run.
    pub kept: u64,
    /// Not answered because the model failed at this chunk or its document is too long.
    pub failed: u64,
    /// Not reached.
    pub left: u64,
    /// What this run's answers took.
    pub usage: TokenUsage,
    /// What calls without a readable answer may have taken, by estimate: it counts against this run's budget.
    pub unconfirmed_usage: TokenUsage,
    /// Why the run ended early.
    pub stopped: Option<StopCause>,
}

/// Asks a model for each chunk, one document's chunks back to back behind the cached document.
pub struct Enricher<'a> {
    model: &'a dyn LanguageModel,
    store: &'a EnrichmentStore,
    kind: EnrichKind,
    budget: EnrichBudget,
}

/// How the run goes on after a chunk.
enum Step {
    Next,
    NextDocument,
    Stop(StopCause),
}

impl<'a> Enricher<'a> {
    /// An enricher that has spent nothing.
    #[must_use]
    pub fn new(
        model: &'a dyn LanguageModel,
        store: &'a EnrichmentStore,
        kind: EnrichKind,
        budget: EnrichBudget,
    ) -> Self {
        Self { model, store, kind, budget }
    }

    /// Enriches every chunk that has no answer yet. `on_progress` is told after each chunk and may end the run
    /// between two calls.
    ///
    /// # Errors
    /// [`EnrichError`] when an answer cannot be kept; a model's failure stands in the outcome.
    pub fn run(
        &self,
        documents: &[DocumentToEnrich],
        on_progress: &mut dyn FnMut(EnrichProgress) -> ControlFlow<()>,
    ) -> Result<EnrichOutcome, EnrichError> {
        let chunks_total = documents.iter().map(|document| document.chunks.len() as u64).sum();
        let mut outcome = EnrichOutcome::default();
        let (mut chunks_done, mut failures) = (0, 0);
        'run: for document in documents {
            for (index, chunk) in document.chunks.iter().enumerate() {
                let step = self.enrich_chunk(&document.text, chunk, &mut failures, &mut outcome)?;
                match step {
                    Step::Next => chunks_done += 1,
                    Step::NextDocument => {
                        let rest = (document.chunks.len() - index) as u64;
                        outcome.failed += rest;
                        chunks_done += rest;
                    }
                    Step::Stop(cause) => {
                        outcome.stopped = Some(cause);
                        break 'run;
                    }
                }
                let flow = on_progress(EnrichProgress { chunks_done, chunks_total });
                if flow.is_break() && chunks_done < chunks_total {
                    outcome.stopped = Some(StopCause::Cancelled);
                    break 'run;
                }
                if matches!(step, Step::NextDocument) {
                    break;
                }
            }
        }
        outcome.left = chunks_total - outcome.written - outcome.refused - outcome.kept - outcome.failed;
        Ok(outcome)
    }

    fn enrich_chunk(
        &self,
        document: &str,
        chunk: &str,
        failures: &mut u32,
        outcome: &mut EnrichOutcome,
    ) -> Result<Step, EnrichError> {
        let model = &self.model.description().model;
        let key = EnrichmentKey::of(document, chunk, self.kind, model);
        if self.store.get(&key)?.is_some() {
            outcome.kept += 1;
            return Ok(Step::Next);
        }
        let request = self.request(document, chunk);
        let mut spent = outcome.usage;
        spent += outcome.unconfirmed_usage;
        if !self.fits(&request, &spent) {
            return Ok(Step::Stop(StopCause::Budget));
        }
        let completion = match self.model.complete(&request) {
            Ok(completion) => completion,
            Err(LanguageModelError::TooLong { .. }) => return Ok(Step::NextDocument),
            Err(error) => {
                if may_be_billed(&error) {
                    outcome.unconfirmed_usage += most_usage(&request);
                }
                return Ok(after_failure(error, failures, outcome));
            }
        };
        *failures = 0;
        let answer = checked_answer(&completion, self.kind);
        self.store.put(&key, self.kind, model, &answer, &completion.usage)?;
        outcome.usage += completion.usage;
        match answer {
            Ok(_) => outcome.written += 1,
            Err(_) => outcome.refused += 1,
        }
        Ok(Step::Next)
    }

    fn request(&self, document: &str, chunk: &str) -> CompletionRequest {
        let mut prefix = Message::user(format!("<document>\n{document}\n</document>"));
        prefix.cache_here = true;
        let question = Message::user(format!("<part>\n{chunk}\n</part>\n{}", self.kind.instruction()));
        CompletionRequest::conversation(
            self.kind.system(),
            vec![prefix, question],
            self.kind.max_output_tokens(),
        )
    }

    /// Whether the dearest outcome of `request`, all of it written to the cache, stays within the budget.
    fn fits(&self, request: &CompletionRequest, spent: &TokenUsage) -> bool {
        let input = estimated_tokens(&request.system).saturating_add(estimated_tokens(&request.user_text()));
        let output = request.max_output_tokens as u64;
        let spent_tokens = spent.read_tokens().saturating_add(spent.output_tokens);
        let most_tokens = spent_tokens.saturating_add(input).saturating_add(output);
        let usd_fits = self.budget.max_usd.as_ref().is_none_or(|(max_usd, price)| {
            let written = Usage { cache_write_tokens: input, output_tokens: output, ..Usage::default() };
            let plain = Usage::plain(input, output);
            let next_usd = cost_usd(&written, price).max(cost_usd(&plain, price));
            cost_usd(&billed(spent), price) + next_usd <= *max_usd
        });
        usd_fits && self.budget.max_tokens.is_none_or(|max| most_tokens <= max)
    }
}

fn billed(usage: &TokenUsage) -> Usage {
    Usage {
        input_tokens: usage.input_tokens,
        cached_input_tokens: usage.cached_input_tokens,
        cache_write_tokens: usage.cache_write_tokens,
        output_tokens: usage.output_tokens,
        embedded_tokens: 0,
    }
}

fn may_be_billed(error: &LanguageModelError) -> bool {
    matches!(
        error,
        LanguageModelError::UnreadableAnswer { .. }
            | LanguageModelError::Interrupted { may_be_billed: true, .. }
    )
}

/// The dearest outcome of `request`: all of it written to the cache, and the longest answer.
fn most_usage(request: &CompletionRequest) -> TokenUsage {
    TokenUsage {
        cache_write_tokens: estimated_tokens(&request.system)
            .saturating_add(estimated_tokens(&request.user_text())),
        output_tokens: request.max_output_tokens as u64,
        ..TokenUsage::default()
    }
}

/// One bad chunk is passed over; what would meet every chunk ends the run.
fn after_failure(error: LanguageModelError, failures: &mut u32, outcome: &mut EnrichOutcome) -> Step {
    *failures += 1;
    let is_this_chunks =
        matches!(error, LanguageModelError::UnreadableAnswer { .. } | LanguageModelError::Rejected { .. });
    if is_this_chunks && *failures < FAILURES_IN_A_ROW {
        outcome.failed += 1;
        return Step::Next;
    }
    Step::Stop(StopCause::Model(error))
}
