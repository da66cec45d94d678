//! Building a graph in deterministic batches (as ParlayANN does; Dobson, Shen, Blelloch et al., 2023,
//! arXiv:2305.04359): the nodes of a batch look for their links in the graph as it stood before the
//! batch, in parallel and without locks; then the links are written. The same vectors give the same
//! graph whatever the number of threads.

use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::select::SelectMemory;
use super::walk::{WalkMemory, WalkRequest};
use super::{Graph, Level, NO_LINK};
use crate::quantise::QuantisedQuery;
use crate::rows::{Rows, key_ordinal, rank_key};
use crate::{VectorError, VectorSettings};

/// A batch is at most this share of what is already in the graph, because its nodes do not see each other.
const BATCH_SHARE: usize = 32;
/// And at most this many, so that progress and cancelling are prompt.
const BATCH_LIMIT: usize = 2_048;
const HIGHEST_LEVEL: u32 = 12;
/// Ends the walk of a node that lies among very many duplicates; ordinary walks need a tenth of it.
const BUDGET_ROWS_A_RESULT: usize = 128;

/// One level while it is built, or as it is written.
#[derive(Debug)]
pub(crate) struct OwnedLevel {
    /// Ordinals of the positions; empty on the lowest level.
    pub(crate) ordinals: Vec<u32>,
    pub(crate) links: Vec<u32>,
    pub(crate) width: usize,
}

/// A finished graph, the lowest level first.
#[derive(Debug)]
pub(crate) struct OwnedGraph {
    pub(crate) levels: Vec<OwnedLevel>,
    pub(crate) entry: u32,
}

impl OwnedGraph {
    pub(crate) fn view(&self) -> Graph<'_> {
        let levels = self.levels.iter().enumerate().map(|(index, level)| Level {
            links: &level.links,
            width: level.width,
            ordinals: (index > 0).then_some(level.ordinals.as_slice()),
        });
        Graph { levels: levels.collect(), entry: self.entry }
    }
}

/// Links found for one node on one level; all are positions.
struct FoundLinks {
    level: usize,
    position: u32,
    links: Vec<u32>,
}

/// Builds the graph of at least one row. `progress` hears how many nodes are in it.
pub(crate) fn build_graph(
    rows: &Rows<'_>,
    settings: &VectorSettings,
    cancel: &AtomicBool,
    progress: &mut dyn FnMut(usize),
) -> Result<OwnedGraph, VectorError> {
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(settings.build_threads.max(1))
        .thread_name(|index| format!("vector-build-{index}"))
        .build()
        .map_err(|error| VectorError::Threads { detail: error.to_string() })?;
    let (mut graph, order) = empty_graph(rows.len(), settings.connectivity);
    let mut done = 1;
    while let Some(rest) = order.get(done..).filter(|rest| !rest.is_empty()) {
        if cancel.load(Ordering::Relaxed) {
            return Err(VectorError::Cancelled);
        }
        let size = (done / BATCH_SHARE).clamp(1, BATCH_LIMIT).min(rest.len());
        let batch = rest.get(..size).unwrap_or(rest);
        let found = if size < 8 {
            let mut memory = BuildMemory::default();
            batch.iter().flat_map(|node| find_links(&graph, rows, settings, *node, &mut memory)).collect()
        } else {
            threads.install(|| find_links_of_batch(&graph, rows, settings, batch))
        };
        write_links(&mut graph, rows, settings, &threads, &found);
        done += size;
        progress(done);
    }
    let connected = super::repair::connect_all(&mut graph, rows);
    tracing::debug!(nodes = rows.len(), connected, "a vector graph was built");
    Ok(graph)
}

#[derive(Default)]
struct BuildMemory {
    walk: WalkMemory,
    select: SelectMemory,
    query: Option<QuantisedQuery>,
}

/// All nodes with their levels and no links; and the order of insertion, a fixed shuffle that begins with
/// a node of the highest level. Neighbours in a document must not come in one batch.
fn empty_graph(count: usize, connectivity: usize) -> (OwnedGraph, Vec<u32>) {
    let level_of = |ordinal: u32| {
        // P(level >= l) = connectivity^-l, from a hash instead of a random number.
        let uniform = (mix(u64::from(ordinal)) >> 11) as f64 / (1_u64 << 53) as f64;
        let level = -(1.0 - uniform).ln() / (connectivity as f64).ln();
        (level as u32).min(HIGHEST_LEVEL)
    };
    let count_u32 = u32::try_from(count).unwrap_or(u32::MAX);
    let mut order: Vec<u32> = (0..count_u32).collect();
    order.sort_by_cached_key(|ordinal| mix(u64::from(*ordinal) ^ 0x5bd1_e995));
    let highest = (0..count_u32).map(level_of).max().unwrap_or(0);
    if let Some(first) = order.iter().position(|ordinal| level_of(*ordinal) == highest) {
        order.swap(0, first);
    }
    let mut levels = vec![OwnedLevel {
        ordinals: Vec::new(),
        links: vec![NO_LINK; count * 2 * connectivity],
        width: 2 * connectivity,
    }];
    for level in 1..=highest {
        let ordinals: Vec<u32> = (0..count_u32).filter(|ordinal| level_of(*ordinal) >= level).collect();
        let links = vec![NO_LINK; ordinals.len() * connectivity];
        levels.push(OwnedLevel { ordinals, links, width: connectivity });
    }
    (OwnedGraph { levels, entry: order.first().copied().unwrap_or(0) }, order)
}

/// `splitmix64` (Steele, Lea, Flood, 2014).
fn mix(seed: u64) -> u64 {
    let mut value = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

fn find_links_of_batch(
    graph: &OwnedGraph,
    rows: &Rows<'_>,
    settings: &VectorSettings,
    batch: &[u32],
) -> Vec<FoundLinks> {
    batch
        .par_iter()
        .with_min_len(4)
        .map_init(BuildMemory::default, |memory, node| find_links(graph, rows, settings, *node, memory))
        .flatten_iter()
        .collect()
}

fn find_links(
    graph: &OwnedGraph,
    rows: &Rows<'_>,
    settings: &VectorSettings,
    node: u32,
    memory: &mut BuildMemory,
) -> Vec<FoundLinks> {
    let view = graph.view();
    let query = memory.query.get_or_insert_with(QuantisedQuery::empty);
    query.become_row(rows.row(node), rows.step(node));
    let on_levels: Vec<(usize, &Level<'_>, u32)> = view
        .levels
        .iter()
        .enumerate()
        .map_while(|(index, level)| level.position(node).map(|position| (index, level, position)))
        .collect();
    let highest = on_levels.len().saturating_sub(1);
    let mut entries = vec![view.descend(rows, query, highest)];
    let mut found = Vec::with_capacity(on_levels.len());
    for (index, level, position) in on_levels.into_iter().rev() {
        let starts: Vec<u32> = entries.iter().filter_map(|ordinal| level.position(*ordinal)).collect();
        let request = WalkRequest {
            rows: *rows,
            level: *level,
            query,
            ef: settings.ef_construction,
            budget_rows: settings.ef_construction.saturating_mul(BUDGET_ROWS_A_RESULT),
            least_accepted_share: 0.0,
        };
        // A crowd of duplicates must not be all that a node sees, or it links to nothing else.
        let mut duplicates = 0;
        memory.walk.walk(&request, &starts, |key| {
            let is_duplicate = rows.row(level.ordinal(key_ordinal(key))) == rows.row(node);
            duplicates += usize::from(is_duplicate);
            !is_duplicate || duplicates <= settings.connectivity / 2
        });
        let candidates = memory.walk.take_results();
        let ordinal_of = |key: u64| level.ordinal(key_ordinal(key));
        let (least, most) = (settings.connectivity / 2, settings.connectivity);
        let selected = memory.select.select(rows, &candidates, ordinal_of, least, most);
        entries = candidates.iter().map(|key| ordinal_of(*key)).collect();
        found.push(FoundLinks {
            level: index,
            position,
            links: selected.into_iter().map(key_ordinal).collect(),
        });
    }
    found
}

/// Writes the new nodes' links and the links back to them.
fn write_links(
    graph: &mut OwnedGraph,
    rows: &Rows<'_>,
    settings: &VectorSettings,
    threads: &rayon::ThreadPool,
    found: &[FoundLinks],
) {
    let mut back_links: Vec<(usize, u32, u32)> = Vec::new();
    for one in found {
        back_links.extend(one.links.iter().map(|target| (one.level, *target, one.position)));
        store_links(graph, one);
    }
    back_links.sort_unstable();
    let groups: Vec<&[(usize, u32, u32)]> =
        back_links.chunk_by(|left, right| (left.0, left.1) == (right.0, right.1)).collect();
    let add = |memory: &mut BuildMemory, group: &&[(usize, u32, u32)]| {
        add_links(graph, rows, settings, group, memory)
    };
    let changed: Vec<Option<FoundLinks>> = if groups.len() < 64 {
        let mut memory = BuildMemory::default();
        groups.iter().map(|group| add(&mut memory, group)).collect()
    } else {
        threads.install(|| groups.par_iter().with_min_len(16).map_init(BuildMemory::default, add).collect())
    };
    changed.iter().flatten().for_each(|one| store_links(graph, one));
}

fn store_links(graph: &mut OwnedGraph, found: &FoundLinks) {
    let Some(level) = graph.levels.get_mut(found.level) else { return };
    let start = found.position as usize * level.width;
    let Some(place) = level.links.get_mut(start..start + level.width) else { return };
    place.fill(NO_LINK);
    place.iter_mut().zip(&found.links).for_each(|(place, link)| *place = *link);
}

/// The links of one node after those of a group (all with the same level and target) were added.
fn add_links(
    graph: &OwnedGraph,
    rows: &Rows<'_>,
    settings: &VectorSettings,
    group: &[(usize, u32, u32)],
    memory: &mut BuildMemory,
) -> Option<FoundLinks> {
    let (level_index, target, _) = *group.first()?;
    let view = graph.view();
    let level = view.levels.get(level_index)?;
    let mut links: Vec<u32> = level.links(target).iter().copied().filter(|link| *link != NO_LINK).collect();
    links.extend(group.iter().map(|(_, _, source)| *source));
    if links.len() > level.width {
        let query = memory.query.get_or_insert_with(QuantisedQuery::empty);
        let ordinal = level.ordinal(target);
        query.become_row(rows.row(ordinal), rows.step(ordinal));
        let mut candidates: Vec<u64> =
            links.iter().map(|link| rank_key(rows.score(query, level.ordinal(*link)), *link)).collect();
        candidates.sort_unstable_by(|left, right| right.cmp(left));
        candidates.dedup();
        let ordinal_of = |key: u64| level.ordinal(key_ordinal(key));
        let least = settings.connectivity.min(level.width);
        let selected = memory.select.select(rows, &candidates, ordinal_of, least, level.width);
        links = selected.into_iter().map(key_ordinal).collect();
    }
    Some(FoundLinks { level: level_index, position: target, links })
}
