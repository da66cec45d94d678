use std::ops::ControlFlow;
use std::sync::Arc;

use adit_core::{Completion, LanguageModel, Passage, PassageId, ReadScope, Scope, StopReason, TokenUsage};
use adit_retrieve::{Retriever, SearchRequest, SearchResponse, Sufficiency, warning_line};

use crate::budget::{estimated_tokens, fitting, recent};
use crate::generation::with_native_citations;
use crate::outcome::Confidence;
use crate::sufficiency::{Corrected, Correction, refusal, standalone_query};
use crate::verification::{apply, cited_ids};
use crate::{
    AnswerError, AnswerOutcome, AskRequest, Citation, ConfidenceLevel, Fence, OutsideSearch,
    PassagePredicate, QueryRewriter, REFUSAL, SupportJudge, TermSource, Verification, VerificationInput,
    answer_request, extract, is_refusal, refine_into_strips, system_prompt, verify,
};

/// What happens while an answer is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerEvent<'a> {
    /// The search is done; a model starts to write from this many passages.
    Writing {
        /// How many.
        passages: usize,
    },
    /// Words of the answer as they are written, not yet verified.
    Text(&'a str),
    /// What was written so far does not count: the model failed, and the outcome holds another answer.
    Discarded,
}

/// Answers questions over one collection. Cheap to share between threads.
#[derive(Clone)]
pub struct Answerer {
    retriever: Retriever,
    model: Option<Arc<dyn LanguageModel>>,
    judge: Option<Arc<dyn SupportJudge>>,
    rewriter: Option<Arc<dyn QueryRewriter>>,
    outside: Option<Arc<dyn OutsideSearch>>,
    may_cite: Arc<PassagePredicate>,
}

impl Answerer {
    /// Answers by extraction, until it is given a model.
    #[must_use]
    pub fn new(retriever: Retriever) -> Self {
        let may_cite = Arc::new(|_: &Passage| None);
        Self { retriever, model: None, judge: None, rewriter: None, outside: None, may_cite }
    }

    /// With a model that writes the answers.
    #[must_use]
    pub fn with_model(self, model: Option<Arc<dyn LanguageModel>>) -> Self {
        Self { model, ..self }
    }

    /// Without any language model, whatever was given before.
    #[must_use]
    pub fn without_models(self) -> Self {
        Self { model: None, judge: None, rewriter: None, ..self }
    }

    /// With a judge that checks claims beside the program.
    #[must_use]
    pub fn with_judge(self, judge: Arc<dyn SupportJudge>) -> Self {
        Self { judge: Some(judge), ..self }
    }

    /// With another wording for questions whose evidence is weak than the rules give.
    #[must_use]
    pub fn with_rewriter(self, rewriter: Arc<dyn QueryRewriter>) -> Self {
        Self { rewriter: Some(rewriter), ..self }
    }

    /// With a search beyond the documents.
    #[must_use]
    pub fn with_outside_search(self, outside: Arc<dyn OutsideSearch>) -> Self {
        Self { outside: Some(outside), ..self }
    }

    /// With a say in which passages may be cited.
    #[must_use]
    pub fn with_citation_rule(self, may_cite: Arc<PassagePredicate>) -> Self {
        Self { may_cite, ..self }
    }

    /// The retriever it searches with.
    #[must_use]
    pub fn retriever(&self) -> &Retriever {
        &self.retriever
    }

    /// Answers one question.
    ///
    /// # Errors
    /// [`AnswerError`] when the search fails or a setting cannot be meant; never for a failing model.
    pub fn ask(&self, request: &AskRequest<'_>) -> Result<AnswerOutcome, AnswerError> {
        self.ask_streaming(request, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`Answerer::ask`], telling what happens. `on_event` may stop the model; what it wrote by then is
    /// verified as an answer that was cut off.
    ///
    /// # Errors
    /// As [`Answerer::ask`].
    pub fn ask_streaming(
        &self,
        request: &AskRequest<'_>,
        on_event: &mut dyn FnMut(AnswerEvent<'_>) -> ControlFlow<()>,
    ) -> Result<AnswerOutcome, AnswerError> {
        request.settings.check()?;
        let standalone = standalone_query(request.search.query, request.history);
        let query = standalone.as_deref().unwrap_or(request.search.query);
        let search = SearchRequest { query, ..request.search };
        let correction = Correction {
            retriever: &self.retriever,
            rewriter: self.rewriter.as_deref(),
            outside: self.outside.as_deref(),
            max_rewrites: request.settings.max_rewrites,
        };
        let corrected = correction.search(&search)?;
        let mut notices = corrected.response.notices.clone();
        notices.extend(corrected.notices.iter().cloned());
        notices.extend(warnings(&corrected.response.passages));
        let mut draft =
            Draft { request, query, corrected, notices, usage: TokenUsage::default(), model_calls: 0 };
        let nothing = draft.corrected.response.passages.is_empty();
        let weak = draft.corrected.is_insufficient() && request.settings.refuse_on_weak_evidence;
        if nothing || (weak && !draft.corrected.is_outside) {
            return Ok(draft.refused());
        }
        if let Some(model) = &self.model {
            match self.generate(model.as_ref(), &mut draft, on_event) {
                Generated::Answer(text, is_cut_off) => {
                    return Ok(self.verified(
                        draft,
                        &text,
                        Some(model.description().model.clone()),
                        is_cut_off,
                    ));
                }
                Generated::Refusal(text) => {
                    return Ok(draft.refused_by_the_model(text, model.description().model.clone()));
                }
                Generated::Failed => {}
            }
        }
        let extracted = extract(
            draft.query,
            &draft.citable(&self.may_cite),
            TermSource::of(&self.retriever),
            self.retriever.embedder(),
            &request.settings.extractive,
        );
        if extracted.sentences.is_empty() {
            return Ok(draft.refused());
        }
        Ok(self.verified(draft, &extracted.text(), None, false))
    }

    fn generate(
        &self,
        model: &dyn LanguageModel,
        draft: &mut Draft<'_>,
        on_event: &mut dyn FnMut(AnswerEvent<'_>) -> ControlFlow<()>,
    ) -> Generated {
        let settings = draft.request.settings;
        let shown = draft.shown_passages(TermSource::of(&self.retriever));
        let history = recent(draft.request.history, settings.max_history_turns);
        let other_tokens = estimated_tokens(&system_prompt())
            + estimated_tokens(draft.request.search.query)
            + history.iter().map(|message| estimated_tokens(&message.text())).sum::<usize>();
        let (passages, left_out) =
            fitting(&shown, model.description(), other_tokens, settings.max_output_tokens);
        if left_out > 0 {
            draft.notices.push(format!("{left_out} passages did not fit into the model's window"));
        }
        if passages.is_empty() {
            draft
                .notices
                .push("the answer is extractive: no passage fits into the model's window".to_owned());
            return Generated::Failed;
        }
        let fence = Fence::random(passages);
        let asked =
            answer_request(draft.request.search.query, passages, history, &fence, settings.max_output_tokens);
        draft.model_calls += 1;
        let mut has_text = false;
        let mut flow = on_event(AnswerEvent::Writing { passages: passages.len() });
        let completion = model.stream(&asked, &mut |text| {
            has_text |= !text.is_empty();
            if flow.is_continue() {
                flow = on_event(AnswerEvent::Text(text));
            }
            flow
        });
        match completion {
            Ok(completion) => draft.read(completion, has_text, on_event),
            Err(error) => {
                if has_text {
                    let _ = on_event(AnswerEvent::Discarded);
                }
                draft
                    .notices
                    .push(format!("the answer is extractive, because the language model failed: {error}"));
                Generated::Failed
            }
        }
    }

    /// Checks the claims of `answer` and makes the outcome.
    pub(crate) fn verified(
        &self,
        mut draft: Draft<'_>,
        answer: &str,
        model: Option<String>,
        is_cut_off: bool,
    ) -> AnswerOutcome {
        let settings = draft.request.settings;
        let shown = &draft.corrected.response.passages;
        let extractive = model.is_none();
        let exists = |id: &PassageId| self.passage_exists(id, draft.request.search.scope);
        let verification = verify(&VerificationInput {
            answer,
            shown,
            terms: TermSource::of(&self.retriever),
            may_cite: self.may_cite.as_ref(),
            exists: &exists,
            // The documents' own words need no judge.
            judge: if extractive { None } else { self.judge.as_deref() },
            least_support: settings.least_support,
            is_cut_off,
        });
        draft.usage += verification.usage;
        draft.model_calls += verification.judge_calls;
        draft.notices.extend(verification.notices.iter().cloned());
        let (text, removed) = apply(answer, &verification.claims, settings.unsupported);
        if removed > 0 {
            let claims = if removed == 1 { "claim" } else { "claims" };
            draft.notices.push(format!("{removed} {claims} that the passages do not support were removed"));
        }
        if text.is_empty() {
            return draft.nothing_left(verification, model);
        }
        let cited = cited_ids(&text);
        let citations = cited
            .iter()
            .filter_map(|id| shown.iter().find(|passage| passage.id == *id))
            .map(Citation::of)
            .collect();
        let confidence = confidence(&draft, &verification, extractive, is_cut_off);
        AnswerOutcome {
            answer: text,
            citations,
            refused: false,
            refusal: None,
            confidence,
            faithfulness: verification.faithfulness(),
            claims: verification.claims,
            model,
            extractive,
            ..draft.outcome()
        }
    }

    fn passage_exists(&self, id: &PassageId, scope: &Scope) -> bool {
        let chunks = self
            .retriever
            .catalog()
            .view()
            .and_then(|view| view.chunks_of(&id.document, ReadScope::Reader(scope)));
        chunks.is_ok_and(|chunks| chunks.iter().any(|stored| stored.chunk.index == id.chunk_index))
    }
}

/// What is suspicious about passages, for the person who asks.
pub(crate) fn warnings(passages: &[Passage]) -> impl Iterator<Item = String> {
    let warned = passages.iter().filter_map(|passage| Some((passage, warning_line(passage)?)));
    warned.map(|(passage, warning)| format!("[doc:{}] {}: {warning}", passage.id, passage.source))
}

/// What came of asking the model.
enum Generated {
    /// Its words, and whether they were cut off.
    Answer(String, bool),
    /// Its words of refusal.
    Refusal(String),
    /// Nothing; a notice says why.
    Failed,
}

/// An answer on its way.
pub(crate) struct Draft<'a> {
    pub(crate) request: &'a AskRequest<'a>,
    /// The question as it was searched.
    pub(crate) query: &'a str,
    pub(crate) corrected: Corrected,
    pub(crate) notices: Vec<String>,
    pub(crate) usage: TokenUsage,
    pub(crate) model_calls: usize,
}

impl Draft<'_> {
    fn sufficiency(&self) -> Option<Sufficiency> {
        self.corrected.response.evidence.sufficiency
    }

    /// The passages for the model; ambiguous ones as strips.
    fn shown_passages(&mut self, terms: TermSource<'_>) -> Vec<Passage> {
        let passages = &self.corrected.response.passages;
        if self.sufficiency() != Some(Sufficiency::Ambiguous) {
            return passages.clone();
        }
        let strips = refine_into_strips(self.query, passages, terms);
        if strips.kept < strips.sentences {
            self.notices.push(format!(
                "the evidence is ambiguous: the model was given {} of {} sentences",
                strips.kept, strips.sentences
            ));
        }
        strips.passages
    }

    fn citable(&self, may_cite: &Arc<PassagePredicate>) -> Vec<Passage> {
        let passages = self.corrected.response.passages.iter();
        passages.filter(|passage| may_cite(passage).is_none()).map(Passage::citable).collect()
    }

    /// Makes an answer of what the model wrote, if it is one.
    fn read(
        &mut self,
        completion: Completion,
        has_text: bool,
        on_event: &mut dyn FnMut(AnswerEvent<'_>) -> ControlFlow<()>,
    ) -> Generated {
        self.usage += completion.usage;
        let text = with_native_citations(&completion.text, &completion.citations);
        let text = text.trim();
        let unusable = match completion.stop {
            StopReason::Declined => Some("declined"),
            _ if text.is_empty() => Some("wrote nothing"),
            _ => None,
        };
        if let Some(what) = unusable {
            if has_text {
                let _ = on_event(AnswerEvent::Discarded);
            }
            self.notices.push(format!("the answer is extractive, because the language model {what}"));
            return Generated::Failed;
        }
        let is_cut_off = matches!(completion.stop, StopReason::OutputLimit | StopReason::Stopped);
        if is_cut_off {
            self.notices.push(match completion.stop {
                StopReason::OutputLimit => "the answer was cut off at the limit of output tokens".to_owned(),
                _ => "the answer was stopped".to_owned(),
            });
        }
        if is_refusal(text) {
            Generated::Refusal(text.to_owned())
        } else {
            Generated::Answer(text.to_owned(), is_cut_off)
        }
    }

    /// Everything that does not depend on the answer's words.
    fn outcome(self) -> AnswerOutcome {
        let Self { corrected, notices, mut usage, model_calls, .. } = self;
        usage += corrected.usage;
        let evidence = &corrected.response.evidence;
        AnswerOutcome {
            answer: String::new(),
            citations: Vec::new(),
            refused: true,
            refusal: None,
            confidence: Confidence { level: ConfidenceLevel::Low, reason: String::new() },
            claims: Vec::new(),
            faithfulness: None,
            usage,
            model_calls: model_calls + corrected.model_calls,
            model: None,
            extractive: false,
            sufficiency: evidence.sufficiency,
            evidence_probability: evidence.probability,
            rewrites: corrected.rewrites,
            notices,
            response: corrected.response,
        }
    }

    /// Refused before anything was written.
    pub(crate) fn refused(self) -> AnswerOutcome {
        let refusal = refusal(&self.corrected.response, &self.corrected.rewrites);
        let reason = refusal.reason.clone();
        let confidence = Confidence { level: ConfidenceLevel::Low, reason };
        AnswerOutcome { answer: REFUSAL.to_owned(), refusal: Some(refusal), confidence, ..self.outcome() }
    }

    pub(crate) fn refused_by_the_model(self, answer: String, model: String) -> AnswerOutcome {
        let reason = "the language model found no answer in the passages".to_owned();
        self.refused_because(answer, reason, Some(model))
    }

    /// Refused in these words, for this reason.
    pub(crate) fn refused_because(
        self,
        answer: String,
        reason: String,
        model: Option<String>,
    ) -> AnswerOutcome {
        let mut refusal = refusal(&self.corrected.response, &self.corrected.rewrites);
        refusal.reason.clone_from(&reason);
        let confidence = Confidence { level: ConfidenceLevel::Low, reason };
        AnswerOutcome { answer, refusal: Some(refusal), confidence, model, ..self.outcome() }
    }

    /// Refused because no claim survived its check.
    fn nothing_left(self, verification: Verification, model: Option<String>) -> AnswerOutcome {
        let mut refusal = refusal(&self.corrected.response, &self.corrected.rewrites);
        refusal.reason = "no claim of the answer is supported by the passages it cites".to_owned();
        let confidence = Confidence { level: ConfidenceLevel::Low, reason: refusal.reason.clone() };
        AnswerOutcome {
            answer: REFUSAL.to_owned(),
            refusal: Some(refusal),
            confidence,
            faithfulness: verification.faithfulness(),
            claims: verification.claims,
            model,
            ..self.outcome()
        }
    }
}

fn confidence(
    draft: &Draft<'_>,
    verification: &Verification,
    extractive: bool,
    is_cut_off: bool,
) -> Confidence {
    let response: &SearchResponse = &draft.corrected.response;
    let all = verification.claims.len();
    let supported = verification.claims.iter().filter(|claim| claim.is_supported).count();
    let probability = response.evidence.probability.unwrap_or(0.0);
    let low = |reason: String| Confidence { level: ConfidenceLevel::Low, reason };
    if draft.corrected.is_outside {
        return low("the passages come from outside the documents".to_owned());
    }
    if is_cut_off {
        return low("the answer was cut off".to_owned());
    }
    if all == 0 {
        return low("the answer claims nothing that can be checked".to_owned());
    }
    if supported < all {
        return low(format!("{} of {all} claims are not supported by what they cite", all - supported));
    }
    match draft.sufficiency() {
        Some(Sufficiency::Correct) if extractive => Confidence {
            level: ConfidenceLevel::High,
            reason: format!(
                "the sentences are the documents' own, and the evidence is sufficient ({probability:.2})"
            ),
        },
        Some(Sufficiency::Correct) => Confidence {
            level: ConfidenceLevel::High,
            reason: format!(
                "all {all} claims are supported, and the evidence is sufficient ({probability:.2})"
            ),
        },
        _ => low(format!("it is not certain that the passages answer the question ({probability:.2})")),
    }
}
