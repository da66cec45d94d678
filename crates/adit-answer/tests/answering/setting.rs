use std::sync::Arc;

use adit_answer::{AnswerOutcome, AnswerSettings, Answerer, AskRequest};
use adit_core::{Filter, Message};
use adit_retrieve::SearchRequest;
use adit_testkit::{IndexedCollection, ScriptedModel};

pub(crate) const LEAVE: &str = "Staff receive 28 days of paid leave a year. Leave may not be carried over to the \
    next year.\n\nOriane Kessler approves requests under rule R-17 within two weeks.";
pub(crate) const TRAVEL: &str =
    "Trains are booked in second class.\n\nHotels cost at most 120 euros a night.";
pub(crate) const QUESTION: &str = "How many days of paid leave do staff receive?";

pub(crate) fn collection() -> IndexedCollection {
    IndexedCollection::of(&[
        ("people/leave.md", "Leave", LEAVE),
        ("policies/travel.md", "Travel", TRAVEL),
        ("support/errors.md", "Errors", "ERR_4021 means that the bank declined the card."),
    ])
}

/// Asks `question` of a collection with `model`.
pub(crate) fn ask(
    collection: &IndexedCollection,
    model: Option<Arc<ScriptedModel>>,
    question: &str,
    settings: &AnswerSettings,
) -> AnswerOutcome {
    ask_in(&answerer(collection, model), question, &[], settings)
}

pub(crate) fn answerer(collection: &IndexedCollection, model: Option<Arc<ScriptedModel>>) -> Answerer {
    let answerer = Answerer::new(collection.retriever.clone());
    answerer.with_model(model.map(|model| model as Arc<dyn adit_core::LanguageModel>))
}

pub(crate) fn ask_in(
    answerer: &Answerer,
    question: &str,
    history: &[Message],
    settings: &AnswerSettings,
) -> AnswerOutcome {
    let (scope, filter) = (IndexedCollection::reader(), Filter::default());
    let search = SearchRequest::new(question, &scope, &filter);
    answerer.ask(&AskRequest { search, history, settings }).unwrap()
}

/// A model that answers every question with these words.
pub(crate) fn saying(words: &str) -> Arc<ScriptedModel> {
    Arc::new(ScriptedModel::new().answer("Question:", words))
}
