//! Links to the nodes that nothing links to any more: pruning drops links back to nodes that lie among
//! many as near as they are, above all duplicates.

use super::build::OwnedGraph;
use super::walk::{WalkMemory, WalkRequest};
use super::{Level, NO_LINK};
use crate::quantise::QuantisedQuery;
use crate::rows::{Rows, key_ordinal};

/// Reachable nodes that are looked at to find the one that gets the new link.
const EF: usize = 16;
const BUDGET_ROWS: usize = 4_096;

/// Makes every node reachable from the entry on the lowest level; returns how many were not.
pub(crate) fn connect_all(graph: &mut OwnedGraph, rows: &Rows<'_>) -> usize {
    let mut reached = Reached { marks: vec![false; rows.len()], pending: Vec::new() };
    let entry = graph.entry;
    reached.spread(graph, entry);
    let mut memory = WalkMemory::default();
    let mut query = QuantisedQuery::empty();
    let mut connected = 0;
    for node in 0..rows.len() as u32 {
        if reached.has(node) {
            continue;
        }
        query.become_row(rows.row(node), rows.step(node));
        let near = nearest_reached(graph, rows, &query, &reached, &mut memory).unwrap_or(entry);
        splice(graph, near, node);
        reached.spread(graph, node);
        connected += 1;
    }
    connected
}

fn nearest_reached(
    graph: &OwnedGraph,
    rows: &Rows<'_>,
    query: &QuantisedQuery,
    reached: &Reached,
    memory: &mut WalkMemory,
) -> Option<u32> {
    let view = graph.view();
    let level: Level<'_> = *view.levels.first()?;
    let starts = [view.descend(rows, query, 0), graph.entry];
    let request = WalkRequest {
        rows: *rows,
        level,
        query,
        ef: EF,
        budget_rows: BUDGET_ROWS,
        least_accepted_share: 0.0,
    };
    memory.walk(&request, &starts, |key| reached.has(key_ordinal(key)));
    memory.take_results().first().copied().map(key_ordinal)
}

/// Puts `node` behind `near`. Where `near` has no place left, `node` takes the last one and adopts the
/// link that stood there, so nothing is lost; nothing reachable depended on a link of `node`.
fn splice(graph: &mut OwnedGraph, near: u32, node: u32) {
    let Some(displaced) = graph.replace_last_link(near, node) else { return };
    if displaced != NO_LINK {
        graph.replace_last_link(node, displaced);
    }
}

impl OwnedGraph {
    /// Writes a link on the lowest level into the first free place, or over the last; returns what was there.
    fn replace_last_link(&mut self, node: u32, link: u32) -> Option<u32> {
        let level = self.levels.first_mut()?;
        let start = node as usize * level.width;
        let links = level.links.get_mut(start..start + level.width)?;
        let free = links.iter().position(|link| *link == NO_LINK).unwrap_or(links.len().saturating_sub(1));
        links.get_mut(free).map(|place| std::mem::replace(place, link))
    }
}

struct Reached {
    marks: Vec<bool>,
    pending: Vec<u32>,
}

impl Reached {
    fn has(&self, node: u32) -> bool {
        self.marks.get(node as usize).copied().unwrap_or(false)
    }

    /// Marks everything that can be reached from `node`.
    fn spread(&mut self, graph: &OwnedGraph, node: u32) {
        let view = graph.view();
        let Some(level) = view.levels.first() else { return };
        self.pending.push(node);
        while let Some(node) = self.pending.pop() {
            let Some(mark) = self.marks.get_mut(node as usize).filter(|mark| !**mark) else { continue };
            *mark = true;
            let unmarked = level.links(node).iter().copied().filter(|link| !self.has(*link));
            let unmarked: Vec<u32> = unmarked.collect();
            self.pending.extend(unmarked);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicBool;

    use super::*;
    use crate::VectorSettings;
    use crate::graph::build::build_graph;
    use crate::quantise::append_row;

    #[test]
    fn every_duplicate_is_reachable() {
        let (mut bytes, mut steps) = (Vec::new(), Vec::new());
        for index in 0..3_000_u32 {
            // Two thirds are one and the same vector.
            let seed = if index % 3 == 0 { index } else { 1 };
            let vector: Vec<f32> = (0..20).map(|i| ((seed * 37 + i * 11) as f32).sin()).collect();
            steps.push(append_row(&vector, &mut bytes));
        }
        let rows = Rows { bytes: &bytes, steps: &steps, stride_bytes: 64 };
        let settings = VectorSettings::for_dimension(20);
        let graph = build_graph(&rows, &settings, &AtomicBool::new(false), &mut |_| ()).unwrap();
        let mut reached = Reached { marks: vec![false; rows.len()], pending: Vec::new() };
        reached.spread(&graph, graph.entry);
        assert_eq!(reached.marks.iter().filter(|mark| !**mark).count(), 0);
    }
}
