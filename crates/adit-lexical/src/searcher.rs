use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adit_core::{ChunkId, LexicalHit, ScoredChunk, SequenceNumber};
use roaring::RoaringBitmap;
use tantivy::Index;

use crate::chunk_set::ChunkSet;
use crate::explain::explain;
use crate::query::PreparedQuery;
use crate::query_term::{QueryTerm, query_terms};
use crate::schema::{Fields, open_index, sequence_of};
use crate::segment::Segment;
use crate::sparse_scan::scan_sparse;
use crate::top_chunks::TopChunks;
use crate::window_scan::{Window, scan_windows};
use crate::{Bm25Parameters, LexicalError};

/// How often opening is tried again when a merge removed files between reading the list and opening them.
const OPEN_ATTEMPTS: usize = 10;

/// With at most one allowed document in so many, the allowed documents lead and not the postings.
const SPARSE_RATIO: u64 = 24;

/// One immutable state of a lexical index. Cheap to clone; searches take no lock.
#[derive(Clone)]
pub struct LexicalSearcher {
    state: Arc<SearcherState>,
}

struct SearcherState {
    folder: PathBuf,
    fields: Fields,
    sequence: SequenceNumber,
    segments: Vec<Segment>,
}

/// Opens the last committed state of the index in `folder`, without taking any lock.
///
/// # Errors
/// [`LexicalError::Damaged`] when there is no index or its files do not fit together,
/// [`LexicalError::OtherFormat`], [`LexicalError::Io`].
pub fn open_searcher(folder: &Path) -> Result<LexicalSearcher, LexicalError> {
    let (index, fields) = open_index(folder)?;
    LexicalSearcher::open(folder, &index, fields, None)
}

impl LexicalSearcher {
    /// Opens the last committed state of `index`; what `previous` holds of the same segments is shared.
    pub(crate) fn open(
        folder: &Path,
        index: &Index,
        fields: Fields,
        previous: Option<&Self>,
    ) -> Result<Self, LexicalError> {
        let mut attempt = 1;
        loop {
            match Self::open_once(folder, index, fields, previous) {
                Err(LexicalError::Damaged { .. } | LexicalError::Io { .. }) if attempt < OPEN_ATTEMPTS => {
                    attempt += 1;
                }
                outcome => return outcome,
            }
        }
    }

    fn open_once(
        folder: &Path,
        index: &Index,
        fields: Fields,
        previous: Option<&Self>,
    ) -> Result<Self, LexicalError> {
        // One read of one file: the sequence number and the segments belong together.
        let meta = index.load_metas().map_err(|error| LexicalError::from_tantivy(folder, error))?;
        let sequence = sequence_of(folder, &meta)?;
        let known: HashMap<_, _> = previous
            .map(|searcher| {
                searcher.state.segments.iter().map(|segment| (segment.id(), segment.columns())).collect()
            })
            .unwrap_or_default();
        let segments = meta
            .segments
            .into_iter()
            .map(|segment| {
                let columns = known.get(&segment.id()).cloned();
                Segment::open(folder, index, fields, segment, columns)
            })
            .collect::<Result<Vec<_>, _>>()?;
        Ok(Self { state: Arc::new(SearcherState { folder: folder.to_owned(), fields, sequence, segments }) })
    }

    /// Opens what is committed by now, sharing with this searcher what has not changed.
    ///
    /// # Errors
    /// As [`open_searcher`].
    pub fn refresh(&self) -> Result<Self, LexicalError> {
        let (index, fields) = open_index(&self.state.folder)?;
        Self::open(&self.state.folder, &index, fields, Some(self))
    }

    /// The last change it contains.
    #[must_use]
    pub fn sequence(&self) -> SequenceNumber {
        self.state.sequence
    }

    /// Chunks it holds, deleted ones included until a merge drops them: the N of BM25.
    #[must_use]
    pub fn chunk_count(&self) -> u64 {
        self.state.segments.iter().map(|segment| u64::from(segment.document_count())).sum()
    }

    /// The chunks that can be found in it; for audits.
    #[must_use]
    pub fn chunk_ids(&self) -> RoaringBitmap {
        let mut all = RoaringBitmap::new();
        for segment in &self.state.segments {
            all.extend(segment.chunk_ids());
        }
        all
    }

    /// Segments it is made of.
    #[must_use]
    pub fn segment_count(&self) -> usize {
        self.state.segments.len()
    }

    /// The best `limit` chunks among `allowed` by BM25, best first, equal scores by rising chunk id.
    ///
    /// `languages` are those present in the collection (see [`crate::detect_language`]): each query word
    /// counts as one term, whichever of their stemmers its form in the text came from. `allowed` holds
    /// chunk ids that are live, in the scope and pass the filter; it is applied inside the search. The
    /// statistics behind the scores are over all chunks, as in Lucene. The same index and query give the
    /// same bits.
    ///
    /// # Errors
    /// [`LexicalError::Io`] when postings cannot be read.
    pub fn search(
        &self,
        query: &str,
        languages: &[String],
        allowed: &RoaringBitmap,
        parameters: Bm25Parameters,
        limit: usize,
    ) -> Result<Vec<ScoredChunk>, LexicalError> {
        if limit == 0 || allowed.is_empty() {
            return Ok(Vec::new());
        }
        self.search_segments(query, languages, allowed, parameters, limit)
            .map_err(|error| self.io_error(error))
    }

    fn search_segments(
        &self,
        query: &str,
        languages: &[String],
        allowed: &RoaringBitmap,
        parameters: Bm25Parameters,
        limit: usize,
    ) -> std::io::Result<Vec<ScoredChunk>> {
        let SearcherState { segments, fields, .. } = &*self.state;
        let query = PreparedQuery::new(query, languages, segments, *fields, parameters)?;
        let mut top = TopChunks::new(limit);
        let mut window = Window::new();
        for (position, segment) in segments.iter().enumerate() {
            let Some(range) = segment.chunk_range() else { continue };
            let allowed_count = allowed.range_cardinality(range.clone());
            if allowed_count == 0 {
                continue;
            }
            let mut groups = query.cursors(segment, position)?;
            let document_count = segment.document_count();
            if allowed_count * SPARSE_RATIO <= u64::from(document_count) {
                scan_sparse(segment, &mut groups, &segment.allowed_documents(allowed), &mut top);
            } else {
                let chunks = ChunkSet::new(allowed, &range, allowed_count, document_count);
                scan_windows(segment, &mut groups, &chunks, &mut top, &mut window);
            }
        }
        Ok(top.into_sorted())
    }

    /// The score of one chunk taken apart by terms, or `None` when the index does not have it (any more)
    /// or it has none of the words. The caller checks that the reader may see it.
    ///
    /// # Errors
    /// [`LexicalError::Io`] when postings cannot be read.
    pub fn explain(
        &self,
        query: &str,
        languages: &[String],
        chunk: ChunkId,
        parameters: Bm25Parameters,
    ) -> Result<Option<LexicalHit>, LexicalError> {
        let SearcherState { segments, fields, .. } = &*self.state;
        let query = PreparedQuery::new(query, languages, segments, *fields, parameters)
            .map_err(|error| self.io_error(error))?;
        for (position, segment) in segments.iter().enumerate() {
            if let Some(document) = segment.document_of(chunk) {
                return explain(&query, segment, position, document, chunk)
                    .map_err(|error| self.io_error(error));
            }
        }
        Ok(None)
    }

    /// The words of `query` with how rare each is, over all chunks as in [`LexicalSearcher::search`]; also
    /// those that no chunk has.
    ///
    /// # Errors
    /// [`LexicalError::Io`] when the terms cannot be read.
    pub fn query_terms(&self, query: &str, languages: &[String]) -> Result<Vec<QueryTerm>, LexicalError> {
        let SearcherState { segments, fields, .. } = &*self.state;
        query_terms(query, languages, segments, *fields).map_err(|error| self.io_error(error))
    }

    fn io_error(&self, source: std::io::Error) -> LexicalError {
        LexicalError::Io { folder: self.state.folder.clone(), source }
    }
}

impl std::fmt::Debug for LexicalSearcher {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("LexicalSearcher")
            .field("folder", &self.state.folder)
            .field("sequence", &self.state.sequence)
            .field("segments", &self.state.segments.len())
            .finish_non_exhaustive()
    }
}
