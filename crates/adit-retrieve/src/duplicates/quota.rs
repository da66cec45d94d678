use std::collections::HashMap;

use adit_core::{CandidateOutcome, ChunkId, DocumentId};

use crate::assemble::Ranked;

/// Keeps at most `most` candidates of one document among the first `limit`, as long as other documents have
/// candidates for the places; otherwise the places go back to it in order. 0 is no quota.
pub(crate) fn most_per_document(
    ranked: &mut Vec<Ranked>,
    most: usize,
    limit: usize,
) -> Vec<(ChunkId, CandidateOutcome)> {
    if most == 0 {
        return Vec::new();
    }
    let mut taken: HashMap<DocumentId, usize> = HashMap::new();
    let (mut first, mut surplus) = (Vec::new(), Vec::new());
    for one in ranked.drain(..) {
        let count = taken.entry(one.stored.document.clone()).or_default();
        *count += 1;
        if *count <= most { first.push(one) } else { surplus.push(one) }
    }
    let room = limit.saturating_sub(first.len());
    let left_out = surplus.split_off(room.min(surplus.len()));
    first.extend(surplus);
    first.sort_by_key(|one| one.scores.rank);
    *ranked = first;
    left_out.into_iter().map(|one| (one.stored.chunk_id, CandidateOutcome::SourceQuota)).collect()
}
