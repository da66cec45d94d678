use std::path::Path;

use serde::Deserialize;

use super::file::{for_each_line, golden_error, without_line};
use super::import::{ImportedGolden, UniqueIds, imported_item};
use super::item::{GoldenItem, GoldenSpan};
use crate::EvalError;

/// A question as the set's questions.jsonl has it, or, with `references` as JSON in a field, its
/// questions_df.csv.
#[derive(Deserialize)]
struct Question {
    question: String,
    #[serde(alias = "corpus_id")]
    corpus: String,
    references: Vec<Reference>,
}

#[derive(Deserialize)]
struct Reference {
    content: String,
    /// In characters.
    start_index: usize,
    end_index: usize,
}

#[derive(Deserialize)]
struct Row {
    question: String,
    references: String,
    corpus_id: String,
}

/// Reads the questions of the set chunking_evaluation (Smith and Troynikov 2024, "Evaluating chunking
/// strategies for retrieval"): its folder, its questions.jsonl or its questions_df.csv. Sources are
/// `CORPUS.md`, the category is the corpus.
///
/// # Errors
/// [`EvalError::Missing`]; [`EvalError::Golden`] with the line that cannot be used.
pub fn import_chunk_eval(path: &Path) -> Result<ImportedGolden, EvalError> {
    let path = if path.is_dir() {
        let lines = path.join("questions.jsonl");
        if lines.is_file() { lines } else { path.join("questions_df.csv") }
    } else {
        path.to_path_buf()
    };
    if !path.is_file() {
        return Err(EvalError::Missing { path });
    }
    let mut imported = ImportedGolden::default();
    let mut ids = UniqueIds::default();
    let mut add = |line_number: usize, question: Question| {
        let item = to_item(&mut ids, question).map_err(|detail| golden_error(&path, line_number, detail))?;
        imported.set.items.push(item);
        Ok(())
    };
    if path.extension().is_some_and(|ending| ending == "csv") {
        for_each_row(&path, &mut add)?;
    } else {
        for_each_line(&path, &mut |line_number, line| {
            let question = serde_json::from_str(line)
                .map_err(|error| golden_error(&path, line_number, without_line(&error)))?;
            add(line_number, question)
        })?;
    }
    if imported.set.items.is_empty() {
        return Err(golden_error(&path, 1, "no question in it".to_owned()));
    }
    Ok(imported)
}

fn for_each_row(
    path: &Path,
    visit: &mut dyn FnMut(usize, Question) -> Result<(), EvalError>,
) -> Result<(), EvalError> {
    let mut reader = csv::Reader::from_reader(fs_err::File::open(path)?);
    let line_of = |position: Option<&csv::Position>| {
        position.and_then(|position| usize::try_from(position.line()).ok()).unwrap_or(1)
    };
    let headers = reader
        .headers()
        .map_err(|error| golden_error(path, line_of(error.position()), error.to_string()))?
        .clone();
    for record in reader.records() {
        let record =
            record.map_err(|error| golden_error(path, line_of(error.position()), error.to_string()))?;
        let line_number = line_of(record.position());
        let problem = |detail: String| golden_error(path, line_number, detail);
        let row: Row = record.deserialize(Some(&headers)).map_err(|error| problem(error.to_string()))?;
        let references = serde_json::from_str(&row.references)
            .map_err(|error| problem(format!("`references`: {}", without_line(&error))))?;
        visit(line_number, Question { question: row.question, corpus: row.corpus_id, references })?;
    }
    Ok(())
}

fn to_item(ids: &mut UniqueIds, question: Question) -> Result<GoldenItem, String> {
    let source = format!("{}.md", question.corpus);
    let spans: Vec<GoldenSpan> = question
        .references
        .into_iter()
        .map(|reference| GoldenSpan {
            source: source.clone(),
            quote: Some(reference.content),
            char_start: Some(reference.start_index),
            char_end: Some(reference.end_index),
        })
        .collect();
    let mut item = imported_item(ids, question.question, spans);
    // The set has no unanswerable questions; one without references is a damaged one.
    item.answerable = true;
    item.category = Some(question.corpus);
    item.problem().map_or(Ok(item), Err)
}
