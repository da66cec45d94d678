use std::ops::Range;

use tantivy::{DocId, TERMINATED};

use crate::chunk_set::ChunkSet;
use crate::group_cursor::GroupCursor;
use crate::segment::Segment;
use crate::top_chunks::TopChunks;

/// Documents a window; its scores fit into the first-level cache.
const WINDOW_DOCUMENTS: usize = 4_096;

/// Bounds are sums in another order than scores; this much they are widened for rounding.
const ROUNDING_MARGIN: f64 = 1.000_01;

/// What asking one group about one document costs, in postings summed up.
const SEEK_COST: u64 = 6;

/// A threshold is lowered by this much where it is compared in another form than the exact one.
const LOWERED: f32 = 0.999_99;

/// Scratch space for one search.
pub(crate) struct Window {
    scores: Vec<f32>,
    frequencies: Vec<u32>,
}

impl Window {
    pub(crate) fn new() -> Self {
        Self { scores: vec![0.0; WINDOW_DOCUMENTS], frequencies: vec![0; WINDOW_DOCUMENTS] }
    }
}

/// Scores a segment window by window, leaving out what cannot enter `top` (MaxScore, Turtle & Flood 1995,
/// in the windowed form of Lucene's `MaxScoreBulkScorer`).
///
/// `groups` come by falling weight. The first ones are summed up for all documents of a window; once the
/// last ones together cannot lift a document over the threshold, they are only asked about documents
/// that the first ones brought close. Either way a document's score is summed in the order of `groups`.
pub(crate) fn scan_windows(
    segment: &Segment,
    groups: &mut [GroupCursor<'_>],
    allowed: &ChunkSet<'_>,
    top: &mut TopChunks,
    window: &mut Window,
) {
    let bounds = remaining_bounds(groups);
    let mut essential_count = groups.len();
    loop {
        while essential_count > 0 && bound_from(&bounds, essential_count - 1) < top.threshold() {
            essential_count -= 1;
        }
        let Some(essential) = groups.get_mut(..essential_count) else { return };
        let next = essential.iter().map(GroupCursor::document).min().unwrap_or(TERMINATED);
        if next >= segment.document_count() {
            return;
        }
        let base = next - next % WINDOW_DOCUMENTS as u32;
        let end = base.saturating_add(WINDOW_DOCUMENTS as u32).min(segment.document_count());
        for group in essential {
            group.accumulate(base, end, segment.lengths(), &mut window.scores, &mut window.frequencies);
        }
        let summed = essential_count
            + accumulate_dense(segment, base..end, groups, essential_count, &bounds, top.threshold(), window);
        let others = groups.get_mut(summed..).unwrap_or_default();
        let other_bounds = bounds.get(summed..).unwrap_or_default();
        offer_window(segment, base, &mut window.scores, others, other_bounds, allowed, top);
    }
}

/// Sums further groups up while that is cheaper than asking them about every candidate; returns how many.
fn accumulate_dense(
    segment: &Segment,
    documents: Range<DocId>,
    groups: &mut [GroupCursor<'_>],
    from: usize,
    bounds: &[f32],
    threshold: f32,
    window: &mut Window,
) -> usize {
    let windows = u64::from(segment.document_count()) / WINDOW_DOCUMENTS as u64 + 1;
    let mut summed = 0;
    for group in groups.iter_mut().skip(from) {
        let needed = needed_score(threshold, bound_from(bounds, from + summed));
        let candidates = window.scores.iter().filter(|&&score| score >= needed).count() as u64;
        if candidates * SEEK_COST <= group.posting_count() / windows {
            break;
        }
        group.skip_to(documents.start);
        let Window { scores, frequencies } = window;
        group.accumulate(documents.start, documents.end, segment.lengths(), scores, frequencies);
        summed += 1;
    }
    summed
}

/// The least partial score that `bound` may lift over `threshold`. A little too low, never too high: the
/// exact test follows.
fn needed_score(threshold: f32, bound: f32) -> f32 {
    (threshold * LOWERED - bound).max(f32::MIN_POSITIVE)
}

/// Offers the documents of one window and clears its scores.
fn offer_window(
    segment: &Segment,
    base: DocId,
    scores: &mut [f32],
    others: &mut [GroupCursor<'_>],
    other_bounds: &[f32],
    allowed: &ChunkSet<'_>,
    top: &mut TopChunks,
) {
    const STRIDE: usize = 32;
    let other_bound = bound_from(other_bounds, 0);
    for (stride, part) in scores.chunks(STRIDE).enumerate() {
        // Without early exit, so that it becomes a few vector comparisons.
        let needed = needed_score(top.threshold(), other_bound);
        let has_candidate = part.iter().fold(false, |has, &score| has | (score >= needed));
        if !has_candidate {
            continue;
        }
        for (offset, &partial) in part.iter().enumerate() {
            if partial >= needed {
                let document = base + (stride * STRIDE + offset) as u32;
                offer_document(segment, document, partial, others, other_bounds, allowed, top);
            }
        }
    }
    scores.fill(0.0);
}

/// Completes the score of one document and offers it, if it is allowed.
fn offer_document(
    segment: &Segment,
    document: DocId,
    partial: f32,
    others: &mut [GroupCursor<'_>],
    other_bounds: &[f32],
    allowed: &ChunkSet<'_>,
    top: &mut TopChunks,
) {
    let Some(chunk) = segment.live_chunk(document).filter(|chunk| allowed.contains(chunk.0)) else { return };
    let mut score = partial;
    for (group, &bound) in others.iter_mut().zip(other_bounds) {
        if score + bound < top.threshold() {
            return;
        }
        score += group.score_in(document, segment.lengths());
    }
    if score >= top.threshold() {
        top.offer(score, chunk);
    }
}

/// For every group the most that it and all after it can add together.
fn remaining_bounds(groups: &[GroupCursor<'_>]) -> Vec<f32> {
    let mut sum = 0.0_f64;
    let mut bounds: Vec<f32> = groups
        .iter()
        .rev()
        .map(|group| {
            sum += f64::from(group.upper_bound());
            (sum * ROUNDING_MARGIN) as f32
        })
        .collect();
    bounds.reverse();
    bounds
}

fn bound_from(bounds: &[f32], position: usize) -> f32 {
    bounds.get(position).copied().unwrap_or(0.0)
}
