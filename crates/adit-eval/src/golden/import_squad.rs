use std::path::Path;

use serde::Deserialize;

use super::import::{ImportedDocument, ImportedGolden, UniqueIds};
use super::item::{GoldenItem, GoldenSpan, default_golden_id};
use crate::EvalError;

const EXPECTED: &str = "a SQuAD file is {\"data\": [{\"title\", \"paragraphs\": [{\"context\", \"qas\": \
     [{\"question\", \"id\", \"answers\": [{\"text\", \"answer_start\"}], \"is_impossible\"}]}]}]}";

#[derive(Deserialize)]
struct File {
    data: Vec<Article>,
}

#[derive(Deserialize)]
struct Article {
    #[serde(default)]
    title: String,
    paragraphs: Vec<Paragraph>,
}

#[derive(Deserialize)]
struct Paragraph {
    context: String,
    qas: Vec<Question>,
}

#[derive(Deserialize)]
struct Question {
    id: Option<serde_json::Value>,
    question: String,
    #[serde(default)]
    answers: Vec<Answer>,
    #[serde(default)]
    is_impossible: bool,
}

#[derive(Deserialize)]
struct Answer {
    text: String,
    /// In characters (SQuAD 1.1, Rajpurkar et al. 2016).
    answer_start: i64,
}

/// Reads a SQuAD-like file (SQuAD 1.1 and 2.0, XQuAD, COVID-QA). Every paragraph is a document of its
/// own, `TITLE/0001.txt`, and comes along in [`ImportedGolden::documents`] to be indexed.
///
/// # Errors
/// [`EvalError::Missing`]; [`EvalError::Import`] with the line, or with the paragraph, that cannot be used.
pub fn import_squad(path: &Path) -> Result<ImportedGolden, EvalError> {
    let problem = |detail: String| EvalError::Import { path: path.to_path_buf(), detail, expected: EXPECTED };
    let bytes = match fs_err::read(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(EvalError::Missing { path: path.to_path_buf() });
        }
        other => other?,
    };
    let file: File = serde_json::from_slice(&bytes).map_err(|error| problem(error.to_string()))?;
    let mut imported = ImportedGolden::default();
    let mut ids = UniqueIds::default();
    let mut names = UniqueIds::default();
    for (article_index, article) in file.data.into_iter().enumerate() {
        let folder = names.take(&folder_name(&article.title, article_index));
        for (index, paragraph) in article.paragraphs.into_iter().enumerate() {
            let source = format!("{folder}/{:04}.txt", index + 1);
            for question in paragraph.qas {
                let item = to_item(&mut ids, &source, &paragraph.context, question).map_err(|detail| {
                    problem(format!("article {}, paragraph {}: {detail}", article_index + 1, index + 1))
                })?;
                imported.set.items.push(item);
            }
            imported.documents.push(ImportedDocument { source, text: paragraph.context });
        }
    }
    if imported.set.items.is_empty() {
        return Err(problem("no question in it".to_owned()));
    }
    Ok(imported)
}

fn to_item(
    ids: &mut UniqueIds,
    source: &str,
    context: &str,
    question: Question,
) -> Result<GoldenItem, String> {
    let mut spans = Vec::new();
    if !question.is_impossible {
        for answer in &question.answers {
            let span = to_span(source, context, answer)?;
            if !spans.contains(&span) {
                spans.push(span);
            }
        }
    }
    let expected_answer =
        (!spans.is_empty()).then(|| question.answers.first().map(|first| first.text.clone()));
    let id = match question.id {
        Some(serde_json::Value::String(id)) => id,
        Some(other) => other.to_string(),
        None => default_golden_id(&question.question, &spans),
    };
    let item = GoldenItem {
        id: ids.take(&id),
        question: question.question,
        answerable: !question.is_impossible,
        spans,
        category: None,
        expected_answer: expected_answer.flatten(),
    };
    match item.problem() {
        Some(detail) => Err(format!("question `{}`: {detail}", item.id)),
        None => Ok(item),
    }
}

/// A few published files count from a wrong place; there the quote decides, as it does everywhere.
fn to_span(source: &str, context: &str, answer: &Answer) -> Result<GoldenSpan, String> {
    let start = usize::try_from(answer.answer_start)
        .map_err(|_| format!("`answer_start` is {} for `{}`", answer.answer_start, answer.text))?;
    let length = answer.text.chars().count();
    let is_there = context.chars().skip(start).take(length).eq(answer.text.chars());
    if !is_there && !context.contains(answer.text.as_str()) {
        return Err(format!("the answer `{}` is not in the paragraph", answer.text));
    }
    let mut span = GoldenSpan::quoted(source, &answer.text);
    if is_there {
        span.char_start = Some(start);
        span.char_end = Some(start + length);
    }
    Ok(span)
}

/// A title as one part of a path, on any system.
fn folder_name(title: &str, index: usize) -> String {
    let name: String = title
        .trim()
        .chars()
        .map(
            |character| if character.is_alphanumeric() || "-_".contains(character) { character } else { '_' },
        )
        .take(80)
        .collect();
    if name.is_empty() { format!("article-{:04}", index + 1) } else { name }
}
