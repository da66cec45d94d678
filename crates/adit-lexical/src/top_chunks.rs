use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use adit_core::{ChunkId, ScoredChunk};

/// The best `limit` chunks seen so far: higher scores first, equal ones by rising chunk id.
pub(crate) struct TopChunks {
    limit: usize,
    /// The worst of the kept is on top.
    kept: BinaryHeap<Reverse<Ranked>>,
}

/// Greater means better.
#[derive(PartialEq)]
struct Ranked {
    score: f32,
    chunk: ChunkId,
}

impl Eq for Ranked {}

impl Ord for Ranked {
    fn cmp(&self, other: &Self) -> Ordering {
        self.score.total_cmp(&other.score).then_with(|| other.chunk.cmp(&self.chunk))
    }
}

impl PartialOrd for Ranked {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl TopChunks {
    /// `limit` is at least 1.
    pub(crate) fn new(limit: usize) -> Self {
        Self { limit, kept: BinaryHeap::with_capacity(limit.min(4_096)) }
    }

    /// A score below this one cannot enter; an equal one can, by its chunk id.
    #[inline]
    pub(crate) fn threshold(&self) -> f32 {
        match self.kept.peek() {
            Some(Reverse(worst)) if self.kept.len() >= self.limit => worst.score,
            _ => f32::NEG_INFINITY,
        }
    }

    /// Offers one chunk.
    pub(crate) fn offer(&mut self, score: f32, chunk: ChunkId) {
        let offered = Ranked { score, chunk };
        if self.kept.len() < self.limit {
            self.kept.push(Reverse(offered));
        } else if let Some(mut worst) = self.kept.peek_mut()
            && offered > worst.0
        {
            *worst = Reverse(offered);
        }
    }

    /// Best first.
    pub(crate) fn into_sorted(self) -> Vec<ScoredChunk> {
        self.kept
            .into_sorted_vec()
            .into_iter()
            .map(|Reverse(Ranked { score, chunk })| ScoredChunk { chunk, score })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_go_to_the_lower_id() {
        let mut top = TopChunks::new(2);
        for (score, chunk) in [(1.0, 9), (1.0, 3), (1.0, 5), (0.5, 1)] {
            top.offer(score, ChunkId(chunk));
        }
        let chunks: Vec<u32> = top.into_sorted().iter().map(|hit| hit.chunk.0).collect();
        assert_eq!(chunks, [3, 5]);
    }
}
