//! Where the gold spans of a golden set lie in the collection as it is indexed now.

use std::collections::HashMap;

use adit_catalog::CatalogView;
use adit_core::{ChunkId, DocumentId, DocumentRecord, ReadScope, Scope, TextRange};
use adit_eval::golden::resolve_source;
use adit_eval::{GoldenItem, Placement, place_span};

use crate::QualityError;

/// A gold span found in the collection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PlacedSpan {
    pub(crate) document: DocumentId,
    /// `None`: the whole document is the answer.
    pub(crate) range: Option<TextRange>,
}

/// A gold span that is nowhere, with the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Unplaced {
    pub(crate) source: String,
    pub(crate) reason: String,
}

/// One retrieved chunk, as scoring needs it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RetrievedSpan {
    pub(crate) document: DocumentId,
    pub(crate) range: TextRange,
}

/// The documents one reader sees, their texts read when they are asked for.
pub(crate) struct Collection<'a> {
    view: &'a CatalogView,
    scope: &'a Scope,
    by_source: HashMap<String, DocumentRecord>,
    texts: HashMap<DocumentId, Option<String>>,
    chunks: HashMap<ChunkId, RetrievedSpan>,
}

impl<'a> Collection<'a> {
    pub(crate) fn open(view: &'a CatalogView, scope: &'a Scope) -> Result<Self, QualityError> {
        let records = view.documents(ReadScope::Reader(scope))?;
        let by_source = records.into_iter().map(|record| (record.source.clone(), record)).collect();
        Ok(Self { view, scope, by_source, texts: HashMap::new(), chunks: HashMap::new() })
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_source.is_empty()
    }

    /// The document of that path; a golden set may leave out the folders above it where the rest names one
    /// document only.
    pub(crate) fn document(&self, source: &str) -> Result<&DocumentRecord, String> {
        let known = || self.by_source.keys().map(String::as_str);
        let found = self.by_source.get(source);
        let found = found.or_else(|| self.by_source.get(resolve_source(known(), source)?));
        found.ok_or_else(|| {
            format!("no document, or several, of this scope are `{source}`; write its whole source")
        })
    }

    /// Finds every span of an item.
    pub(crate) fn place(
        &mut self,
        item: &GoldenItem,
    ) -> Result<(Vec<PlacedSpan>, Vec<Unplaced>), QualityError> {
        let (mut placed, mut unplaced) = (Vec::new(), Vec::new());
        for span in &item.spans {
            let lost = |reason| Unplaced { source: span.source.clone(), reason };
            let document = match self.document(&span.source) {
                Ok(record) => record.id.clone(),
                Err(reason) => {
                    unplaced.push(lost(reason));
                    continue;
                }
            };
            if span.quote.is_none() && span.char_start.is_none() {
                placed.push(PlacedSpan { document, range: None });
                continue;
            }
            let Some(text) = self.text(&document)? else {
                unplaced.push(lost("the document has no text".to_owned()));
                continue;
            };
            match place_span(text, span) {
                Placement::Exact(range) | Placement::Moved { range, .. } => {
                    placed.push(PlacedSpan { document, range: Some(range) });
                }
                Placement::NotFound { best_similarity } => unplaced.push(lost(format!(
                    "the quote is not in the document's text (the nearest words are {:.0}% alike)",
                    100.0 * best_similarity
                ))),
            }
        }
        Ok((placed, unplaced))
    }

    fn text(&mut self, document: &DocumentId) -> Result<Option<&str>, QualityError> {
        if !self.texts.contains_key(document) {
            let text = self.view.document_text(document, ReadScope::Reader(self.scope))?;
            self.texts.insert(document.clone(), text);
        }
        Ok(self.texts.get(document).and_then(Option::as_deref))
    }

    /// The document and range of a chunk that a search returned.
    pub(crate) fn retrieved(&mut self, chunk: ChunkId) -> Result<Option<RetrievedSpan>, QualityError> {
        if !self.chunks.contains_key(&chunk)
            && let Some(stored) = self.view.chunk(chunk)?
        {
            let span = RetrievedSpan { document: stored.document, range: stored.chunk.range };
            self.chunks.insert(chunk, span);
        }
        Ok(self.chunks.get(&chunk).cloned())
    }
}
