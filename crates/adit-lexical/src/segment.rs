use std::ops::RangeInclusive;
use std::path::Path;
use std::sync::{Arc, OnceLock};

use adit_core::ChunkId;
use roaring::RoaringBitmap;
use tantivy::index::SegmentId;
use tantivy::postings::TermInfo;
use tantivy::schema::IndexRecordOption;
use tantivy::{DocId, Index, InvertedIndexReader, SegmentMeta, SegmentReader, Term};

use crate::LexicalError;
use crate::posting_cursor::PostingCursor;
use crate::schema::{CHUNK_COLUMN, Fields};

/// One immutable part of the index, with what a search needs held in memory.
pub(crate) struct Segment {
    reader: SegmentReader,
    body: Arc<InvertedIndexReader>,
    identifiers: Arc<InvertedIndexReader>,
    columns: Arc<SegmentColumns>,
}

/// What deletes do not change, so that the next searcher can take it over: five bytes a chunk.
pub(crate) struct SegmentColumns {
    /// Chunk id by document.
    chunks: Vec<u32>,
    /// Quantised length by document.
    lengths: Vec<u8>,
    /// Documents by rising chunk id, where that is not their own order.
    by_chunk: OnceLock<Option<Vec<DocId>>>,
}

/// The fields a query word can be looked up in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum WordField {
    /// [`Fields::body`].
    Body,
    /// [`Fields::identifiers`].
    Identifiers,
}

impl Segment {
    /// Opens the segment, taking over `known` columns if they are given.
    pub(crate) fn open(
        folder: &Path,
        index: &Index,
        fields: Fields,
        meta: SegmentMeta,
        known: Option<Arc<SegmentColumns>>,
    ) -> Result<Self, LexicalError> {
        let failed = |error| LexicalError::from_tantivy(folder, error);
        let reader = SegmentReader::open(&index.segment(meta)).map_err(failed)?;
        let body = reader.inverted_index(fields.body).map_err(failed)?;
        let identifiers = reader.inverted_index(fields.identifiers).map_err(failed)?;
        let columns = match known {
            Some(columns) => columns,
            None => Arc::new(SegmentColumns::read(&reader, fields).map_err(failed)?),
        };
        Ok(Self { reader, body, identifiers, columns })
    }

    /// tantivy's name of the segment.
    pub(crate) fn id(&self) -> SegmentId {
        self.reader.segment_id()
    }

    /// Of every document that was not deleted.
    pub(crate) fn chunk_ids(&self) -> impl Iterator<Item = u32> {
        let alive = self.reader.alive_bitset();
        let is_alive = move |document: DocId| alive.is_none_or(|alive| alive.is_alive(document));
        let numbered = (0..).zip(self.columns.chunks.iter().copied());
        numbered.filter(move |(document, _)| is_alive(*document)).map(|(_, chunk)| chunk)
    }

    /// To be taken over by the next searcher.
    pub(crate) fn columns(&self) -> Arc<SegmentColumns> {
        Arc::clone(&self.columns)
    }

    /// Documents, deleted ones included until a merge drops them.
    pub(crate) fn document_count(&self) -> u32 {
        self.reader.max_doc()
    }

    /// Words of the main field over all documents.
    pub(crate) fn word_count(&self) -> u64 {
        self.body.total_num_tokens()
    }

    /// Quantised lengths by document.
    pub(crate) fn lengths(&self) -> &[u8] {
        &self.columns.lengths
    }

    /// The chunk that `document` is, unless it is deleted.
    #[inline]
    pub(crate) fn live_chunk(&self, document: DocId) -> Option<ChunkId> {
        let chunk = self.columns.chunks.get(document as usize)?;
        (!self.reader.is_deleted(document)).then_some(ChunkId(*chunk))
    }

    /// Where `term` stands in the dictionary of `field`.
    pub(crate) fn term_info(&self, field: WordField, term: &Term) -> std::io::Result<Option<TermInfo>> {
        self.inverted_index(field).get_term_info(term)
    }

    /// The postings behind a dictionary entry.
    pub(crate) fn postings(&self, field: WordField, info: &TermInfo) -> std::io::Result<PostingCursor> {
        self.inverted_index(field)
            .read_block_postings_from_terminfo(info, IndexRecordOption::WithFreqs)
            .map(PostingCursor::new)
    }

    fn inverted_index(&self, field: WordField) -> &InvertedIndexReader {
        match field {
            WordField::Body => &self.body,
            WordField::Identifiers => &self.identifiers,
        }
    }

    /// The lowest and the highest chunk id, `None` when there is no document.
    pub(crate) fn chunk_range(&self) -> Option<RangeInclusive<u32>> {
        self.columns.chunk_range()
    }

    /// The live documents whose chunks are in `allowed`, rising.
    pub(crate) fn allowed_documents(&self, allowed: &RoaringBitmap) -> Vec<DocId> {
        let mut documents = self.columns.documents_of(allowed);
        documents.retain(|&document| !self.reader.is_deleted(document));
        documents
    }

    /// The live document that holds `chunk`.
    pub(crate) fn document_of(&self, chunk: ChunkId) -> Option<DocId> {
        self.allowed_documents(&RoaringBitmap::from_iter([chunk.0])).first().copied()
    }
}

impl SegmentColumns {
    fn read(reader: &SegmentReader, fields: Fields) -> tantivy::Result<Self> {
        let count = reader.max_doc();
        let column = reader.fast_fields().u64(CHUNK_COLUMN)?;
        let norms = reader.get_fieldnorms_reader(fields.body)?;
        let chunks = (0..count)
            // Only the writer fills the column, from 32-bit ids.
            .map(|document| column.first(document).and_then(|id| u32::try_from(id).ok()).unwrap_or(u32::MAX))
            .collect();
        let lengths = (0..count).map(|document| norms.fieldnorm_id(document)).collect();
        Ok(Self { chunks, lengths, by_chunk: OnceLock::new() })
    }

    /// Documents by rising chunk id, or `None` when that is their own order.
    fn order(&self) -> Option<&[DocId]> {
        self.by_chunk
            .get_or_init(|| {
                (!self.chunks.is_sorted()).then(|| {
                    let mut documents: Vec<DocId> = (0..self.chunks.len() as u32).collect();
                    documents.sort_by_key(|&document| self.chunks.get(document as usize));
                    documents
                })
            })
            .as_deref()
    }

    fn chunk_at(&self, order: Option<&[DocId]>, position: usize) -> u32 {
        let document =
            order.map_or(Some(position), |order| order.get(position).map(|&document| document as usize));
        document.and_then(|document| self.chunks.get(document)).copied().unwrap_or(u32::MAX)
    }

    /// The lowest and the highest chunk id.
    fn chunk_range(&self) -> Option<RangeInclusive<u32>> {
        let last = self.chunks.len().checked_sub(1)?;
        let order = self.order();
        Some(self.chunk_at(order, 0)..=self.chunk_at(order, last))
    }

    /// Documents of the chunks in `wanted`, rising.
    fn documents_of(&self, wanted: &RoaringBitmap) -> Vec<DocId> {
        let Some(range) = self.chunk_range() else { return Vec::new() };
        let order = self.order();
        let count = self.chunks.len();
        let mut documents = Vec::new();
        let mut position = 0;
        for chunk in wanted.range(range) {
            position = gallop(position, count, |at| self.chunk_at(order, at) < chunk);
            // A chunk stands once; a loop all the same, should one have been added twice.
            while position < count && self.chunk_at(order, position) == chunk {
                documents.push(
                    order.map_or(position as u32, |order| order.get(position).copied().unwrap_or(u32::MAX)),
                );
                position += 1;
            }
        }
        documents.sort_unstable();
        documents
    }
}

/// The first position from `start` on where `is_before` is false, near ones found soonest.
fn gallop(start: usize, end: usize, is_before: impl Fn(usize) -> bool) -> usize {
    let (mut low, mut step) = (start, 1);
    while low + step <= end && is_before(low + step - 1) {
        low += step;
        step *= 2;
    }
    let mut high = (low + step - 1).min(end);
    while low < high {
        let middle = low + (high - low) / 2;
        if is_before(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn galloping_equals_counting() {
        for end in 0..40_usize {
            for start in 0..=end {
                for first in 0..=end {
                    let found = gallop(start, end, |at| at < first);
                    assert_eq!(found, first.max(start), "{start} {end} {first}");
                }
            }
        }
    }
}
