use tantivy::DocId;

use crate::group_cursor::GroupCursor;
use crate::segment::Segment;
use crate::top_chunks::TopChunks;

/// Scores the few `documents` that are allowed (live, rising), one word after the other.
///
/// The postings are asked for these documents only, so the cost follows their number and not the
/// collection's size.
pub(crate) fn scan_sparse(
    segment: &Segment,
    groups: &mut [GroupCursor<'_>],
    documents: &[DocId],
    top: &mut TopChunks,
) {
    let lengths = segment.lengths();
    let mut scores = vec![0.0_f32; documents.len()];
    for group in groups {
        let is_rarer = group.posting_count() * 4 < documents.len() as u64;
        let is_done = is_rarer
            && group.for_each_if_single(lengths, |document, score| {
                let position = documents.binary_search(&document).ok();
                if let Some(sum) = position.and_then(|position| scores.get_mut(position)) {
                    *sum += score;
                }
            });
        if !is_done {
            for (&document, score) in documents.iter().zip(&mut scores) {
                *score += group.score_in(document, lengths);
            }
        }
    }
    for (&document, score) in documents.iter().zip(scores) {
        if score > 0.0
            && score >= top.threshold()
            && let Some(chunk) = segment.live_chunk(document)
        {
            top.offer(score, chunk);
        }
    }
}
