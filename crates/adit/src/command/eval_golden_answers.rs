use std::collections::BTreeMap;
use std::path::Path;

use adit_answer::{AnswerSettings, Answerer, AskRequest, ExtractiveSettings};
use adit_core::Filter;
use adit_eval::GoldenSet;
use adit_eval::golden::GoldenItem;
use adit_retrieve::{SearchResponse, sentence_ranges};
use serde::Serialize;

use super::eval_answers::{AnswerFigures, describe, figures};
use crate::answer_lines::{self, AnswerLine};
use crate::arguments::EvalGoldenAnswersArguments;
use crate::engine::{existing_home, scope};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};
use crate::read_session::ReadSession;

/// An answer holds a quote when it has this share of its words: sentence ends and line breaks differ.
const HELD: f64 = 0.8;

/// What `eval golden-answers --json` prints.
#[derive(Serialize)]
struct GoldenAnswers {
    #[serde(flatten)]
    figures: AnswerFigures,
    /// Mean share of the golden quotes' words that stand in the answer, refused questions as 0.
    quote_recall: f64,
    /// Mean words of an answer.
    answer_words: f64,
    /// Share of the answerable questions whose quote stands in the first sentence of the first passage, as a
    /// baseline.
    right_first_sentence: f64,
    /// ... anywhere in the first passage, as an upper bound for answers from it.
    right_first_passage: f64,
}

pub(super) fn run(
    home: Option<&Path>,
    arguments: &EvalGoldenAnswersArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let file = arguments.golden.clone().unwrap_or_else(|| home.folder().join("golden.jsonl"));
    let golden = GoldenSet::read(&file)?;
    let scope = scope(&arguments.scope)?;
    let filter = Filter::default();
    let session = ReadSession::open(&home, &settings, arguments.mode)?;
    let answerer = Answerer::new(session.retriever.clone());
    let answering = AnswerSettings { extractive: weights(arguments), ..AnswerSettings::default() };
    let name = file.file_stem().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let mut lines = Vec::new();
    let mut sums = Sums::default();
    for item in &golden.items {
        let request = session.request(&item.question, &scope, &filter, arguments.mode);
        let response = session.retriever.search(&request)?;
        let outcome = answerer.ask(&AskRequest::new(request, &answering))?;
        let is_found = is_found(item, &response);
        let mut line = AnswerLine::weighed(&name, &item.id, item.answerable, &response.evidence, is_found);
        let recall = if outcome.refused { 0.0 } else { quote_recall(item, &outcome.answer) };
        line.refused = Some(outcome.refused);
        line.is_right = Some(recall >= HELD);
        if item.answerable {
            sums.add(item, recall, &outcome.answer, &response);
        }
        lines.push(line);
        if lines.len().is_multiple_of(100) {
            note(&format!("{} questions", lines.len()));
        }
    }
    if let Some(file) = &arguments.features {
        answer_lines::append(file, &lines)?;
    }
    let mean = |sum: f64| sum / sums.questions.max(1.0);
    let result = GoldenAnswers {
        figures: figures(&name, &lines),
        quote_recall: mean(sums.recall),
        answer_words: mean(sums.words),
        right_first_sentence: mean(sums.first_sentence),
        right_first_passage: mean(sums.first_passage),
    };
    output.result(&result, |result| {
        format!(
            "{}  quote recall {:.3} with {:.0} words an answer; right by the first sentence {:.3}, by the whole first \
             passage {:.3}\n",
            describe(&result.figures),
            result.quote_recall,
            result.answer_words,
            result.right_first_sentence,
            result.right_first_passage
        )
    })?;
    Ok(Exit::Done)
}

fn weights(arguments: &EvalGoldenAnswersArguments) -> ExtractiveSettings {
    let usual = ExtractiveSettings::default();
    ExtractiveSettings {
        cosine_weight: arguments.cosine_weight.unwrap_or(usual.cosine_weight),
        coverage_weight: arguments.coverage_weight.unwrap_or(usual.coverage_weight),
        rank_weight: arguments.rank_weight.unwrap_or(usual.rank_weight),
        kind_weight: arguments.kind_weight.unwrap_or(usual.kind_weight),
        max_sentences: arguments.sentences.unwrap_or(usual.max_sentences),
        ..usual
    }
}

#[derive(Default)]
struct Sums {
    questions: f64,
    recall: f64,
    words: f64,
    first_sentence: f64,
    first_passage: f64,
}

impl Sums {
    fn add(&mut self, item: &GoldenItem, recall: f64, answer: &str, response: &SearchResponse) {
        self.questions += 1.0;
        self.recall += recall;
        self.words += answer.split_whitespace().count() as f64;
        if let Some(first) = response.passages.first() {
            let sentence = sentence_ranges(&first.text).first().and_then(|range| range.slice(&first.text));
            let holds = |text: &str| f64::from(u8::from(quote_recall(item, text) >= HELD));
            self.first_sentence += sentence.map_or(0.0, holds);
            self.first_passage += holds(&first.text);
        }
    }
}

/// The largest share of a golden quote's words that `text` has, each as often as it stands there.
fn quote_recall(item: &GoldenItem, text: &str) -> f64 {
    let mut have: BTreeMap<String, usize> = BTreeMap::new();
    for word in words(text) {
        *have.entry(word).or_default() += 1;
    }
    let quotes = item.spans.iter().filter_map(|span| span.quote.as_deref());
    let recalls = quotes.map(|quote| {
        let mut left = have.clone();
        let wanted = words(quote);
        let found = wanted.iter().filter(|word| {
            left.get_mut(*word).is_some_and(|count| {
                let is_left = *count > 0;
                *count = count.saturating_sub(1);
                is_left
            })
        });
        let found = found.count();
        if wanted.is_empty() { 0.0 } else { found as f64 / wanted.len() as f64 }
    });
    recalls.fold(0.0, f64::max)
}

fn words(text: &str) -> Vec<String> {
    let pieces = text.split(|character: char| !character.is_alphanumeric());
    pieces.filter(|piece| !piece.is_empty()).map(str::to_lowercase).collect()
}

fn is_found(item: &GoldenItem, response: &SearchResponse) -> bool {
    response.passages.iter().any(|passage| quote_recall(item, &passage.text) >= HELD)
}
