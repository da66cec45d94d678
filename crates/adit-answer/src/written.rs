use adit_core::TokenUsage;
use adit_retrieve::SearchResponse;

use crate::answerer::{Draft, warnings};
use crate::sufficiency::Corrected;
use crate::{AnswerOutcome, Answerer, AskRequest, REFUSAL, is_refusal};

/// An answer that somebody else had a model write, and how it came to be.
#[derive(Debug, Clone, Copy)]
pub struct WrittenAnswer<'a> {
    /// Its words, citations as `[doc:ID#N]`; a refusal starts as [`crate::REFUSAL`] does. Empty where nothing was
    /// written.
    pub text: &'a str,
    /// The model that wrote it.
    pub model: &'a str,
    /// Whether it was cut off.
    pub is_cut_off: bool,
    /// What was searched for beside the question.
    pub searches: &'a [String],
    /// What the calls before are billed for.
    pub usage: TokenUsage,
    /// How many there were, failed ones included.
    pub model_calls: usize,
    /// Why nothing was written, where `text` is empty.
    pub gave_up: Option<&'a str>,
    /// Sentences for the caller.
    pub notices: &'a [String],
}

impl Answerer {
    /// Makes an outcome of an answer that was written from the passages of `response`: every claim is checked
    /// against them as [`Answerer::ask`] checks its own.
    #[must_use]
    pub fn check_written(
        &self,
        request: &AskRequest<'_>,
        response: SearchResponse,
        written: &WrittenAnswer<'_>,
    ) -> AnswerOutcome {
        let mut notices = written.notices.to_vec();
        notices.extend(warnings(&response.passages));
        let corrected = Corrected {
            response,
            rewrites: written.searches.to_vec(),
            usage: TokenUsage::default(),
            model_calls: 0,
            notices: Vec::new(),
            is_outside: false,
        };
        let (usage, model_calls) = (written.usage, written.model_calls);
        let draft = Draft { request, query: request.search.query, corrected, notices, usage, model_calls };
        let text = written.text.trim();
        if let Some(reason) = written.gave_up {
            return draft.refused_because(REFUSAL.to_owned(), reason.to_owned(), None);
        }
        if text.is_empty() {
            return draft.refused();
        }
        if is_refusal(text) {
            return draft.refused_by_the_model(text.to_owned(), written.model.to_owned());
        }
        self.verified(draft, text, Some(written.model.to_owned()), written.is_cut_off)
    }
}
