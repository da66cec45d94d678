use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use adit_catalog::{Catalog, CatalogView, IndexedDocument};
use adit_core::{Fingerprint, IndexError};
use adit_lexical::LexicalIndex;
use roaring::RoaringBitmap;

use crate::document_table::insert_span;
use crate::engine_errors::lexical_error;
use crate::files::sync_folder;
use crate::generation::Generation;
use crate::manifest::{Manifest, SegmentEntry};
use crate::options::IndexOptions;
use crate::segment::{Segment, SegmentWriter};
use crate::statistics::{RebuildProgress, RebuildStage};

/// Vectors of one segment at most: a graph is built in memory.
const SEGMENT_LIMIT_VECTORS: usize = 1_000_000;
/// Progress is told after so many chunks.
const PROGRESS_CHUNKS: u64 = 1_000;

/// A generation that is complete on disk and not yet current.
pub(crate) struct Build {
    pub(crate) generation: Generation,
    pub(crate) manifest: Manifest,
    pub(crate) lexical: LexicalIndex,
}

/// Makes everything derived from the catalog, in a folder nothing refers to yet.
pub(crate) fn build_generation(
    collection: &Path,
    catalog: &Catalog,
    fingerprint: &Fingerprint,
    catalog_name: &str,
    options: &IndexOptions,
    progress: &mut dyn FnMut(RebuildProgress),
) -> Result<Build, IndexError> {
    let generation = Generation::create(collection)?;
    let mut manifest = Manifest {
        fingerprint: fingerprint.clone(),
        catalog: catalog_name.to_owned(),
        sequence: adit_core::SequenceNumber(0),
        lexical: "lexical".to_owned(),
        segments: Vec::new(),
        next_segment: 1,
        token_segments: Vec::new(),
        tuned_ef: None,
    };
    let view = catalog.view()?;
    let lexical = build_lexical(&generation.lexical(&manifest), &view, progress)?;
    manifest.sequence = view.last_sequence();
    let mut live = RoaringBitmap::new();
    let documents = view.documents_at(view.last_sequence())?;
    documents.iter().for_each(|document| insert_span(&mut live, document.span()));
    if live.len() > options.tail_limit_vectors as u64 {
        let folder = generation.vectors();
        let writer = SegmentWriter { folder: &folder, fingerprint };
        let entries = build_segments(&writer, &view, &live, &mut manifest, progress)?;
        manifest.segments.extend(entries);
    }
    manifest.store(&generation.manifest())?;
    sync_folder(generation.folder())?;
    Ok(Build { generation, manifest, lexical })
}

/// Makes a lexical index of the catalog's present state in an empty folder.
pub(crate) fn build_lexical(
    folder: &Path,
    view: &CatalogView,
    progress: &mut dyn FnMut(RebuildProgress),
) -> Result<LexicalIndex, IndexError> {
    crate::files::remove(folder)?;
    crate::files::create_folder(folder)?;
    let lexical = LexicalIndex::open_or_create(folder).map_err(lexical_error)?;
    let documents = view.documents_at(view.last_sequence())?;
    let chunks_total = documents.iter().map(|document| u64::from(document.chunk_count)).sum();
    let mut meter = Meter { stage: RebuildStage::Lexical, chunks_done: 0, chunks_total, progress };
    for span in documents.iter().map(IndexedDocument::span) {
        view.for_each_indexed_chunk(span, &mut |chunk, language, indexed| {
            meter.count(1);
            lexical.add(chunk, language, indexed).map_err(lexical_error)
        })?;
    }
    lexical.commit(view.last_sequence()).map_err(lexical_error)?;
    meter.tell();
    Ok(lexical)
}

/// Builds segments of `chunks`; the manifest only lends its counter and is not written.
pub(crate) fn build_segments(
    writer: &SegmentWriter<'_>,
    view: &CatalogView,
    chunks: &RoaringBitmap,
    manifest: &mut Manifest,
    progress: &mut dyn FnMut(RebuildProgress),
) -> Result<Vec<SegmentEntry>, IndexError> {
    let mut meter =
        Meter { stage: RebuildStage::Vectors, chunks_done: 0, chunks_total: chunks.len(), progress };
    let mut entries = Vec::new();
    let mut rest = chunks.iter();
    loop {
        let part: RoaringBitmap = rest.by_ref().take(SEGMENT_LIMIT_VECTORS).collect();
        if part.is_empty() {
            return Ok(entries);
        }
        let name = take_segment_name(manifest);
        // Nothing interrupts a build in the foreground.
        entries.extend(writer.build(&name, view, &part, &AtomicBool::new(false))?);
        meter.count(part.len());
        meter.tell();
    }
}

pub(crate) fn take_segment_name(manifest: &mut Manifest) -> String {
    let name = format!("{:06}", manifest.next_segment);
    manifest.next_segment = manifest.next_segment.saturating_add(1);
    name
}

/// Live chunks that are in no segment.
pub(crate) fn uncovered(live: &RoaringBitmap, segments: &[Arc<Segment>]) -> RoaringBitmap {
    let mut missing = live.clone();
    segments.iter().for_each(|segment| missing -= &segment.ids);
    missing
}

struct Meter<'a> {
    stage: RebuildStage,
    chunks_done: u64,
    chunks_total: u64,
    progress: &'a mut dyn FnMut(RebuildProgress),
}

impl Meter<'_> {
    fn count(&mut self, chunks: u64) {
        self.chunks_done += chunks;
        if self.chunks_done.is_multiple_of(PROGRESS_CHUNKS) {
            self.tell();
        }
    }

    fn tell(&mut self) {
        (self.progress)(RebuildProgress {
            stage: self.stage,
            chunks_done: self.chunks_done,
            chunks_total: self.chunks_total,
        });
    }
}
