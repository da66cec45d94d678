//! What the signals know of every document of a snapshot, worked out once a snapshot.

use std::collections::HashMap;

use adit_catalog::CatalogView;
use adit_core::{DocumentId, MetadataValue};
use adit_index::{DocumentEntry, Snapshot};
use jiff::civil::Date;

use super::calendar_period::first_period;
use super::link_graph::LinkGraph;
use super::version_name::{VersionNumber, read_name};
use crate::RetrieveError;

/// Metadata keys that name the first and the last day on which a document is valid.
const VALID_FROM_KEYS: [&str; 3] = ["effective", "valid_from", "date"];
const VALID_UNTIL_KEYS: [&str; 3] = ["valid_until", "expires", "effective_until"];

/// Position of a document among the entries of its snapshot.
pub(super) type Position = u32;

/// One document's dates, version and names.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentFacts {
    /// What recency goes by, and the key it came from.
    pub(super) dated: Option<(Date, String)>,
    /// From when it holds: declared, or read from its name.
    pub(super) valid_from: Option<Date>,
    /// Until when it holds, where it says so.
    pub(super) valid_until: Option<Date>,
    /// Its number among its versions.
    pub(super) version: Option<VersionNumber>,
    /// Day on which its file was changed.
    pub(super) modified: Option<Date>,
    /// Families of versions it belongs to.
    pub(super) families: Vec<u32>,
    /// Documents that it says it supersedes.
    pub(super) supersedes: Vec<Position>,
}

/// All documents of one snapshot, whoever may read them: every answer is narrowed to the reader's scope by
/// whoever asks here.
pub(super) struct CollectionFacts {
    documents: Vec<DocumentFacts>,
    positions: HashMap<DocumentId, Position>,
    families: Vec<Vec<Position>>,
    superseded_by: HashMap<Position, Vec<Position>>,
    /// The links between them.
    pub(super) links: LinkGraph,
}

impl CollectionFacts {
    pub(super) fn read(
        snapshot: &Snapshot,
        view: &CatalogView,
        date_keys: &[String],
    ) -> Result<Self, RetrieveError> {
        let entries = snapshot.all_documents();
        let mut builder = Builder::default();
        let documents = entries.iter().map(|entry| builder.facts(entry, date_keys)).collect();
        let positions: HashMap<DocumentId, Position> =
            (0..).zip(entries).map(|(position, entry)| (entry.id.clone(), position)).collect();
        let links = LinkGraph::read(entries, &positions, view)?;
        let mut facts =
            Self { documents, positions, families: builder.families, superseded_by: HashMap::new(), links };
        facts.resolve_supersedes(entries);
        Ok(facts)
    }

    pub(super) fn position(&self, document: &DocumentId) -> Option<Position> {
        self.positions.get(document).copied()
    }

    pub(super) fn of(&self, position: Position) -> Option<&DocumentFacts> {
        self.documents.get(position as usize)
    }

    /// Other versions of a document: those that share a name or a series with it, and those that one of the
    /// two says it supersedes. Relations are between two documents only, never over a third, which might be
    /// one that the reader may not see.
    pub(super) fn other_versions(&self, position: Position) -> Vec<Position> {
        let Some(facts) = self.of(position) else { return Vec::new() };
        let in_families =
            facts.families.iter().filter_map(|family| self.families.get(*family as usize)).flatten();
        let later = self.superseded_by.get(&position).into_iter().flatten();
        let mut others: Vec<Position> = in_families.chain(&facts.supersedes).chain(later).copied().collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|one| *one != position);
        others
    }

    /// `supersedes` names a path (from the document's own folder or whole), a file name, an id or a title.
    fn resolve_supersedes(&mut self, entries: &[DocumentEntry]) {
        let mut by_name: HashMap<(String, String), Vec<Position>> = HashMap::new();
        if !entries.iter().any(|entry| entry.metadata.contains_key("supersedes")) {
            return;
        }
        for (position, entry) in (0..).zip(entries) {
            for name in names_of(entry) {
                by_name.entry((entry.tenant.as_str().to_owned(), name)).or_default().push(position);
            }
        }
        for (position, entry) in (0_u32..).zip(entries) {
            let mut older = Vec::new();
            for value in entry.metadata.get("supersedes").into_iter().flatten() {
                let key = (entry.tenant.as_str().to_owned(), value.to_text().trim().to_lowercase());
                older.extend(by_name.get(&key).into_iter().flatten().copied().filter(|one| *one != position));
            }
            for one in &older {
                self.superseded_by.entry(*one).or_default().push(position);
            }
            if let Some(facts) = self.documents.get_mut(position as usize) {
                facts.supersedes = older;
            }
        }
    }
}

/// Everything by which one document may name another, in lower case.
fn names_of(entry: &DocumentEntry) -> Vec<String> {
    let values = |key: &str| entry.metadata.get(key).into_iter().flatten().map(MetadataValue::to_text);
    let mut names = vec![entry.id.as_str().to_owned()];
    names.extend(values("title").chain(values("id")).map(|name| name.trim().to_lowercase()));
    for source in values("source") {
        let source = source.to_lowercase();
        let file = source.rsplit('/').next().unwrap_or_default().to_owned();
        names.extend(file.rsplit_once('.').map(|(stem, _)| stem.to_owned()));
        names.extend([file, source]);
    }
    names.sort_unstable();
    names.dedup();
    names
}

#[derive(Default)]
struct Builder {
    families: Vec<Vec<Position>>,
    by_key: HashMap<String, u32>,
    next: Position,
}

impl Builder {
    fn facts(&mut self, entry: &DocumentEntry, date_keys: &[String]) -> DocumentFacts {
        let position = self.next;
        self.next = self.next.saturating_add(1);
        let first = |key: &str| entry.metadata.get(key).and_then(|values| values.first());
        let date = |key: &str| first(key).and_then(|value| date_in(&value.to_text()));
        let version = first("version").map(MetadataValue::to_text);
        let declared = version.as_deref().and_then(VersionNumber::read);
        // The last value is the file's path and the document's title; a key of the same name may stand before.
        let last =
            |key: &str| entry.metadata.get(key).and_then(|values| values.last()).map(MetadataValue::to_text);
        let source = last("source").unwrap_or_default();
        let path = read_name(without_ending(&source));
        let title = last("title").and_then(|title| read_name(&title));
        let named = [path.as_ref(), title.as_ref()];
        let mut facts = DocumentFacts {
            dated: date_keys.iter().find_map(|key| date(key).map(|date| (date, key.clone()))),
            valid_from: VALID_FROM_KEYS.iter().find_map(|key| date(key)),
            valid_until: VALID_UNTIL_KEYS.iter().find_map(|key| date(key)),
            version: declared,
            modified: last("modified").and_then(|day| date_in(&day)),
            ..DocumentFacts::default()
        };
        let in_name = || named.into_iter().flatten().find_map(|name| name.date);
        facts.valid_from = facts.valid_from.or_else(in_name);
        facts.version =
            facts.version.or_else(|| named.into_iter().flatten().find_map(|name| name.version.clone()));
        let tenant = entry.tenant.as_str();
        if let Some(series) = first("series") {
            let key = format!("{tenant}\u{0}series\u{0}{}", series.to_text().trim().to_lowercase());
            facts.families.push(self.family(key, position));
        }
        // A path without a version is a version too: `policy.md` beside `policy-2023.md`.
        if let Some(name) = path {
            facts.families.push(self.family(format!("{tenant}\u{0}path\u{0}{}", name.key), position));
        }
        // Many documents share a title such as `Introduction`; only one with a version speaks of versions.
        if let Some(name) = title.filter(|name| name.has_mark || version.is_some()) {
            facts.families.push(self.family(format!("{tenant}\u{0}title\u{0}{}", name.key), position));
        }
        facts
    }

    fn family(&mut self, key: String, position: Position) -> u32 {
        let number = *self.by_key.entry(key).or_insert_with(|| {
            self.families.push(Vec::new());
            u32::try_from(self.families.len() - 1).unwrap_or(u32::MAX)
        });
        if let Some(family) = self.families.get_mut(number as usize) {
            family.push(position);
        }
        number
    }
}

/// First day of the period that a metadata value names: `2024`, `2024-03`, `2024-03-01T10:00:00Z`.
fn date_in(value: &str) -> Option<Date> {
    let value = value.trim();
    let day = value.get(..10).and_then(|day| day.parse().ok());
    day.or_else(|| first_period(value).map(|(period, _)| period.first))
}

fn without_ending(source: &str) -> &str {
    let file = source.rsplit('/').next().unwrap_or_default();
    match file.rsplit_once('.') {
        // `limits-v2.1` has no ending but a version.
        Some((stem, ending)) if !stem.is_empty() && ending.chars().any(char::is_alphabetic) => {
            source.get(..source.len() - ending.len() - 1).unwrap_or(source)
        }
        _ => source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_metadata_are_read() {
        let read = |text: &str| date_in(text).map(|date| date.to_string());
        assert_eq!(read("2024-03-01T10:00:00Z").as_deref(), Some("2024-03-01"));
        assert_eq!(read("2024-03").as_deref(), Some("2024-03-01"));
        assert_eq!(read("2024").as_deref(), Some("2024-01-01"));
        assert_eq!(read("1. Juli 2024").as_deref(), Some("2024-07-01"));
        assert_eq!(read("soon"), None);
    }

    #[test]
    fn endings_are_no_versions() {
        assert_eq!(without_ending("a/limits-v2.1"), "a/limits-v2.1");
        assert_eq!(without_ending("a/limits-v2.1.md"), "a/limits-v2.1");
        assert_eq!(without_ending("a.b/file"), "a.b/file");
    }
}
