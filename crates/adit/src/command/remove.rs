use std::path::Path;
use std::sync::Arc;

use adit_catalog::Catalog;
use adit_core::{AdministratorScope, DocumentRecord, ReadScope};
use adit_index::IndexOptions;
use serde::Serialize;

use crate::arguments::RemoveArguments;
use crate::engine::{existing_home, open_index_writer};
use crate::failure::{Exit, Failure};
use crate::output::{Output, counted};

/// What `rm --json` prints.
#[derive(Serialize)]
struct Removed {
    removed: Vec<String>,
}

/// Removes every document that is named by id or path, or none when a name is unknown.
pub(super) fn run(home: Option<&Path>, arguments: &RemoveArguments, output: Output) -> Result<Exit, Failure> {
    let (home, _) = existing_home(home)?;
    let catalog = Arc::new(Catalog::create_or_open(&home.catalog_file())?);
    let index = open_index_writer(&home, &catalog, IndexOptions::default())?;
    let administrator = AdministratorScope::assume("adit rm");
    let documents = catalog.view()?.documents(ReadScope::Administrator(&administrator))?;
    let mut found = Vec::new();
    for name in &arguments.documents {
        found.extend(matching(&documents, name)?);
    }
    for record in &found {
        catalog.remove(&record.id)?;
    }
    index.catch_up()?;
    let removed = found.iter().map(|record| record.source.clone()).collect();
    output.result(&Removed { removed }, |removed| {
        format!("removed {}: {}", counted(removed.removed.len(), "document"), removed.removed.join(", "))
    })?;
    Ok(Exit::Done)
}

fn matching<'a>(documents: &'a [DocumentRecord], name: &str) -> Result<Vec<&'a DocumentRecord>, Failure> {
    let bare = name.trim_start_matches("doc:");
    let bare = bare.strip_prefix("./").unwrap_or(bare);
    let found: Vec<_> =
        documents.iter().filter(|record| record.id.as_str() == bare || record.source == bare).collect();
    if found.is_empty() {
        return Err(Failure::usage(
            format!("no document has the id or path `{name}`; nothing was removed"),
            "`adit status --documents --all` lists ids and paths",
        ));
    }
    Ok(found)
}
