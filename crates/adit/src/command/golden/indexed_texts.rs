use std::path::Path;

use adit_catalog::{Catalog, CatalogError, CatalogView};
use adit_core::{AdministratorScope, DocumentId, ReadScope};
use adit_eval::golden::resolve_source;

use crate::engine::existing_home;
use crate::failure::Failure;

/// The extracted texts of the home, by source. Whoever keeps the golden set keeps the home, so every
/// document counts, whatever its access control list; only what the set itself quotes is printed.
pub(super) struct IndexedTexts {
    view: CatalogView,
    administrator: AdministratorScope,
    /// By source.
    documents: Vec<(String, DocumentId)>,
}

impl IndexedTexts {
    pub(super) fn open(home: Option<&Path>) -> Result<Self, Failure> {
        let (home, _) = existing_home(home)?;
        let view = Catalog::open_read_only(&home.catalog_file())?.view()?;
        let administrator = AdministratorScope::assume("adit golden");
        let documents = view.documents(ReadScope::Administrator(&administrator))?;
        let documents = documents.into_iter().map(|record| (record.source, record.id)).collect();
        Ok(Self { view, administrator, documents })
    }

    /// The source that `wanted` means, if there is one.
    pub(super) fn resolve(&self, wanted: &str) -> Option<&str> {
        resolve_source(self.documents.iter().map(|(source, _)| source.as_str()), wanted)
    }

    /// The text of the document that `wanted` means.
    pub(super) fn text_of(&self, wanted: &str) -> Result<Option<String>, CatalogError> {
        let Some(resolved) = self.resolve(wanted) else { return Ok(None) };
        let Some((_, id)) = self.documents.iter().find(|(source, _)| source == resolved) else {
            return Ok(None);
        };
        self.view.document_text(id, ReadScope::Administrator(&self.administrator))
    }
}
