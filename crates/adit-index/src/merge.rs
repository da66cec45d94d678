use std::sync::Arc;

use adit_core::IndexError;
use adit_vector::tune_ef;
use roaring::RoaringBitmap;

use crate::build::{take_segment_name, uncovered};
use crate::engine_errors::vector_error;
use crate::options::IndexOptions;
use crate::search_index::{Role, Shared};
use crate::segment::{Segment, SegmentWriter};
use crate::snapshot::Snapshot;
use crate::writer::Writer;

/// Vectors of the collection that `ef` is tuned with; each costs an exact search.
const TUNING_QUERIES: usize = 50;

/// A segment to be built, and those it takes the place of.
#[derive(Debug, PartialEq)]
pub(crate) struct MergePlan {
    pub(crate) chunks: RoaringBitmap,
    pub(crate) replaces: Vec<String>,
}

impl Shared {
    /// Does the most urgent merge; `false` when none is due or it was cancelled.
    ///
    /// The writer's lock is held while the plan is made and while the result is taken over, not while
    /// the segment is built.
    pub(crate) fn merge_once(&self) -> Result<bool, IndexError> {
        let Role::Writer(writer) = &self.role else { return Ok(false) };
        let _one_at_a_time = self.merging.lock();
        if self.merge_tokens_once(writer)? {
            return Ok(true);
        }
        let (plan, name, generation, fingerprint) = {
            let mut writer = writer.lock();
            let Some(plan) = plan(&writer.segments, &self.published.load(), &self.options) else {
                let is_due = writer.manifest.tuned_ef.is_none()
                    && writer.segments.iter().any(|segment| segment.vectors.has_graph());
                drop(writer);
                return if is_due { self.tune().map(|()| true) } else { Ok(false) };
            };
            let name = take_segment_name(&mut writer.manifest);
            (plan, name, writer.generation.clone(), writer.manifest.fingerprint.clone())
        };
        tracing::debug!(chunks = plan.chunks.len(), replaces = plan.replaces.len(), name, "merge begins");
        let folder = generation.vectors();
        let segment_writer = SegmentWriter { folder: &folder, fingerprint: &fingerprint };
        let mut born = Vec::new();
        if !plan.chunks.is_empty() {
            let view = self.catalog.view()?;
            match segment_writer.build(&name, &view, &plan.chunks, &self.cancel_merge)? {
                Some(entry) => born.push(entry),
                None => return Ok(false),
            }
        }
        let mut writer = writer.lock();
        if !still_fits(&plan, &writer, generation.name()) {
            born.iter().for_each(|entry| segment_writer.discard(entry));
            return Ok(true);
        }
        let manifest = writer.manifest.clone();
        writer.adopt(manifest, &born, &plan.replaces)?;
        let snapshot = writer.with_new_segments(&self.catalog, &self.published.load())?;
        self.published.store(Arc::new(snapshot));
        Ok(true)
    }

    /// Measures which `ef` reaches the recall target with the segments of now. Called with the merge lock
    /// held, so the segments do not change but for a catch-up that builds one.
    fn tune(&self) -> Result<(), IndexError> {
        let Role::Writer(writer) = &self.role else { return Ok(()) };
        let snapshot = self.published.load_full();
        let target = self.options.recall_target;
        let tuned = tune_ef(&snapshot.vectors, snapshot.table.live(), TUNING_QUERIES, target)
            .map_err(vector_error)?;
        tracing::debug!(ef = tuned.ef, recall = tuned.recall, "tuned the graphs");
        let mut writer = writer.lock();
        writer.set_tuned_ef(tuned.ef)?;
        let snapshot = writer.with_new_segments(&self.catalog, &self.published.load())?;
        self.published.store(Arc::new(snapshot));
        Ok(())
    }
}

/// Whether nothing happened meanwhile that makes the built segment wrong: a rebuild, or a catch-up that
/// built a segment of the same tail.
fn still_fits(plan: &MergePlan, writer: &Writer, generation: &str) -> bool {
    let is_replaced = |segment: &&Arc<Segment>| plan.replaces.contains(&segment.entry.name);
    writer.generation.name() == generation
        && writer.segments.iter().filter(is_replaced).count() == plan.replaces.len()
        && writer
            .segments
            .iter()
            .filter(|segment| !is_replaced(segment))
            .all(|segment| segment.ids.is_disjoint(&plan.chunks))
}

/// What to merge next: an overlong tail first, then segments that are mostly dead, then too many of about
/// the same size. Each vector is thus written a number of times that grows with the logarithm of the
/// collection's size (log-structured merge tree, O'Neil et al. 1996).
fn plan(segments: &[Arc<Segment>], published: &Snapshot, options: &IndexOptions) -> Option<MergePlan> {
    let live = published.table.live();
    let tail = uncovered(live, segments);
    if tail.len() > options.tail_limit_vectors as u64 {
        return Some(MergePlan { chunks: tail, replaces: Vec::new() });
    }
    let segments = segments.iter().map(|segment| (segment.entry.name.as_str(), &segment.ids));
    plan_of_segments(segments, live, options, options.tail_limit_vectors)
}

/// What is to be done with the segments, each a name and its chunks, when the tail is short.
pub(crate) fn plan_of_segments<'a>(
    segments: impl Iterator<Item = (&'a str, &'a RoaringBitmap)>,
    live: &RoaringBitmap,
    options: &IndexOptions,
    tail_limit: usize,
) -> Option<MergePlan> {
    let mut counts: Vec<(u64, (&str, &RoaringBitmap))> =
        segments.map(|segment| (segment.1.intersection_len(live), segment)).collect();
    let mostly_dead = counts.iter().find(|(alive, (_, ids))| {
        let all = ids.len();
        all.saturating_sub(*alive) as f64 > f64::from(options.dead_share_limit) * all as f64
    });
    if let Some((_, segment)) = mostly_dead {
        return Some(merge_of(&[*segment], live));
    }
    counts.sort_by_key(|(alive, _)| *alive);
    let factor = options.merge_factor.max(2);
    let tier = |alive: u64| {
        let tails = alive / (tail_limit.max(1) as u64);
        tails.max(1).ilog(factor as u64)
    };
    counts
        .chunk_by(|(left, _), (right, _)| tier(*left) == tier(*right))
        .find(|same| same.len() >= factor)
        .map(|same| {
            let segments: Vec<(&str, &RoaringBitmap)> = same.iter().map(|(_, segment)| *segment).collect();
            merge_of(&segments, live)
        })
}

fn merge_of(segments: &[(&str, &RoaringBitmap)], live: &RoaringBitmap) -> MergePlan {
    let mut chunks = RoaringBitmap::new();
    segments.iter().for_each(|(_, ids)| chunks |= *ids);
    chunks &= live;
    MergePlan { chunks, replaces: segments.iter().map(|(name, _)| (*name).to_owned()).collect() }
}
