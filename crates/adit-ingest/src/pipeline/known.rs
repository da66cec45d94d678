use std::collections::BTreeMap;

use adit_catalog::Catalog;
use adit_core::{AdministratorScope, CHILD_SEPARATOR, DocumentId, DocumentRecord, ReadScope};

use crate::IngestError;

/// What the catalog holds at the start of a run, by source name. One source has more than one
/// document only when its tenant has changed.
pub(super) struct KnownDocuments {
    by_source: BTreeMap<String, Vec<DocumentRecord>>,
}

impl KnownDocuments {
    pub(super) fn read(catalog: &Catalog) -> Result<Self, IngestError> {
        let administrator = AdministratorScope::assume("compare files with the catalog");
        let mut by_source: BTreeMap<String, Vec<DocumentRecord>> = BTreeMap::new();
        for record in catalog.view()?.documents(ReadScope::Administrator(&administrator))? {
            by_source.entry(record.source.clone()).or_default().push(record);
        }
        Ok(Self { by_source })
    }

    /// The document of `source` if it was made from exactly this content under these rights.
    pub(super) fn same_content(&self, source: &str, content_hash: &str) -> Option<&DocumentRecord> {
        match self.by_source.get(source).map(Vec::as_slice) {
            Some([only]) if only.content_hash == content_hash => Some(only),
            _ => None,
        }
    }

    /// Documents of `source` under another id than `id`.
    pub(super) fn others(&self, source: &str, id: &DocumentId) -> Vec<DocumentId> {
        let records = self.by_source.get(source).map(Vec::as_slice).unwrap_or_default();
        records.iter().map(|record| record.id.clone()).filter(|other| other != id).collect()
    }

    /// The documents inside the file `source`, at any depth.
    pub(super) fn inside<'a>(&'a self, source: &str) -> impl Iterator<Item = &'a DocumentRecord> + use<'a> {
        let prefix = format!("{source}{CHILD_SEPARATOR}");
        self.by_source
            .range(prefix.clone()..)
            .take_while(move |(inner, _)| inner.starts_with(&prefix))
            .flat_map(|(_, records)| records)
    }

    pub(super) fn all(&self) -> impl Iterator<Item = (&str, &DocumentId)> {
        self.by_source
            .iter()
            .flat_map(|(source, records)| records.iter().map(move |record| (source.as_str(), &record.id)))
    }
}
