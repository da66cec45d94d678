use tantivy::{DocId, TERMINATED};

use crate::bm25::LengthNorms;
use crate::posting_cursor::PostingCursor;

/// One query word in one segment: the posting lists of its synonyms, counted as one term.
pub(crate) struct GroupCursor<'q> {
    alternatives: Vec<PostingCursor>,
    weight: f32,
    norms: &'q LengthNorms,
    /// Scores of a single occurrence by length: most postings are one, and a look-up is cheaper than a
    /// division.
    single: [f32; 256],
}

impl<'q> GroupCursor<'q> {
    /// `weight` is the inverse document frequency times how often the query has the word.
    pub(crate) fn new(alternatives: Vec<PostingCursor>, weight: f32, norms: &'q LengthNorms) -> Self {
        let single = std::array::from_fn(|length_id| weight * norms.saturation(1, length_id as u8));
        Self { alternatives, weight, norms, single }
    }

    /// The most that this word can add to any score.
    pub(crate) fn upper_bound(&self) -> f32 {
        self.weight
    }

    /// Postings of all alternatives.
    pub(crate) fn posting_count(&self) -> u64 {
        self.alternatives.iter().map(|cursor| u64::from(cursor.document_frequency())).sum()
    }

    /// The next document that has the word.
    pub(crate) fn document(&self) -> DocId {
        self.alternatives.iter().map(PostingCursor::document).min().unwrap_or(TERMINATED)
    }

    /// Leaves out everything before `document`.
    pub(crate) fn skip_to(&mut self, document: DocId) {
        for cursor in &mut self.alternatives {
            cursor.skip_to(document);
        }
    }

    /// How often `document`, which is not before any asked for earlier, has the word.
    #[inline]
    pub(crate) fn frequency_in(&mut self, document: DocId) -> u32 {
        self.alternatives.iter_mut().filter_map(|cursor| cursor.frequency_in(document)).sum()
    }

    /// What the word adds to the score of `document`; 0 when it does not have it.
    #[inline]
    pub(crate) fn score_in(&mut self, document: DocId, lengths: &[u8]) -> f32 {
        match self.frequency_in(document) {
            0 => 0.0,
            frequency => self.score(frequency, length_of(lengths, document)),
        }
    }

    #[inline]
    fn score(&self, frequency: u32, length_id: u8) -> f32 {
        score_of(self.weight, self.norms, &self.single, frequency, length_id)
    }

    /// Adds the word's scores to `scores`, which stands for the documents from `base` on; documents at or
    /// after `end` are left for the next window. `frequencies` is scratch space of the same length, all
    /// zero before and after.
    pub(crate) fn accumulate(
        &mut self,
        base: DocId,
        end: DocId,
        lengths: &[u8],
        scores: &mut [f32],
        frequencies: &mut [u32],
    ) {
        let (weight, norms, single) = (self.weight, self.norms, &self.single);
        let mut add = |document: DocId, frequency: u32| {
            if let Some(score) = scores.get_mut((document - base) as usize) {
                *score += score_of(weight, norms, single, frequency, length_of(lengths, document));
            }
        };
        if let [only] = self.alternatives.as_mut_slice() {
            only.for_each_before(end, add);
            return;
        }
        for cursor in &mut self.alternatives {
            cursor.for_each_before(end, |document, frequency| {
                if let Some(sum) = frequencies.get_mut((document - base) as usize) {
                    *sum += frequency;
                }
            });
        }
        for (document, frequency) in (base..end).zip(frequencies) {
            if *frequency > 0 {
                add(document, *frequency);
                *frequency = 0;
            }
        }
    }

    /// Visits every document that has the word with its score, when there is only one alternative.
    /// Returns whether it did.
    pub(crate) fn for_each_if_single(&mut self, lengths: &[u8], mut visit: impl FnMut(DocId, f32)) -> bool {
        let (weight, norms, single) = (self.weight, self.norms, &self.single);
        let [only] = self.alternatives.as_mut_slice() else { return false };
        only.for_each_before(TERMINATED, |document, frequency| {
            visit(document, score_of(weight, norms, single, frequency, length_of(lengths, document)));
        });
        true
    }
}

/// What `frequency` occurrences in a chunk of that length add.
#[inline]
fn score_of(weight: f32, norms: &LengthNorms, single: &[f32; 256], frequency: u32, length_id: u8) -> f32 {
    if frequency == 1 {
        single.get(usize::from(length_id)).copied().unwrap_or(0.0)
    } else {
        weight * norms.saturation(frequency, length_id)
    }
}

/// The quantised length of `document`.
#[inline]
fn length_of(lengths: &[u8], document: DocId) -> u8 {
    lengths.get(document as usize).copied().unwrap_or(0)
}
