//! Which document points to which.

use std::collections::HashMap;

use adit_catalog::{CatalogView, LinkKind};
use adit_core::{DocumentId, MetadataValue, citation_labels};
use adit_index::DocumentEntry;

use super::collection_facts::Position;
use crate::RetrieveError;

/// Metadata keys whose values are labels that others cite.
const LABEL_KEYS: [&str; 4] = ["id", "number", "policy", "identifier"];
/// Files that a link to their folder means.
const FOLDER_FILES: [&str; 3] = ["index", "readme", "_index"];

/// The links of a snapshot, resolved to documents of the same tenant. An edge depends on the two documents
/// it joins and on no third, so leaving out what a reader may not see leaves no trace of it.
#[derive(Debug, Default)]
pub(super) struct LinkGraph {
    outgoing: HashMap<Position, Vec<Position>>,
    incoming: HashMap<Position, Vec<Position>>,
    /// Whether the catalog holds any link, resolved or not.
    pub(super) has_links: bool,
}

impl LinkGraph {
    pub(super) fn read(
        entries: &[DocumentEntry],
        positions: &HashMap<DocumentId, Position>,
        view: &CatalogView,
    ) -> Result<Self, RetrieveError> {
        let links = view.links()?;
        let mut graph = Self { has_links: !links.is_empty(), ..Self::default() };
        if links.is_empty() {
            return Ok(graph);
        }
        let names = Names::of(entries);
        for link in links {
            // A document that is not in this snapshot yet has no edges in it.
            let Some(from) = positions.get(&link.from).copied() else { continue };
            let Some(tenant) = entries.get(from as usize).map(|entry| entry.tenant.as_str()) else {
                continue;
            };
            for to in names.resolve(tenant, link.link.kind, &link.link.target) {
                if to != from {
                    graph.outgoing.entry(from).or_default().push(to);
                    graph.incoming.entry(to).or_default().push(from);
                }
            }
        }
        for neighbours in graph.outgoing.values_mut().chain(graph.incoming.values_mut()) {
            neighbours.sort_unstable();
            neighbours.dedup();
        }
        Ok(graph)
    }

    /// The documents that `from` points to.
    pub(super) fn cited_by(&self, from: Position) -> &[Position] {
        self.outgoing.get(&from).map_or(&[], Vec::as_slice)
    }

    /// The documents that point to `to`.
    pub(super) fn citing(&self, to: Position) -> &[Position] {
        self.incoming.get(&to).map_or(&[], Vec::as_slice)
    }
}

type Key = (String, String);

/// What documents are called in links, by tenant and name.
#[derive(Default)]
struct Names {
    by_path: HashMap<Key, Vec<Position>>,
    /// Without the ending: `guide/install` is `guide/install.rst`, and so is a link to `guide/install.html`.
    by_stem: HashMap<Key, Vec<Position>>,
    by_label: HashMap<Key, Vec<Position>>,
}

impl Names {
    fn of(entries: &[DocumentEntry]) -> Self {
        let mut names = Self::default();
        for (position, entry) in (0..).zip(entries) {
            let key = |name: String| (entry.tenant.as_str().to_owned(), name);
            let values =
                |key: &str| entry.metadata.get(key).into_iter().flatten().map(MetadataValue::to_text);
            // The path stands last, after a `source` that the document itself may name.
            let path = super::links::path_of(entry);
            let (folder, file) = path.rsplit_once('/').unwrap_or(("", path.as_str()));
            let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
            let whole_stem = if folder.is_empty() { stem.to_owned() } else { format!("{folder}/{stem}") };
            if FOLDER_FILES.contains(&stem.to_lowercase().as_str()) {
                names.by_path.entry(key(folder.to_owned())).or_default().push(position);
            }
            let mut labels: Vec<String> =
                citation_labels(file).into_iter().map(|label| label.normal).collect();
            for value in values("title").chain(LABEL_KEYS.iter().flat_map(|key| values(key))) {
                labels.extend(citation_labels(&value).into_iter().map(|label| label.normal));
            }
            labels.sort_unstable();
            labels.dedup();
            for label in labels {
                names.by_label.entry(key(label)).or_default().push(position);
            }
            names.by_stem.entry(key(whole_stem)).or_default().push(position);
            names.by_path.entry(key(path)).or_default().push(position);
        }
        names
    }

    /// A path means the document of that path, and, where it ends in `.html` or in nothing, also the one that
    /// a page of that name would be made from. Where several documents have a name, a link means all of them:
    /// whether an edge is there never depends on a third document.
    fn resolve(&self, tenant: &str, kind: LinkKind, target: &str) -> Vec<Position> {
        let look = |map: &HashMap<Key, Vec<Position>>, name: &str| {
            map.get(&(tenant.to_owned(), name.to_owned())).cloned().unwrap_or_default()
        };
        if kind == LinkKind::Citation {
            return look(&self.by_label, target);
        }
        let mut found = look(&self.by_path, target);
        let file = target.rsplit('/').next().unwrap_or_default();
        let stem = match file.rsplit_once('.') {
            None => Some(target),
            Some((_, "html" | "htm")) => target.rsplit_once('.').map(|(stem, _)| stem),
            Some(_) => None,
        };
        found.extend(stem.map(|stem| look(&self.by_stem, stem)).unwrap_or_default());
        found
    }
}
