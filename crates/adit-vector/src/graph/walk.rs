//! The best-first walk over one level.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Level;
use crate::quantise::QuantisedQuery;
use crate::rows::{Rows, key_ordinal, rank_key};

/// Memory a walk needs, kept between walks.
#[derive(Debug, Default)]
pub(crate) struct WalkMemory {
    visited: Vec<u64>,
    frontier: BinaryHeap<u64>,
    results: BinaryHeap<Reverse<u64>>,
    fresh: Vec<u32>,
}

/// What to look for on one level.
pub(crate) struct WalkRequest<'a> {
    pub(crate) rows: Rows<'a>,
    pub(crate) level: Level<'a>,
    pub(crate) query: &'a QuantisedQuery,
    /// Results to keep; the walk ends when the best node not yet visited is worse than all of them.
    pub(crate) ef: usize,
    /// Gives up after so many scored rows.
    pub(crate) budget_rows: usize,
    /// Gives up when a smaller share of the rows worth keeping is accepted, 0 to 1.
    pub(crate) least_accepted_share: f64,
}

/// How a walk went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct WalkReport {
    /// Rows scored.
    pub(crate) scored: usize,
    /// Whether it ended by itself and did not give up.
    pub(crate) is_complete: bool,
}

impl WalkMemory {
    fn begin(&mut self, positions: usize) {
        self.visited.clear();
        self.visited.resize(positions.div_ceil(64), 0);
        self.frontier.clear();
        self.results.clear();
    }

    /// Marks a position; `false` if it was marked before or does not exist.
    #[inline]
    fn visit(&mut self, position: u32) -> bool {
        let Some(word) = self.visited.get_mut(position as usize / 64) else { return false };
        let bit = 1 << (position % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    /// The results as rank keys of positions, best first.
    pub(crate) fn take_results(&mut self) -> Vec<u64> {
        let mut keys: Vec<u64> = self.results.drain().map(|Reverse(key)| key).collect();
        keys.sort_unstable_by(|left, right| right.cmp(left));
        keys
    }

    /// Walks from `entries` (positions). A position whose rank key `accept` refuses is passed through but
    /// is no result. Read the results with [`WalkMemory::take_results`].
    pub(crate) fn walk(
        &mut self,
        request: &WalkRequest<'_>,
        entries: &[u32],
        mut accept: impl FnMut(u64) -> bool,
    ) -> WalkReport {
        let WalkRequest { rows, level, query, ef, budget_rows, least_accepted_share } = request;
        let positions = level.len();
        self.begin(positions);
        let mut report = WalkReport { scored: 0, is_complete: true };
        let (mut judged, mut accepted) = (0_usize, 0_usize);
        self.fresh.clear();
        for entry in entries {
            if (*entry as usize) < positions && self.visit(*entry) {
                self.fresh.push(*entry);
            }
        }
        loop {
            let fresh = std::mem::take(&mut self.fresh);
            for (index, position) in fresh.iter().enumerate() {
                if let Some(ahead) = fresh.get(index + PREFETCH_ROWS) {
                    rows.prefetch(level.ordinal(*ahead));
                }
                let key = rank_key(rows.score(query, level.ordinal(*position)), *position);
                let is_full = self.results.len() >= *ef;
                if is_full && self.results.peek().is_some_and(|Reverse(worst)| key <= *worst) {
                    continue;
                }
                self.frontier.push(key);
                judged += 1;
                if accept(key) {
                    accepted += 1;
                    self.results.push(Reverse(key));
                    if is_full {
                        self.results.pop();
                    }
                }
            }
            report.scored += fresh.len();
            self.fresh = fresh;
            self.fresh.clear();
            let is_shunned =
                judged >= JUDGED_BEFORE_DOUBT && (accepted as f64) < judged as f64 * least_accepted_share;
            if report.scored > *budget_rows || is_shunned {
                report.is_complete = false;
                return report;
            }
            let Some(best) = self.frontier.pop() else { return report };
            let is_full = self.results.len() >= *ef;
            if is_full && self.results.peek().is_some_and(|Reverse(worst)| best <= *worst) {
                return report;
            }
            for link in level.links(key_ordinal(best)) {
                if (*link as usize) < positions && self.visit(*link) {
                    if self.fresh.len() < PREFETCH_ROWS {
                        rows.prefetch(level.ordinal(*link));
                    }
                    self.fresh.push(*link);
                }
            }
        }
    }
}

/// So many rows tell the share of accepted ones well enough.
const JUDGED_BEFORE_DOUBT: usize = 256;
/// Rows loaded ahead of the one that is scored: about what a core can have under way.
const PREFETCH_ROWS: usize = 4;
