//! Which of a node's candidates become its links.

use crate::quantise::QuantisedQuery;
use crate::rows::{Rows, key_score};

/// Memory of a selection, kept between selections.
#[derive(Debug, Default)]
pub(crate) struct SelectMemory {
    chosen: Vec<QuantisedQuery>,
    rejected: Vec<u64>,
}

impl SelectMemory {
    /// Chooses up to `most` of `candidates` (rank keys, best first; `ordinal_of` gives a key's row).
    ///
    /// A candidate is taken when it is nearer to the node than to every one already taken (algorithm 4 of
    /// the HNSW paper): links then point in many directions. Where that leaves fewer than `least`, the
    /// best of the others fill up, so that duplicates stay reachable.
    pub(crate) fn select(
        &mut self,
        rows: &Rows<'_>,
        candidates: &[u64],
        ordinal_of: impl Fn(u64) -> u32,
        least: usize,
        most: usize,
    ) -> Vec<u64> {
        let mut selected: Vec<u64> = Vec::with_capacity(most);
        self.rejected.clear();
        for key in candidates {
            if selected.len() >= most {
                break;
            }
            let ordinal = ordinal_of(*key);
            let (row, step, score) = (rows.row(ordinal), rows.step(ordinal), key_score(*key));
            let taken = self.chosen.get(..selected.len()).unwrap_or(&[]);
            if taken.iter().all(|other| other.score(row, step) < score) {
                if self.chosen.len() == selected.len() {
                    self.chosen.push(QuantisedQuery::empty());
                }
                if let Some(place) = self.chosen.get_mut(selected.len()) {
                    place.become_row(row, step);
                }
                selected.push(*key);
            } else {
                self.rejected.push(*key);
            }
        }
        let missing = least.saturating_sub(selected.len());
        selected.extend(self.rejected.iter().take(missing));
        selected
    }
}
