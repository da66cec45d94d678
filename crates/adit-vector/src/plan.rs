//! How one segment is searched: every allowed row, or a walk over the graph, whichever costs less.

use std::fmt;

use roaring::RoaringBitmap;

use crate::graph::Graph;
use crate::graph::walk::{WalkMemory, WalkReport, WalkRequest};
use crate::quantise::{PreparedQuery, QuantisedQuery};
use crate::rows::{BestKeys, Rows, key_ordinal, key_score, rank_key};
use crate::segment::{Candidate, SearchDepth, SegmentCandidates};

/// Judged from contended runs of `examples/vector_bench.rs` at up to 200,000 rows of 384 bytes, not swept: a row
/// of a scan, in nanoseconds.
/// Only the proportion to the next number matters.
const SCAN_ROW_NS: f64 = 30.0;
/// As above: a row that a walk scores, with its share of heaps and marks.
const WALK_ROW_NS: f64 = 100.0;
/// As above: rows a walk scores for each result it keeps, without a filter.
const WALK_ROWS_A_RESULT: f64 = 10.0;
/// Rows loaded ahead of the one that is scored.
const PREFETCH_ROWS: usize = 6;
/// A filtered walk is given up when the share of allowed rows it meets is below this part of their share in
/// the segment. Lower values trust walks that lose recall where filters correlate with clusters.
const LEAST_LOCAL_SELECTIVITY: f64 = 0.6;

/// What a segment is searched through.
pub(crate) struct SegmentView<'a> {
    pub(crate) rows: Rows<'a>,
    /// Chunk of each ordinal, rising.
    pub(crate) ids: &'a [u32],
    pub(crate) chunk_ids: &'a RoaringBitmap,
    pub(crate) graph: Option<Graph<'a>>,
}

/// How a segment was searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SearchMethod {
    /// Nothing in it is allowed.
    Nothing,
    /// Every allowed vector was scored.
    Scan,
    /// The graph was walked.
    Graph,
    /// The graph was walked without finding enough, then every allowed vector was scored.
    GraphThenScan,
}

/// What was done in one segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentPlan {
    /// How.
    pub method: SearchMethod,
    /// Vectors in the segment.
    pub total: usize,
    /// Of those, allowed.
    pub allowed: usize,
    /// Rows scored.
    pub scored: usize,
    /// Results the graph kept while it walked; 0 without a walk.
    pub ef: usize,
}

/// Names only what the filter lets through: the rest may be outside the reader's scope.
impl fmt::Display for SegmentPlan {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { allowed, ef, .. } = self;
        match self.method {
            SearchMethod::Nothing => formatter.write_str("none allowed"),
            SearchMethod::Scan => write!(formatter, "scan of {allowed}"),
            SearchMethod::Graph => write!(formatter, "graph over {allowed}, ef {ef}"),
            SearchMethod::GraphThenScan => {
                write!(formatter, "graph at ef {ef} in doubt, then scan of {allowed}")
            }
        }
    }
}

/// Searches one segment.
pub(crate) fn search_segment(
    view: &SegmentView<'_>,
    query: &PreparedQuery,
    allowed: &RoaringBitmap,
    depth: SearchDepth,
    memory: &mut WalkMemory,
) -> SegmentCandidates {
    let total = view.ids.len();
    let count = view.allowed_count(allowed);
    let ef = depth.ef.max(depth.depth).max(1);
    let mut plan = SegmentPlan { method: SearchMethod::Scan, total, allowed: count, scored: 0, ef: 0 };
    if count == 0 || depth.depth == 0 {
        plan.method = SearchMethod::Nothing;
        return SegmentCandidates { candidates: Vec::new(), plan };
    }
    let scan_ns = count as f64 * SCAN_ROW_NS;
    let selectivity = count as f64 / total.max(1) as f64;
    let walk_ns = ef as f64 / selectivity * WALK_ROWS_A_RESULT * WALK_ROW_NS;
    if view.graph.is_some() && walk_ns < scan_ns {
        let budget_rows = (scan_ns / WALK_ROW_NS) as usize;
        let (keys, report) =
            walk_graph(view, query, (count < total).then_some(allowed), selectivity, ef, budget_rows, memory);
        plan.scored = report.scored;
        plan.ef = ef;
        if report.is_complete && keys.len() >= ef.min(count) {
            plan.method = SearchMethod::Graph;
            return SegmentCandidates { candidates: candidates(keys), plan };
        }
        plan.method = SearchMethod::GraphThenScan;
    }
    plan.scored += count;
    SegmentCandidates { candidates: candidates(scan(view, query, allowed, count, depth.depth)), plan }
}

fn candidates(keys: Vec<u64>) -> Vec<Candidate> {
    let candidate = |key| Candidate { ordinal: key_ordinal(key), approximate_score: key_score(key) };
    keys.into_iter().map(candidate).collect()
}

fn walk_graph(
    view: &SegmentView<'_>,
    query: &PreparedQuery,
    allowed: Option<&RoaringBitmap>,
    selectivity: f64,
    ef: usize,
    budget_rows: usize,
    memory: &mut WalkMemory,
) -> (Vec<u64>, WalkReport) {
    let query = &query.quantised;
    let nothing = WalkReport { scored: 0, is_complete: false };
    let Some((graph, base)) = view.graph.as_ref().and_then(|graph| Some((graph, graph.levels.first()?)))
    else {
        return (Vec::new(), nothing);
    };
    let entry = graph.descend(&view.rows, query, 0);
    let request = WalkRequest {
        rows: view.rows,
        level: *base,
        query,
        ef,
        budget_rows,
        // Where fewer are accepted, the filter shuns the query's neighbourhood, and what the walk finds is
        // far from the best: it must end in a scan.
        least_accepted_share: if allowed.is_some() { selectivity * LEAST_LOCAL_SELECTIVITY } else { 0.0 },
    };
    let report = match allowed {
        None => memory.walk(&request, &[entry], |_| true),
        Some(allowed) => memory.walk(&request, &[entry], |key| {
            view.ids.get(key_ordinal(key) as usize).is_some_and(|id| allowed.contains(*id))
        }),
    };
    (memory.take_results(), report)
}

/// Scores rows, loading ahead.
fn offer_rows(rows: &Rows<'_>, query: &QuantisedQuery, ordinals: &[u32], best: &mut BestKeys) {
    for (index, ordinal) in ordinals.iter().enumerate() {
        if let Some(ahead) = ordinals.get(index + PREFETCH_ROWS) {
            rows.prefetch(*ahead);
        }
        best.offer(rank_key(rows.score(query, *ordinal), *ordinal));
    }
}

/// Scores every allowed row and keeps the best.
fn scan(
    view: &SegmentView<'_>,
    query: &PreparedQuery,
    allowed: &RoaringBitmap,
    count: usize,
    depth: usize,
) -> Vec<u64> {
    let mut best = BestKeys::new(depth);
    view.for_each_allowed(allowed, count, &mut |ordinals| {
        offer_rows(&view.rows, &query.quantised, ordinals, &mut best);
    });
    best.into_keys()
}

impl SegmentView<'_> {
    /// First and last chunk, when no number between them is missing.
    fn gapless(&self) -> Option<(u32, u32)> {
        let (first, last) = (*self.ids.first()?, *self.ids.last()?);
        ((last - first) as usize + 1 == self.ids.len()).then_some((first, last))
    }

    pub(crate) fn allowed_count(&self, allowed: &RoaringBitmap) -> usize {
        match self.gapless() {
            Some((first, last)) => allowed.range_cardinality(first..=last) as usize,
            None => allowed.intersection_len(self.chunk_ids) as usize,
        }
    }

    /// Gives the ordinals of all `count` allowed rows, rising, in blocks.
    pub(crate) fn for_each_allowed(
        &self,
        allowed: &RoaringBitmap,
        count: usize,
        visit: &mut dyn FnMut(&[u32]),
    ) {
        let mut block = [0_u32; 1024];
        if count == self.ids.len() {
            let all = 0..count as u32;
            for start in all.clone().step_by(block.len()) {
                let mut filled = 0;
                for (place, ordinal) in block.iter_mut().zip(start..all.end) {
                    *place = ordinal;
                    filled += 1;
                }
                visit(block.get(..filled).unwrap_or(&[]));
            }
            return;
        }
        let Some((first, last)) = self.ids.first().zip(self.ids.last()) else { return };
        let mut chunks = allowed.range(*first..=*last);
        let is_gapless = self.gapless().is_some();
        let mut cursor = IdCursor { ids: self.ids, position: 0 };
        loop {
            let chunks = chunks.next_many(&mut block);
            if chunks.is_empty() {
                return;
            }
            let mut kept = 0;
            let read = chunks.len();
            for index in 0..read {
                let Some(chunk) = block.get(index).copied() else { break };
                let ordinal = if is_gapless { Some(chunk - first) } else { cursor.seek(chunk) };
                if let Some((place, ordinal)) = block.get_mut(kept).zip(ordinal) {
                    *place = ordinal;
                    kept += 1;
                }
            }
            visit(block.get(..kept).unwrap_or(&[]));
        }
    }
}

/// Finds rising chunks in rising ids by steps that double.
struct IdCursor<'a> {
    ids: &'a [u32],
    position: usize,
}

impl IdCursor<'_> {
    fn seek(&mut self, chunk: u32) -> Option<u32> {
        let rest = self.ids.get(self.position..)?;
        let mut bound = 1;
        while rest.get(bound).is_some_and(|id| *id < chunk) {
            bound *= 2;
        }
        let window = rest.get(bound / 2..(bound + 1).min(rest.len()))?;
        let found = window.binary_search(&chunk);
        self.position += bound / 2 + found.unwrap_or_else(|missing| missing);
        found.ok().map(|_| self.position as u32)
    }
}
