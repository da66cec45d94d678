use std::path::Path;

use adit_eval::golden::{SpanLocator, default_golden_id};
use adit_eval::{GoldenItem, GoldenSpan, Placement};
use serde::Serialize;

use super::indexed_texts::IndexedTexts;
use crate::arguments::GoldenAddArguments;
use crate::failure::{Exit, Failure};
use crate::output::{Output, counted};

/// What `golden add --json` prints.
#[derive(Serialize)]
struct Added {
    file: String,
    id: String,
    items: usize,
    placements: Vec<Placed>,
}

#[derive(Serialize)]
struct Placed {
    quote: Option<String>,
    exact: bool,
    similarity: f64,
}

pub(super) fn run(
    home: Option<&Path>,
    arguments: &GoldenAddArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let file = super::file(home, &arguments.golden)?;
    let mut set = super::read_or_start(&file)?;
    let mut item = item(arguments);
    let placements = if arguments.unchecked || arguments.unanswerable {
        Vec::new()
    } else {
        place(&IndexedTexts::open(home)?, &mut item)?
    };
    item.id = default_golden_id(&item.question, &item.spans);
    if set.items.iter().any(|other| other.id == item.id) {
        return Err(Failure::usage(
            format!("{} already has this question about this document (id {})", file.display(), item.id),
            "edit the line with that id to change its quote or category",
        ));
    }
    let id = item.id.clone();
    set.items.push(item);
    set.write(&file)?;
    let added = Added { file: file.display().to_string(), id, items: set.items.len(), placements };
    output.result(&added, describe)?;
    Ok(Exit::Done)
}

fn item(arguments: &GoldenAddArguments) -> GoldenItem {
    let spans = arguments.source.iter().flat_map(|source| {
        if arguments.quotes.is_empty() {
            vec![GoldenSpan::whole_document(source)]
        } else {
            arguments.quotes.iter().map(|quote| GoldenSpan::quoted(source, quote)).collect()
        }
    });
    GoldenItem {
        id: String::new(),
        question: arguments.question.trim().to_owned(),
        spans: spans.collect(),
        category: arguments.category.clone(),
        answerable: !arguments.unanswerable,
        expected_answer: arguments.answer.clone(),
    }
}

/// Gives every span its document's full name and finds its words.
fn place(texts: &IndexedTexts, item: &mut GoldenItem) -> Result<Vec<Placed>, Failure> {
    let mut placements = Vec::new();
    for span in &mut item.spans {
        let resolved = texts.resolve(&span.source).map(str::to_owned).ok_or_else(|| {
            Failure::usage(
                format!("no document, or more than one, is meant by `{}`; nothing was added", span.source),
                "`adit status --documents --all` lists the paths; `--unchecked` adds it all the same",
            )
        })?;
        let text = texts.text_of(&resolved)?.unwrap_or_default();
        span.source = resolved;
        let (exact, similarity) = match SpanLocator::new(&text).place(span) {
            Placement::Exact(_) => (true, 1.0),
            Placement::Moved { similarity, .. } => (false, similarity),
            Placement::NotFound { best_similarity } => return Err(not_found(span, best_similarity)),
        };
        placements.push(Placed { quote: span.quote.clone(), exact, similarity });
    }
    Ok(placements)
}

fn not_found(span: &GoldenSpan, best_similarity: f64) -> Failure {
    Failure::usage(
        format!(
            "`{}` does not stand in {} (the nearest words are {:.0}% the same); nothing was added",
            span.quote.as_deref().unwrap_or_default(),
            span.source,
            best_similarity * 100.0
        ),
        "copy the words from `adit grep` or `adit search`; `--unchecked` adds them all the same",
    )
}

fn describe(added: &Added) -> String {
    let mut text =
        format!("added {} to {}, which has {} now", added.id, added.file, counted(added.items, "question"));
    for placed in added.placements.iter().filter(|placed| !placed.exact) {
        text += &format!(
            "\nnote: the document says it a little otherwise ({:.0}% the same): {}",
            placed.similarity * 100.0,
            placed.quote.as_deref().unwrap_or_default()
        );
    }
    text
}
