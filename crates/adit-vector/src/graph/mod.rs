//! A hierarchical navigable small world graph (HNSW; Malkov and Yashunin, 2016, arXiv:1603.09320) over
//! int8 rows that it does not own: a node is the ordinal of a row, and the graph is nothing but links.

pub(crate) mod build;
mod repair;
pub(crate) mod select;
pub(crate) mod walk;

use crate::quantise::QuantisedQuery;
use crate::rows::Rows;

/// Fills the unused places of a node's links.
pub(crate) const NO_LINK: u32 = u32::MAX;

/// One level: `width` links a position.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Level<'a> {
    pub(crate) links: &'a [u32],
    pub(crate) width: usize,
    /// Ordinal of each position, rising; `None` on the lowest level, where they are the same.
    pub(crate) ordinals: Option<&'a [u32]>,
}

impl<'a> Level<'a> {
    /// Links of a position. They may name positions that do not exist ([`NO_LINK`], or damage).
    #[inline]
    pub(crate) fn links(&self, position: u32) -> &'a [u32] {
        let start = position as usize * self.width;
        self.links.get(start..start + self.width).unwrap_or(&[])
    }

    pub(crate) fn len(&self) -> usize {
        self.links.len() / self.width.max(1)
    }

    #[inline]
    pub(crate) fn ordinal(&self, position: u32) -> u32 {
        match self.ordinals {
            None => position,
            Some(ordinals) => ordinals.get(position as usize).copied().unwrap_or(NO_LINK),
        }
    }

    pub(crate) fn position(&self, ordinal: u32) -> Option<u32> {
        match self.ordinals {
            None => Some(ordinal),
            Some(ordinals) => ordinals.binary_search(&ordinal).ok().map(|position| position as u32),
        }
    }
}

/// All levels, the lowest first, and the ordinal where every walk begins.
#[derive(Debug, Clone)]
pub(crate) struct Graph<'a> {
    pub(crate) levels: Vec<Level<'a>>,
    pub(crate) entry: u32,
}

impl Graph<'_> {
    /// Goes greedily from the entry down to, not into, `lowest`; returns the ordinal reached.
    pub(crate) fn descend(&self, rows: &Rows<'_>, query: &QuantisedQuery, lowest: usize) -> u32 {
        let mut here = self.entry;
        let mut here_score = rows.score(query, here);
        for level in self.levels.iter().skip(lowest + 1).rev() {
            let Some(mut position) = level.position(here) else { continue };
            loop {
                let mut moved = false;
                for link in level.links(position) {
                    let ordinal = level.ordinal(*link);
                    if ordinal == NO_LINK {
                        continue;
                    }
                    let score = rows.score(query, ordinal);
                    if score > here_score {
                        (here, here_score, position, moved) = (ordinal, score, *link, true);
                    }
                }
                if !moved {
                    break;
                }
            }
        }
        here
    }
}
