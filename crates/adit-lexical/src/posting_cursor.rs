use tantivy::DocId;
use tantivy::TERMINATED;
use tantivy::postings::BlockSegmentPostings;

/// A place in one posting list that only moves forward.
pub(crate) struct PostingCursor {
    postings: BlockSegmentPostings,
    /// Position in the current block.
    at: usize,
}

impl PostingCursor {
    /// Stands on the first posting of a list whose first block is loaded.
    pub(crate) fn new(postings: BlockSegmentPostings) -> Self {
        Self { postings, at: 0 }
    }

    /// How many postings the whole list has.
    pub(crate) fn document_frequency(&self) -> u32 {
        self.postings.doc_freq()
    }

    /// The current document, [`TERMINATED`] after the last.
    #[inline]
    pub(crate) fn document(&self) -> DocId {
        self.postings.docs().get(self.at).copied().unwrap_or(TERMINATED)
    }

    /// Moves to the first posting at or after `target`.
    #[inline]
    pub(crate) fn skip_to(&mut self, target: DocId) {
        if self.document() < target {
            self.at = self.postings.seek(target);
        }
    }

    /// Moves to the first posting at or after `target` and returns its frequency if it is `target`.
    #[inline]
    pub(crate) fn frequency_in(&mut self, target: DocId) -> Option<u32> {
        self.skip_to(target);
        (self.document() == target).then(|| self.postings.freq(self.at))
    }

    /// Visits every posting before `end` from here on and stops at the first one that is not.
    #[inline]
    pub(crate) fn for_each_before(&mut self, end: DocId, mut visit: impl FnMut(DocId, u32)) {
        loop {
            let documents = self.postings.docs();
            let count = documents.len();
            let is_whole_block = documents.last().is_some_and(|&last| last < end);
            let stop =
                if is_whole_block { count } else { documents.partition_point(|&document| document < end) };
            let visited = documents.get(self.at..stop).unwrap_or_default();
            let frequencies = self.postings.freqs().get(self.at..stop).unwrap_or_default();
            for (&document, &frequency) in visited.iter().zip(frequencies) {
                visit(document, frequency);
            }
            if !is_whole_block {
                self.at = self.at.max(stop);
                return;
            }
            self.postings.advance();
            self.at = 0;
            if self.postings.block_len() == 0 {
                return;
            }
        }
    }
}
