use std::path::Path;

use super::file::GoldenSet;
use super::import::ImportedGolden;
use super::item::{GoldenItem, GoldenSpan};
use crate::{BeirSet, EvalError};

/// Reads a BEIR folder (Thakur et al. 2021): every query with the documents judged relevant to it, as
/// whole documents. Ids and sources are BEIR's.
///
/// # Errors
/// As [`BeirSet::open`]; [`EvalError::Import`] when no query is left.
pub fn import_beir(folder: &Path) -> Result<ImportedGolden, EvalError> {
    let beir = BeirSet::open(folder)?;
    let mut imported = ImportedGolden::default();
    let mut without_relevant = 0;
    for query in beir.queries {
        let grades = beir.judgments.get(&query.id).into_iter().flatten();
        let spans: Vec<GoldenSpan> = grades
            .filter(|(_, grade)| **grade > 0)
            .map(|(document, _)| GoldenSpan::whole_document(document))
            .collect();
        if spans.is_empty() || query.text.trim().is_empty() {
            without_relevant += 1;
            continue;
        }
        imported.set.items.push(GoldenItem {
            id: query.id,
            question: query.text,
            spans,
            category: None,
            answerable: true,
            expected_answer: None,
        });
    }
    if imported.set == GoldenSet::default() {
        return Err(EvalError::Import {
            path: folder.to_path_buf(),
            detail: "no query has a relevant document".to_owned(),
            expected: "qrels/test.tsv holds query id, document id and a grade, above 0 for relevant documents",
        });
    }
    if without_relevant > 0 {
        imported.notices.push(format!(
            "left out {without_relevant} queries without text or without a document graded above 0"
        ));
    }
    Ok(imported)
}
