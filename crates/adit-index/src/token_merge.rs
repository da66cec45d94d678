//! Segments of token codes are merged as the vectors' are, by a plan of their own: there is no graph to build,
//! so a merge costs what copying costs.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use adit_catalog::CatalogView;
use adit_core::IndexError;
use parking_lot::Mutex;
use roaring::RoaringBitmap;

use crate::build::take_segment_name;
use crate::manifest::{Manifest, TokenSegmentEntry};
use crate::merge::{MergePlan, plan_of_segments};
use crate::options::IndexOptions;
use crate::search_index::Shared;
use crate::snapshot::Snapshot;
use crate::token_codes::{of_make, stored_make, without_segments};
use crate::token_segment::{OpenTokenSegment, build_token_segment, discard};
use crate::writer::Writer;

/// Chunks of one segment at most.
const SEGMENT_LIMIT_CHUNKS: usize = 1_000_000;
/// A tail this many times above its limit is not left to the merge thread: it would fill the memory.
const TAIL_LIMITS: u64 = 4;

impl Shared {
    /// Does the most urgent merge of token codes; `false` when none is due or it was cancelled. Called with the
    /// merge lock held.
    pub(crate) fn merge_tokens_once(&self, writer: &Mutex<Writer>) -> Result<bool, IndexError> {
        let (plan, name, generation) = {
            let mut writer = writer.lock();
            let Some(plan) = plan(&writer.token_segments, &self.published.load(), &self.options) else {
                return Ok(false);
            };
            let name = take_segment_name(&mut writer.manifest);
            (plan, name, writer.generation.clone())
        };
        tracing::debug!(
            chunks = plan.chunks.len(),
            replaces = plan.replaces.len(),
            name,
            "token merge begins"
        );
        let view = self.catalog.view()?;
        let mut born = None;
        let make = stored_make(&view)?;
        if let Some(make) = make.as_ref().filter(|_| !plan.chunks.is_empty()) {
            born = build_token_segment(&generation, &name, make, &view, &plan.chunks, &self.cancel_merge)?;
            if born.is_none() {
                return Ok(false);
            }
        }
        let mut writer = writer.lock();
        if !still_fits(&plan, &writer, generation.name()) {
            born.iter().for_each(|entry| discard(&generation, entry));
            return Ok(true);
        }
        writer.adopt_tokens(born.into_iter().collect(), &plan.replaces)?;
        let snapshot = writer.with_new_segments(&self.catalog, &self.published.load())?;
        self.published.store(Arc::new(snapshot));
        Ok(true)
    }
}

impl Writer {
    /// Builds segments of a tail that is far above its limit, and lets go of segments of another make.
    pub(crate) fn cover_a_large_token_tail(
        &mut self,
        view: &CatalogView,
        options: &IndexOptions,
        live: &RoaringBitmap,
    ) -> Result<(), IndexError> {
        let make = stored_make(view)?;
        let make_hash = make.as_ref().map(adit_token_vector::TokenCodeMake::hash).unwrap_or_default();
        let fitting = of_make(&self.token_segments, &make_hash);
        let outdated: Vec<String> = self
            .token_segments
            .iter()
            .filter(|segment| segment.codes.make_hash() != make_hash)
            .map(|segment| segment.entry.name.clone())
            .collect();
        let mut born = Vec::new();
        if let Some(make) = &make {
            let missing = without_segments(live, &fitting);
            let limit = TAIL_LIMITS.saturating_mul(options.token_tail_limit_chunks as u64);
            let mut rest = missing.iter();
            while missing.len() > limit {
                let part: RoaringBitmap = rest.by_ref().take(SEGMENT_LIMIT_CHUNKS).collect();
                if part.is_empty() {
                    break;
                }
                let name = take_segment_name(&mut self.manifest);
                let never = AtomicBool::new(false);
                born.extend(build_token_segment(&self.generation, &name, make, view, &part, &never)?);
            }
        }
        if born.is_empty() && outdated.is_empty() { Ok(()) } else { self.adopt_tokens(born, &outdated) }
    }

    /// Takes new segments in and lets old ones go: manifest first, so that a crash leaves either state.
    fn adopt_tokens(&mut self, born: Vec<TokenSegmentEntry>, gone: &[String]) -> Result<(), IndexError> {
        let opened = born
            .iter()
            .map(|entry| OpenTokenSegment::open(&self.generation, entry, false))
            .collect::<Result<Vec<_>, _>>()?;
        let mut manifest = Manifest { sequence: self.lexical.sequence(), ..self.manifest.clone() };
        manifest.token_segments.retain(|entry| !gone.contains(&entry.name));
        manifest.token_segments.extend(born);
        manifest.store(&self.generation.manifest())?;
        self.manifest = manifest;
        let (stay, leave): (Vec<_>, Vec<_>) =
            self.token_segments.drain(..).partition(|segment| !gone.contains(&segment.entry.name));
        leave.iter().for_each(|segment| segment.make_obsolete());
        self.token_segments = stay;
        self.token_segments.extend(opened);
        Ok(())
    }
}

/// What to merge next: an overlong tail first, then as the vectors' segments are merged.
fn plan(
    segments: &[Arc<OpenTokenSegment>],
    published: &Snapshot,
    options: &IndexOptions,
) -> Option<MergePlan> {
    let live = published.table.live();
    let set = published.tokens.set()?;
    let tail = without_segments(live, segments) & set.tail_ids();
    if tail.len() > options.token_tail_limit_chunks as u64 {
        return Some(MergePlan { chunks: tail, replaces: Vec::new() });
    }
    let segments = segments.iter().map(|segment| (segment.entry.name.as_str(), segment.ids()));
    plan_of_segments(segments, live, options, options.token_tail_limit_chunks)
}

/// Whether nothing happened meanwhile that makes the built segment wrong: a rebuild, or a catch-up that built
/// a segment of the same tail. One of another make is let go at the next catch-up and scores nothing before.
fn still_fits(plan: &MergePlan, writer: &Writer, generation: &str) -> bool {
    let is_replaced = |segment: &&Arc<OpenTokenSegment>| plan.replaces.contains(&segment.entry.name);
    writer.generation.name() == generation
        && writer.token_segments.iter().filter(is_replaced).count() == plan.replaces.len()
        && writer
            .token_segments
            .iter()
            .filter(|segment| !is_replaced(segment))
            .all(|segment| segment.ids().is_disjoint(&plan.chunks))
}
