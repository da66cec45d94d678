use std::ops::ControlFlow;
use std::sync::Arc;

use adit_answer::{AnswerError, AnswerEvent, AnswerSettings, Answerer, AskRequest, ClaimProblem, ModelJudge};
use adit_core::{
    Completion, CompletionRequest, Filter, LanguageModel, LanguageModelDescription, LanguageModelError,
    NativeCitation, StopReason,
};
use adit_retrieve::SearchRequest;
use adit_testkit::{IndexedCollection, ScriptedModel};

use crate::setting::{QUESTION, answerer, ask, ask_in, collection, saying};

#[test]
fn a_provider_that_fails_is_replaced_by_an_extractive_answer_with_a_notice() {
    let collection = collection();
    let detail = || "cable".to_owned();
    for error in [
        LanguageModelError::Unreachable { detail: detail() },
        LanguageModelError::RateLimited { detail: detail(), retry_after: None },
        LanguageModelError::OverBudget { detail: detail() },
        LanguageModelError::UnreadableAnswer { detail: detail() },
        LanguageModelError::TooLong { detail: detail() },
    ] {
        let model = saying("unused");
        model.fail_next(error.clone());
        let outcome = ask(&collection, Some(model), QUESTION, &AnswerSettings::default());
        assert!(outcome.extractive && !outcome.refused && outcome.model.is_none(), "{error}");
        assert!(outcome.answer.contains("28 days"), "{}", outcome.answer);
        assert!(
            outcome.notices.iter().any(|notice| notice.contains("extractive") && notice.contains("cable")),
            "{:?}",
            outcome.notices
        );
        assert_eq!(outcome.model_calls, 1);
    }
}

/// A model that ends in a way of its own.
struct Ending {
    description: LanguageModelDescription,
    completion: Completion,
    /// Fails after it has handed over the text.
    fails: bool,
}

impl Ending {
    fn new(text: &str, stop: StopReason) -> Self {
        let completion = Completion { text: text.to_owned(), stop, ..Completion::default() };
        Self { description: LanguageModelDescription::default(), completion, fails: false }
    }
}

impl LanguageModel for Ending {
    fn description(&self) -> &LanguageModelDescription {
        &self.description
    }

    fn complete(&self, _request: &CompletionRequest) -> Result<Completion, LanguageModelError> {
        Ok(self.completion.clone())
    }

    fn stream(
        &self,
        _request: &CompletionRequest,
        on_text: &mut dyn FnMut(&str) -> ControlFlow<()>,
    ) -> Result<Completion, LanguageModelError> {
        let _ = on_text(&self.completion.text);
        if self.fails {
            return Err(LanguageModelError::Unreachable { detail: "half a stream".to_owned() });
        }
        Ok(self.completion.clone())
    }
}

fn by(model: Ending, collection: &IndexedCollection) -> Answerer {
    Answerer::new(collection.retriever.clone()).with_model(Some(Arc::new(model)))
}

#[test]
fn half_an_answer_is_marked_as_half() {
    let collection = collection();
    let id = collection.passage_id("people/leave.md", 0);
    let text = format!("Staff receive 28 days of paid leave [doc:{id}]. Leave may not be carr");
    let outcome = ask_in(
        &by(Ending::new(&text, StopReason::OutputLimit), &collection),
        QUESTION,
        &[],
        &AnswerSettings::default(),
    );
    assert!(outcome.claims[0].is_supported, "{:?}", outcome.claims);
    assert!(outcome.claims[1].problems.contains(&ClaimProblem::CutOff), "{:?}", outcome.claims);
    assert!(outcome.notices.iter().any(|notice| notice.contains("limit of output tokens")));
    for (text, stop) in [("I will not.", StopReason::Declined), (" ", StopReason::Done)] {
        let outcome =
            ask_in(&by(Ending::new(text, stop), &collection), QUESTION, &[], &AnswerSettings::default());
        assert!(outcome.extractive && outcome.answer.contains("28 days"), "{outcome:#?}");
    }
}

#[test]
fn a_stream_that_breaks_off_is_taken_back() {
    let collection = collection();
    let model = Ending { fails: true, ..Ending::new("Staff receive", StopReason::Done) };
    let (scope, filter, settings) =
        (IndexedCollection::reader(), Filter::default(), AnswerSettings::default());
    let request = AskRequest::new(SearchRequest::new(QUESTION, &scope, &filter), &settings);
    let mut events = Vec::new();
    let outcome = by(model, &collection)
        .ask_streaming(&request, &mut |event| {
            events.push(match event {
                AnswerEvent::Writing { .. } => "writing".to_owned(),
                AnswerEvent::Text(text) => text.to_owned(),
                AnswerEvent::Discarded => "discarded".to_owned(),
            });
            ControlFlow::Continue(())
        })
        .unwrap();
    assert_eq!(events, ["writing", "Staff receive", "discarded"]);
    assert!(outcome.extractive);
}

#[test]
fn native_citations_are_verified_like_written_ones() {
    let collection = collection();
    let id = collection.passage_id("people/leave.md", 0);
    let text = "Staff receive 28 days of paid leave. Staff receive 31 days of paid leave.";
    let cite =
        |end: usize| NativeCitation { start: 0, end, source: format!("doc:{id}"), quote: String::new() };
    let mut model = Ending::new(text, StopReason::Done);
    model.completion.citations = vec![cite(36), cite(text.len())];
    let outcome = ask_in(&by(model, &collection), QUESTION, &[], &AnswerSettings::default());
    let supported: Vec<bool> = outcome.claims.iter().map(|claim| claim.is_supported).collect();
    assert_eq!(supported, [true, false], "{:#?}", outcome.claims);
}

#[test]
fn a_judge_decides_what_words_cannot_and_its_failure_is_told() {
    let collection = collection();
    let id = collection.passage_id("people/leave.md", 0);
    let answer = format!("Employees get four weeks plus eight additional holidays off work [doc:{id}].");
    let judged = |verdict: &str| {
        let judge = Arc::new(ScriptedModel::new().answer("Claim:", verdict));
        let answerer =
            answerer(&collection, Some(saying(&answer))).with_judge(Arc::new(ModelJudge::new(judge)));
        ask_in(&answerer, QUESTION, &[], &AnswerSettings::default())
    };
    let no = judged("{\"supported\": false}");
    assert!(no.claims[0].problems.contains(&ClaimProblem::JudgedUnsupported), "{:?}", no.claims);
    // A judge outweighs missing words, never a missing number.
    let yes = judged("{\"supported\": true}");
    assert!(!yes.claims[0].problems.contains(&ClaimProblem::WordsMissing), "{:?}", yes.claims);
    assert!(yes.claims[0].problems.iter().any(|problem| matches!(problem, ClaimProblem::NumberMissing(_))));
    assert_eq!(yes.model_calls, 2);
    let broken = judged("maybe");
    assert!(broken.notices.iter().any(|notice| notice.contains("by its words only")), "{:?}", broken.notices);
}

#[test]
fn settings_that_cannot_be_meant_are_refused() {
    let collection = collection();
    let (scope, filter) = (IndexedCollection::reader(), Filter::default());
    let search = SearchRequest::new(QUESTION, &scope, &filter);
    for settings in [
        AnswerSettings { max_rewrites: 3, ..AnswerSettings::default() },
        AnswerSettings { least_support: 2.0, ..AnswerSettings::default() },
        AnswerSettings { max_output_tokens: 0, ..AnswerSettings::default() },
    ] {
        let error = answerer(&collection, None).ask(&AskRequest::new(search, &settings)).unwrap_err();
        assert!(matches!(error, AnswerError::Setting { .. }), "{error}");
    }
}
