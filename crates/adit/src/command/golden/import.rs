use std::collections::BTreeSet;
use std::path::Path;

use adit_eval::GoldenSet;
use adit_eval::golden::{ImportedDocument, ImportedGolden, import_beir, import_chunk_eval, import_squad};
use serde::Serialize;

use crate::arguments::{GoldenFormat, GoldenImportArguments};
use crate::failure::{Exit, Failure};
use crate::output::{Output, counted};

/// What `golden import --json` prints.
#[derive(Serialize)]
struct Imported {
    file: String,
    imported: usize,
    already_there: usize,
    items: usize,
    documents_written: usize,
    notices: Vec<String>,
}

/// Adds what is not there yet; the same import twice changes nothing.
pub(super) fn run(
    home: Option<&Path>,
    arguments: &GoldenImportArguments,
    output: Output,
) -> Result<Exit, Failure> {
    let file = super::file(home, &arguments.golden)?;
    let mut set = super::read_or_start(&file)?;
    let mut found = match arguments.format {
        GoldenFormat::Beir => import_beir(&arguments.path)?,
        GoldenFormat::Squad => import_squad(&arguments.path)?,
        GoldenFormat::ChunkEval => import_chunk_eval(&arguments.path)?,
        GoldenFormat::Golden => {
            ImportedGolden { set: GoldenSet::read(&arguments.path)?, ..ImportedGolden::default() }
        }
    };
    let before = set.items.len();
    let known: BTreeSet<String> = set.items.iter().map(|item| item.id.clone()).collect();
    let offered = found.set.items.len();
    set.items.extend(found.set.items.into_iter().filter(|item| !known.contains(&item.id)));
    let documents_written = match &arguments.documents {
        Some(folder) => write_documents(folder, &found.documents)?,
        None => 0,
    };
    if documents_written < found.documents.len() {
        found.notices.push(
            "the questions are about texts that came in the same file: write them with `--documents DIR` and \
             index that folder"
                .to_owned(),
        );
    }
    set.write(&file)?;
    let imported = set.items.len() - before;
    let result = Imported {
        file: file.display().to_string(),
        imported,
        already_there: offered - imported,
        items: set.items.len(),
        documents_written,
        notices: found.notices,
    };
    output.result(&result, describe)?;
    Ok(Exit::Done)
}

fn write_documents(folder: &Path, documents: &[ImportedDocument]) -> Result<usize, Failure> {
    for document in documents {
        let path = folder.join(&document.source);
        let written = path
            .parent()
            .map_or(Ok(()), fs_err::create_dir_all)
            .and_then(|()| fs_err::write(&path, &document.text));
        written.map_err(|error| Failure::world(error.to_string()))?;
    }
    Ok(documents.len())
}

fn describe(result: &Imported) -> String {
    let mut text = format!(
        "{}: {} added, {} already there, {} in all\n",
        result.file,
        counted(result.imported, "question"),
        result.already_there,
        result.items
    );
    if result.documents_written > 0 {
        text += &format!("{} written\n", counted(result.documents_written, "document"));
    }
    for notice in &result.notices {
        text += &format!("notice: {notice}\n");
    }
    text + "next: index the documents, then `adit golden check`"
}
