//! Questions from a model that follows a script: what is kept, what is rejected, what it costs.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stdout
)]

use adit_core::{LanguageModelError, OutputFormat};
use adit_eval::golden::{
    GenerateError, GenerateSettings, RejectionReason, SourceChunk, StopReason, generate_golden,
};
use adit_eval::{GoldenItem, GoldenSet, Placement, place_span};
use adit_testkit::ScriptedModel;

fn chunk(name: &str, text: &str, char_start: usize) -> SourceChunk {
    SourceChunk {
        source: format!("{name}/{name}.md"),
        language: "en".to_owned(),
        text: text.to_owned(),
        char_start,
    }
}

fn settings(questions: usize) -> GenerateSettings {
    GenerateSettings { questions, unanswerable_share: 0.0, max_calls: 50, ..GenerateSettings::default() }
}

fn nothing_is_answered(_: &str) -> Result<bool, String> {
    Ok(false)
}

const LEAVE: &str = "New parents, by birth or adoption, receive sixteen weeks on full pay.";

#[test]
fn the_quote_is_the_documents_own_and_stands_where_the_item_says() {
    let document = format!("Über uns. {LEAVE} Ask your lead.");
    let text: String = document.chars().skip(10).collect();
    // The model's quote is a little off, as models' quotes are.
    let model = ScriptedModel::new().answer(
        "parents",
        "```json\n{\"question\": \"How much paternity leave do I get?\", \"quote\": \"New parents, by birth or \
         by adoption, receive sixteen weeks on full pay.\", \"answer\": \"Sixteen weeks\"}\n```",
    );
    let made = generate_golden(
        &[chunk("people", &text, 10)],
        &GoldenSet::default(),
        &model,
        &mut nothing_is_answered,
        &settings(1),
    )
    .unwrap();
    assert_eq!((made.items.len(), made.calls, &made.stopped), (1, 1, &StopReason::Complete));
    let item = &made.items[0];
    assert_eq!(item.expected_answer.as_deref(), Some("Sixteen weeks"));
    let placed = place_span(&document, &item.spans[0]);
    assert!(matches!(placed, Placement::Exact(_)), "{placed:?}");
    assert_eq!(placed.range().unwrap().slice(&document), Some(LEAVE));
    assert!(made.input_tokens > 20 && made.output_tokens > 10);
    let request = &model.requests()[0];
    assert!(
        request.output == OutputFormat::Json
            && request.max_output_tokens == 400
            && request.user_text().contains("people/people.md")
    );
}

#[test]
fn every_reason_to_reject_is_told() {
    let chunks: Vec<SourceChunk> = ["babble", "invented", "trivial", "known", "fine"]
        .iter()
        .map(|name| chunk(name, &format!("{name}: {LEAVE}"), 0))
        .collect();
    let answer =
        |question: &str, quote: &str| format!("{{\"question\": \"{question}\", \"quote\": \"{quote}\"}}");
    let model = ScriptedModel::new()
        .answer("babble.md", "I would rather not.")
        .answer("invented.md", &answer("May I bring a dog?", "Dogs are welcome on Thursdays and Fridays."))
        .answer("trivial.md", &answer("How many weeks do new parents receive on full pay?", LEAVE))
        .answer("known.md", &answer("how much   PATERNITY leave do I get", LEAVE))
        .answer("fine.md", &answer("What am I entitled to when a baby arrives?", LEAVE));
    let existing = GoldenSet {
        items: vec![GoldenItem {
            id: "x".to_owned(),
            question: "How much paternity leave do I get?".to_owned(),
            spans: Vec::new(),
            category: None,
            answerable: false,
            expected_answer: None,
        }],
    };
    let made = generate_golden(&chunks, &existing, &model, &mut nothing_is_answered, &settings(5)).unwrap();
    assert_eq!((made.items.len(), made.calls), (1, 5));
    assert_eq!(made.stopped, StopReason::NoMoreChunks);
    let reason = |name: &str| {
        &made.rejected.iter().find(|rejection| rejection.source.starts_with(name)).unwrap().reason
    };
    assert!(matches!(reason("babble"), RejectionReason::Unreadable { .. }));
    assert!(
        matches!(reason("invented"), RejectionReason::QuoteNotPlaced { best_similarity } if *best_similarity < 0.85)
    );
    assert!(matches!(reason("trivial"), RejectionReason::KeywordMatchable { share } if *share > 0.7));
    assert_eq!(reason("known"), &RejectionReason::Duplicate);
    assert_eq!(made.rejected.len(), 4);
}

/// Twenty chunks and a model that has a new question for each, of either kind.
fn collection() -> (Vec<SourceChunk>, ScriptedModel) {
    let mut model = ScriptedModel::new();
    let mut chunks = Vec::new();
    for number in 0..20 {
        let name = format!("d{number:02}");
        chunks.push(chunk(&name, LEAVE, 0));
        model = model
            .answer_once(
                &format!("enough to answer the question.\n\nSource: {name}/"),
                &format!(
                    "{{\"question\": \"Am I paid at home with baby {number}?\", \"quote\": \"{LEAVE}\"}}"
                ),
            )
            .answer_once(
                &format!("\"...\"}}.\n\nSource: {name}/"),
                &format!("{{\"question\": \"Which creche is near office {number}?\"}}"),
            );
    }
    (chunks, model)
}

#[test]
fn the_wished_share_is_unanswerable_and_checked_by_search() {
    let (chunks, model) = collection();
    let mut searched = Vec::new();
    let mut is_answered = |question: &str| {
        searched.push(question.to_owned());
        Ok(searched.len() == 1)
    };
    let wished = GenerateSettings { questions: 20, max_calls: 60, ..GenerateSettings::default() };
    let made = generate_golden(&chunks, &GoldenSet::default(), &model, &mut is_answered, &wished).unwrap();
    let unanswerable: Vec<_> = made.items.iter().filter(|item| !item.answerable).collect();
    assert_eq!((made.items.len(), unanswerable.len()), (20, 3));
    assert!(unanswerable.iter().all(|item| item.spans.is_empty()));
    assert_eq!(searched.len(), 4);
    assert_eq!(made.rejected.iter().filter(|one| one.reason == RejectionReason::Answered).count(), 1);
    assert_eq!(made.calls, 21);
    let folder = tempfile::tempdir().unwrap();
    GoldenSet { items: made.items }.write(&folder.path().join("golden.jsonl")).unwrap();
}

#[test]
fn the_budget_of_calls_is_never_exceeded_and_leaves_room_for_both_kinds() {
    let (chunks, model) = collection();
    let tight = GenerateSettings { questions: 20, max_calls: 8, ..GenerateSettings::default() };
    let made =
        generate_golden(&chunks, &GoldenSet::default(), &model, &mut nothing_is_answered, &tight).unwrap();
    assert!(made.calls <= 8 && made.calls == model.requests().len());
    assert!(made.items.iter().any(|item| !item.answerable));
    assert_eq!(made.stopped, StopReason::CallBudget);
    let none = GenerateSettings { max_calls: 0, ..tight };
    let made =
        generate_golden(&chunks, &GoldenSet::default(), &model, &mut nothing_is_answered, &none).unwrap();
    assert_eq!((made.calls, made.items.len()), (0, 0));
}

#[test]
fn passing_trouble_costs_a_call_and_lasting_trouble_ends_it() {
    let (chunks, model) = collection();
    model.fail_next(LanguageModelError::Unreachable { detail: "cable".to_owned() });
    let made =
        generate_golden(&chunks, &GoldenSet::default(), &model, &mut nothing_is_answered, &settings(2))
            .unwrap();
    assert_eq!((made.items.len(), made.calls), (2, 3));
    assert!(
        matches!(&made.rejected[0].reason, RejectionReason::CallFailed { detail } if detail.contains("cable"))
    );
    model.fail_next(LanguageModelError::NotPermitted { detail: "key".to_owned() });
    let made =
        generate_golden(&chunks, &GoldenSet::default(), &model, &mut nothing_is_answered, &settings(2))
            .unwrap();
    assert_eq!((made.items.len(), made.calls), (0, 1));
    assert!(matches!(&made.stopped, StopReason::Model(said) if said.contains("key")));
}

#[test]
fn a_failed_search_and_an_empty_collection_are_errors() {
    let (chunks, model) = collection();
    let wished = GenerateSettings { questions: 1, unanswerable_share: 1.0, ..GenerateSettings::default() };
    let failed =
        generate_golden(&chunks, &GoldenSet::default(), &model, &mut |_| Err("no index".to_owned()), &wished);
    assert_eq!(failed.unwrap_err(), GenerateError::Search { detail: "no index".to_owned() });
    let empty = generate_golden(
        &[chunk("a", " ", 0)],
        &GoldenSet::default(),
        &model,
        &mut nothing_is_answered,
        &wished,
    );
    assert_eq!(empty.unwrap_err(), GenerateError::NoChunks);
}
