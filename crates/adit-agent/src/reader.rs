use adit_catalog::StoredChunk;
use adit_core::{DocumentId, DocumentRecord, Filter, ReadScope};
use adit_retrieve::{RetrieveError, Retriever, SearchRequest};

use crate::ToolFailure;

/// Who reads, and with what: fixed for the whole question. No argument of a tool can widen it.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub(crate) retriever: &'a Retriever,
    /// The question's own search: its scope, filter and mode hold for every tool.
    pub(crate) search: SearchRequest<'a>,
}

impl Reader<'_> {
    /// Whether the question's filter lets a document through; its rights are the catalog's affair.
    fn is_wanted(&self, record: &DocumentRecord) -> bool {
        let filter: &Filter = self.search.filter;
        filter.is_empty()
            || record.first_chunk.is_some_and(|chunk| {
                self.retriever.index().snapshot().is_allowed(self.search.scope, filter, chunk)
            })
    }

    /// Every document in scope and filter, by source.
    pub(crate) fn documents(&self) -> Result<Vec<DocumentRecord>, ToolFailure> {
        let view = self.retriever.catalog().view().map_err(RetrieveError::from).map_err(failure)?;
        let scope = ReadScope::Reader(self.search.scope);
        let mut documents = view.documents(scope).map_err(RetrieveError::from).map_err(failure)?;
        documents.retain(|record| self.is_wanted(record));
        Ok(documents)
    }

    /// One document, if it may be read; one that may not cannot be told from one that does not exist.
    pub(crate) fn document(&self, id: &DocumentId) -> Result<DocumentRecord, ToolFailure> {
        let view = self.retriever.catalog().view().map_err(RetrieveError::from).map_err(failure)?;
        let found = view.document(id, ReadScope::Reader(self.search.scope));
        let found = found.map_err(RetrieveError::from).map_err(failure)?;
        found
            .filter(|record| self.is_wanted(record))
            .ok_or_else(|| failure(RetrieveError::UnknownDocument { document: id.clone() }))
    }

    /// The chunks of a document that may be read.
    pub(crate) fn chunks(&self, id: &DocumentId) -> Result<Vec<StoredChunk>, ToolFailure> {
        self.document(id)?;
        let view = self.retriever.catalog().view().map_err(RetrieveError::from).map_err(failure)?;
        let chunks = view.chunks_of(id, ReadScope::Reader(self.search.scope));
        chunks.map_err(RetrieveError::from).map_err(failure)
    }
}

/// What the model is told of a failing search.
pub(crate) fn failure(error: RetrieveError) -> ToolFailure {
    use adit_core::Classified;
    let hint = error.hint().unwrap_or_else(|| "go on without it".to_owned());
    ToolFailure::new(error.to_string(), hint)
}
