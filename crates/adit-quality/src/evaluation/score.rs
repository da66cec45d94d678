//! From retrieved chunks and gold spans to the figures of one question.

use std::collections::BTreeMap;

use adit_core::TextRange;

use super::gold::{PlacedSpan, RetrievedSpan};

/// A chunk reveals a gold span when it holds this share of the span, or, where the span is longer than the
/// chunk, when this share of the chunk lies in it.
const REVEALING_SHARE: f64 = 0.5;
/// Chunks whose characters are compared with the gold.
const COMPARED_CHUNKS: usize = 5;

/// What one question scored.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Scored {
    pub(crate) metrics: BTreeMap<String, f64>,
    /// Rank of the first chunk that reveals a gold span, from 1.
    pub(crate) first_rank: Option<usize>,
}

/// Scores a ranking, best first. `lost` gold spans lie nowhere in the collection and count as not found.
pub(crate) fn score(gold: &[PlacedSpan], lost: usize, retrieved: &[RetrievedSpan]) -> Scored {
    let total = gold.len() + lost;
    let mut found_at: Vec<Option<usize>> = vec![None; gold.len()];
    let mut revealed_by_rank = Vec::with_capacity(retrieved.len());
    let mut is_relevant = Vec::with_capacity(retrieved.len());
    for (index, chunk) in retrieved.iter().enumerate() {
        let mut fresh = 0_usize;
        let mut relevant = false;
        for (found, span) in found_at.iter_mut().zip(gold) {
            if reveals(chunk, span) {
                relevant = true;
                if found.is_none() {
                    *found = Some(index + 1);
                    fresh += 1;
                }
            }
        }
        revealed_by_rank.push(fresh);
        is_relevant.push(relevant);
    }
    let mut metrics = BTreeMap::new();
    for k in [5, 25, 50, 100] {
        let found = found_at.iter().filter(|rank| rank.is_some_and(|rank| rank <= k)).count();
        metrics.insert(format!("recall@{k}"), ratio(found, total));
    }
    let first_rank = found_at.iter().flatten().min().copied();
    let reciprocal = first_rank.filter(|rank| *rank <= 10).map_or(0.0, |rank| 1.0 / rank as f64);
    metrics.insert("mrr@10".to_owned(), reciprocal);
    metrics.insert("ndcg@10".to_owned(), ndcg_at_10(&revealed_by_rank, total));
    let precise = is_relevant.iter().take(COMPARED_CHUNKS).filter(|relevant| **relevant).count();
    metrics.insert("precision@5".to_owned(), ratio(precise, COMPARED_CHUNKS));
    add_span_metrics(&mut metrics, gold, lost, retrieved);
    Scored { metrics, first_rank }
}

fn ratio(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Whether a chunk is relevant to a question with this gold.
pub(crate) fn reveals_any(chunk: &RetrievedSpan, gold: &[PlacedSpan]) -> bool {
    gold.iter().any(|span| reveals(chunk, span))
}

pub(crate) fn reveals(chunk: &RetrievedSpan, span: &PlacedSpan) -> bool {
    if chunk.document != span.document {
        return false;
    }
    let Some(range) = span.range else { return true };
    let shared = overlap(chunk.range, range);
    let needed = chunk.range.len().min(range.len()).max(1);
    shared as f64 >= REVEALING_SHARE * needed as f64
}

fn overlap(left: TextRange, right: TextRange) -> usize {
    left.end.min(right.end).saturating_sub(left.start.max(right.start))
}

/// The gain of a rank is the number of gold spans it is the first to reveal; the ideal ranking reveals one a
/// rank. A chunk that reveals two at once may thus exceed it, which counts as 1.
fn ndcg_at_10(revealed: &[usize], total: usize) -> f64 {
    let discount = |index: usize| 1.0 / ((index + 2) as f64).log2();
    let gained: f64 =
        revealed.iter().take(10).enumerate().map(|(index, gain)| *gain as f64 * discount(index)).sum();
    let ideal: f64 = (0..total.min(10)).map(discount).sum();
    if ideal == 0.0 { 0.0 } else { (gained / ideal).min(1.0) }
}

/// Recall, precision and intersection over union of the first five chunks' bytes with the gold's, as Smith
/// and Troynikov (2024) measure chunkers: what chunks repeat counts again in what was retrieved. Left out
/// where the gold is whole documents.
fn add_span_metrics(
    metrics: &mut BTreeMap<String, f64>,
    gold: &[PlacedSpan],
    lost: usize,
    retrieved: &[RetrievedSpan],
) {
    if lost == 0 && gold.iter().any(|span| span.range.is_none()) {
        return;
    }
    let top: Vec<&RetrievedSpan> = retrieved.iter().take(COMPARED_CHUNKS).collect();
    let wanted: usize = gold.iter().filter_map(|span| span.range).map(TextRange::len).sum();
    let returned: usize = top.iter().map(|chunk| chunk.range.len()).sum();
    let mut shared = 0;
    for span in gold {
        let Some(range) = span.range else { continue };
        let of_document = top.iter().filter(|chunk| chunk.document == span.document);
        shared += covered(range, of_document.map(|chunk| chunk.range));
    }
    // A lost span of unknown length counts as one more share of what was wanted.
    let share = |part: usize, whole: usize| ratio(part, whole) * ratio(gold.len(), gold.len() + lost);
    metrics.insert("span_recall@5".to_owned(), share(shared, wanted));
    metrics.insert("span_precision@5".to_owned(), ratio(shared, returned));
    metrics.insert("span_iou@5".to_owned(), share(shared, wanted + returned - shared.min(returned)));
}

/// Bytes of `range` that lie in one of the others.
fn covered(range: TextRange, others: impl Iterator<Item = TextRange>) -> usize {
    let clip = |other: TextRange| (other.start.max(range.start), other.end.min(range.end));
    let mut parts: Vec<(usize, usize)> = others.map(clip).filter(|(start, end)| start < end).collect();
    parts.sort_unstable();
    let (mut total, mut reached) = (0, range.start);
    for (start, end) in parts {
        total += end.saturating_sub(start.max(reached));
        reached = reached.max(end);
    }
    total
}

#[cfg(test)]
mod tests {
    use adit_core::{DocumentId, TenantId};

    use super::*;

    fn document(name: &str) -> DocumentId {
        DocumentId::derive(&TenantId::default_tenant(), name)
    }

    fn gold(name: &str, start: usize, end: usize) -> PlacedSpan {
        PlacedSpan { document: document(name), range: Some(TextRange::new(start, end)) }
    }

    fn chunk(name: &str, start: usize, end: usize) -> RetrievedSpan {
        RetrievedSpan { document: document(name), range: TextRange::new(start, end) }
    }

    #[test]
    fn a_span_is_found_by_the_first_chunk_that_holds_half_of_it() {
        let gold = [gold("a", 100, 200), gold("b", 0, 50)];
        let retrieved = [chunk("a", 0, 149), chunk("c", 0, 500), chunk("a", 100, 300), chunk("a", 90, 400)];
        let scored = score(&gold, 0, &retrieved);
        assert_eq!(scored.first_rank, Some(3));
        assert_eq!(scored.metrics["recall@5"], 0.5);
        assert!((scored.metrics["mrr@10"] - 1.0 / 3.0).abs() < 1e-12);
        assert_eq!(scored.metrics["precision@5"], 0.4);
        // The gain at rank 3 is 1/log2(4); two ideal ranks give 1 + 1/log2(3).
        let expected = 0.5 / (1.0 + 1.0 / 3.0_f64.log2());
        assert!((scored.metrics["ndcg@10"] - expected).abs() < 1e-12);
    }

    #[test]
    fn what_is_lost_counts_as_not_found() {
        let scored = score(&[gold("a", 0, 10)], 1, &[chunk("a", 0, 10)]);
        assert_eq!(scored.metrics["recall@100"], 0.5);
        assert!(scored.metrics["ndcg@10"] < 1.0);
        assert_eq!(scored.metrics["span_recall@5"], 0.5);
        assert_eq!(score(&[], 1, &[chunk("a", 0, 10)]).metrics["recall@100"], 0.0);
    }

    #[test]
    fn bytes_are_shared_once_and_repeated_ones_cost_precision() {
        let gold = [gold("a", 100, 200)];
        let retrieved = [chunk("a", 50, 150), chunk("a", 100, 200)];
        let metrics = score(&gold, 0, &retrieved).metrics;
        assert_eq!(metrics["span_recall@5"], 1.0);
        assert_eq!(metrics["span_precision@5"], 0.5);
        assert_eq!(metrics["span_iou@5"], 0.5);
    }

    #[test]
    fn a_whole_document_is_found_by_any_of_its_chunks() {
        let gold = [PlacedSpan { document: document("a"), range: None }];
        let metrics = score(&gold, 0, &[chunk("b", 0, 9), chunk("a", 900, 950)]).metrics;
        assert_eq!(metrics["recall@5"], 1.0);
        assert_eq!(metrics["mrr@10"], 0.5);
        assert!(!metrics.contains_key("span_iou@5"));
    }
}
