use std::path::Path;

use adit_catalog::{Catalog, GrepHit};
use adit_core::ReadScope;
use serde::Serialize;

use crate::arguments::GrepArguments;
use crate::engine::{existing_home, scope};
use crate::failure::{Exit, Failure};
use crate::output::Output;

/// What `grep --json` prints.
#[derive(Serialize)]
struct Hits {
    text: String,
    documents_searched: usize,
    /// Whether there are more than were asked for.
    truncated: bool,
    hits: Vec<Hit>,
}

#[derive(Serialize)]
struct Hit {
    source: String,
    document: String,
    passage: Option<String>,
    heading_path: Vec<String>,
    page: Option<u32>,
    line_number: usize,
    line: String,
    char_start: usize,
    char_end: usize,
}

impl From<GrepHit> for Hit {
    fn from(hit: GrepHit) -> Self {
        Self {
            source: hit.source,
            document: hit.document.to_string(),
            passage: hit.passage.map(|passage| passage.to_string()),
            heading_path: hit.heading_path,
            page: hit.page,
            line_number: hit.line_number,
            line: hit.line,
            char_start: hit.char_start,
            char_end: hit.char_end,
        }
    }
}

pub(super) fn run(home: Option<&Path>, arguments: &GrepArguments, output: Output) -> Result<Exit, Failure> {
    let (home, _) = existing_home(home)?;
    if arguments.text.is_empty() {
        return Err(Failure::usage("the text to look for is empty", "give a word or a phrase"));
    }
    let reader = scope(&arguments.scope)?;
    let catalog = Catalog::open_read_only(&home.catalog_file())?;
    let mut hits = Vec::new();
    let summary = catalog.view()?.grep(
        &arguments.text,
        arguments.ignore_case,
        ReadScope::Reader(&reader),
        arguments.limit,
        &mut |hit| hits.push(Hit::from(hit)),
    )?;
    let result = Hits {
        text: arguments.text.clone(),
        documents_searched: summary.documents_searched,
        truncated: summary.stopped_at_limit,
        hits,
    };
    output.result(&result, describe)?;
    Ok(Exit::Done)
}

fn describe(result: &Hits) -> String {
    if result.hits.is_empty() {
        return format!(
            "`{}` is in none of the {} documents that you may read",
            result.text, result.documents_searched
        );
    }
    let mut text = String::new();
    for hit in &result.hits {
        text += &format!("{}:{}: {}\n", hit.source, hit.line_number, hit.line.trim());
    }
    if result.truncated {
        text += "[more lines match; raise --limit]\n";
    }
    text
}
