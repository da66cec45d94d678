use std::collections::BTreeMap;

use super::file::GoldenSet;
use super::item::{GoldenItem, GoldenSpan, default_golden_id};

/// A golden set read from another format.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ImportedGolden {
    /// The questions.
    pub set: GoldenSet,
    /// The texts the spans point into, where the file carries them (SQuAD).
    pub documents: Vec<ImportedDocument>,
    /// What was left out or changed, in sentences.
    pub notices: Vec<String>,
}

/// A text that came with the questions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedDocument {
    /// As the spans name it; a relative path with `/`.
    pub source: String,
    /// Its text.
    pub text: String,
}

/// Gives ids that are unique within one import.
#[derive(Debug, Default)]
pub(super) struct UniqueIds {
    used: BTreeMap<String, usize>,
}

impl UniqueIds {
    /// `wanted`, or `wanted-2`, `wanted-3` and so on.
    pub(super) fn take(&mut self, wanted: &str) -> String {
        let mut id = wanted.to_owned();
        while self.used.contains_key(&id) {
            let count = self.used.entry(wanted.to_owned()).or_insert(1);
            *count += 1;
            id = format!("{wanted}-{count}");
        }
        self.used.insert(id.clone(), 1);
        id
    }
}

/// An item that names no id of its own; without spans it is not answerable.
pub(super) fn imported_item(ids: &mut UniqueIds, question: String, spans: Vec<GoldenSpan>) -> GoldenItem {
    GoldenItem {
        id: ids.take(&default_golden_id(&question, &spans)),
        answerable: !spans.is_empty(),
        question,
        spans,
        category: None,
        expected_answer: None,
    }
}
