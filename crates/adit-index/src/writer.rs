use std::path::Path;
use std::sync::Arc;

use adit_catalog::{Catalog, CatalogView};
use adit_core::{Fingerprint, IndexError, SequenceNumber};
use adit_lexical::LexicalIndex;
use roaring::RoaringBitmap;

use crate::allowed::AllowedChunks;
use crate::build::{Build, build_generation, build_lexical, uncovered};
use crate::catalog_ties::{catalog_name, purge_what_the_last_run_left, wanted_fingerprint};
use crate::document_table::DocumentTable;
use crate::engine_errors::lexical_error;
use crate::files::{bytes_below, create_folder, remove};
use crate::generation::{Generation, sweep};
use crate::lexical_leftovers::sweep_deletion_files;
use crate::lock::WriterLock;
use crate::manifest::{Manifest, SegmentEntry};
use crate::options::IndexOptions;
use crate::replay::replay;
use crate::segment::{Segment, SegmentWriter};
use crate::snapshot::Snapshot;
use crate::statistics::RebuildProgress;
use crate::tail::vector_set;
use crate::token_codes::TokenSide;
use crate::token_segment::{OpenTokenSegment, open_token_segments};

/// Everything only the one writer of a collection has.
pub(crate) struct Writer {
    collection: std::path::PathBuf,
    _lock: WriterLock,
    pub(crate) generation: Generation,
    pub(crate) manifest: Manifest,
    pub(crate) segments: Vec<Arc<Segment>>,
    pub(crate) token_segments: Vec<Arc<OpenTokenSegment>>,
    pub(crate) lexical: LexicalIndex,
}

/// The parts of a generation once they are open.
struct Parts {
    generation: Generation,
    manifest: Manifest,
    segments: Vec<Arc<Segment>>,
    token_segments: Vec<Arc<OpenTokenSegment>>,
    lexical: LexicalIndex,
}

impl Writer {
    pub(crate) fn open(
        collection: &Path,
        catalog: &Catalog,
        options: &IndexOptions,
        notices: &mut Vec<String>,
    ) -> Result<(Self, Snapshot), IndexError> {
        create_folder(&collection.join("generations"))?;
        let lock = WriterLock::take(collection)?;
        let fingerprint = wanted_fingerprint(&catalog.view()?, options)?;
        let name = catalog_name(catalog)?;
        let generation = usable_generation(collection, catalog, &fingerprint, &name, notices)?;
        let parts = match generation {
            Some((generation, manifest)) => open_or_mend(catalog, options, generation, manifest, notices)?,
            None => new_parts(collection, catalog, &fingerprint, &name, options, &mut |_| ())?,
        };
        let swept = sweep(collection, &parts.generation, &parts.manifest)?;
        if swept > 0 {
            tracing::info!(swept, "removed files that an interrupted run left behind");
        }
        let Parts { generation, manifest, segments, token_segments, lexical } = parts;
        let mut writer = Self {
            collection: collection.to_owned(),
            _lock: lock,
            generation,
            manifest,
            segments,
            token_segments,
            lexical,
        };
        let snapshot = match writer.publish_up_to_now(catalog, options, None) {
            Err(error @ (IndexError::Engine { .. } | IndexError::Damaged { .. })) => {
                notices.push(format!("{error}; the lexical index is made again from the catalog"));
                writer.replace_lexical(catalog)?;
                writer.publish_up_to_now(catalog, options, None)?
            }
            published => published?,
        };
        purge_what_the_last_run_left(catalog, snapshot.sequence)?;
        Ok((writer, snapshot))
    }

    /// `None` when the published snapshot is up to date.
    pub(crate) fn catch_up(
        &mut self,
        catalog: &Catalog,
        options: &IndexOptions,
        published: &Snapshot,
    ) -> Result<Option<Snapshot>, IndexError> {
        if catalog.last_sequence()? == published.sequence {
            return Ok(None);
        }
        self.publish_up_to_now(catalog, options, Some(published)).map(Some)
    }

    fn publish_up_to_now(
        &mut self,
        catalog: &Catalog,
        options: &IndexOptions,
        published: Option<&Snapshot>,
    ) -> Result<Snapshot, IndexError> {
        let view = catalog.view()?;
        let target = view.last_sequence();
        if self.lexical.sequence() < target
            && let Err(error) = replay(&self.lexical, &view, target)
        {
            self.lexical.rollback().map_err(lexical_error)?;
            return Err(error);
        }
        let table = Arc::new(DocumentTable::new(view.documents_at(target)?));
        self.cover_a_large_tail(&view, options, table.live())?;
        self.cover_a_large_token_tail(&view, options, table.live())?;
        self.snapshot(&view, target, table, options, published)
    }

    /// A tail far above its limit is not left to the merge thread: it would fill the memory.
    fn cover_a_large_tail(
        &mut self,
        view: &CatalogView,
        options: &IndexOptions,
        live: &RoaringBitmap,
    ) -> Result<(), IndexError> {
        const TAIL_LIMITS: u64 = 4;
        let missing = uncovered(live, &self.segments);
        if missing.len() <= TAIL_LIMITS.saturating_mul(options.tail_limit_vectors as u64) {
            return Ok(());
        }
        let mut manifest = self.manifest.clone();
        let folder = self.generation.vectors();
        let writer = SegmentWriter { folder: &folder, fingerprint: &manifest.fingerprint.clone() };
        let entries = crate::build::build_segments(&writer, view, &missing, &mut manifest, &mut |_| ())?;
        self.adopt(manifest, &entries, &[])
    }

    /// Takes new segments in and lets old ones go: manifest first, so that a crash leaves either state.
    pub(crate) fn adopt(
        &mut self,
        mut manifest: Manifest,
        born: &[SegmentEntry],
        gone: &[String],
    ) -> Result<(), IndexError> {
        let opened = born
            .iter()
            .map(|entry| Segment::open(&self.generation, entry, false))
            .collect::<Result<Vec<_>, _>>()?;
        manifest.segments.retain(|entry| !gone.contains(&entry.name));
        manifest.segments.extend_from_slice(born);
        manifest.sequence = self.lexical.sequence();
        if born.iter().any(|entry| entry.info.has_graph) {
            manifest.tuned_ef = None;
        }
        manifest.store(&self.generation.manifest())?;
        self.manifest = manifest;
        let (stay, leave): (Vec<_>, Vec<_>) =
            self.segments.drain(..).partition(|segment| !gone.contains(&segment.entry.name));
        leave.iter().for_each(|segment| segment.make_obsolete());
        self.segments = stay;
        self.segments.extend(opened);
        Ok(())
    }

    /// The published state with the segments of now.
    pub(crate) fn with_new_segments(
        &self,
        catalog: &Catalog,
        published: &Snapshot,
    ) -> Result<Snapshot, IndexError> {
        let view = catalog.view()?;
        let live = published.table.live();
        Ok(Snapshot {
            sequence: published.sequence,
            fingerprint: Arc::clone(&published.fingerprint),
            table: Arc::clone(&published.table),
            allowed: Arc::clone(&published.allowed),
            lexical: published.lexical.clone(),
            vectors: vector_set(
                &published.fingerprint,
                &self.segments,
                Some(&published.vectors),
                live,
                &view,
            )?,
            segments: self.segments.clone(),
            tokens: TokenSide::collect(&self.token_segments, Some(&published.tokens), live, &view)?,
            tuned_ef: self.manifest.tuned_ef,
            lexical_folder: self.manifest.lexical.clone(),
            generation: self.generation.clone(),
        })
    }

    fn snapshot(
        &self,
        view: &CatalogView,
        sequence: SequenceNumber,
        table: Arc<DocumentTable>,
        options: &IndexOptions,
        published: Option<&Snapshot>,
    ) -> Result<Snapshot, IndexError> {
        let fingerprint = published.map_or_else(
            || Arc::new(self.manifest.fingerprint.clone()),
            |published| Arc::clone(&published.fingerprint),
        );
        let previous = published.map(|published| &published.vectors);
        Ok(Snapshot {
            sequence,
            allowed: Arc::new(AllowedChunks::new(&table, options.cached_filters)),
            lexical: self.lexical.searcher().map_err(lexical_error)?,
            vectors: vector_set(&fingerprint, &self.segments, previous, table.live(), view)?,
            tokens: TokenSide::collect(
                &self.token_segments,
                published.map(|published| &published.tokens),
                table.live(),
                view,
            )?,
            fingerprint,
            table,
            segments: self.segments.clone(),
            tuned_ef: self.manifest.tuned_ef,
            lexical_folder: self.manifest.lexical.clone(),
            generation: self.generation.clone(),
        })
    }

    /// Makes the lexical index again in another folder; the manifest decides which of the two counts.
    fn replace_lexical(&mut self, catalog: &Catalog) -> Result<(), IndexError> {
        let old = self.generation.lexical(&self.manifest);
        let manifest =
            Manifest { lexical: next_lexical_name(&self.manifest.lexical), ..self.manifest.clone() };
        let lexical = build_lexical(&self.generation.lexical(&manifest), &catalog.view()?, &mut |_| ())?;
        manifest.store(&self.generation.manifest())?;
        self.manifest = manifest;
        self.lexical = lexical;
        remove(&old)
    }

    /// Remembers what the graphs were tuned to.
    pub(crate) fn set_tuned_ef(&mut self, ef: usize) -> Result<(), IndexError> {
        let manifest = Manifest { tuned_ef: Some(ef), ..self.manifest.clone() };
        manifest.store(&self.generation.manifest())?;
        self.manifest = manifest;
        Ok(())
    }

    /// Builds a generation beside this one and switches to it.
    pub(crate) fn rebuild(
        &mut self,
        catalog: &Catalog,
        options: &IndexOptions,
        progress: &mut dyn FnMut(RebuildProgress),
    ) -> Result<Snapshot, IndexError> {
        let fingerprint = wanted_fingerprint(&catalog.view()?, options)?;
        let name = catalog_name(catalog)?;
        let parts = new_parts(&self.collection, catalog, &fingerprint, &name, options, progress)?;
        self.generation.make_obsolete();
        let Parts { generation, manifest, segments, token_segments, lexical } = parts;
        (self.generation, self.manifest, self.segments, self.token_segments, self.lexical) =
            (generation, manifest, segments, token_segments, lexical);
        self.publish_up_to_now(catalog, options, None)
    }
}

/// The live generation, unless it must be made anew; says why in a notice.
fn usable_generation(
    collection: &Path,
    catalog: &Catalog,
    fingerprint: &Fingerprint,
    name: &str,
    notices: &mut Vec<String>,
) -> Result<Option<(Generation, Manifest)>, IndexError> {
    let found = Generation::current(collection).and_then(|generation| {
        generation
            .map(|generation| Manifest::load(&generation.manifest()).map(|m| (generation, m)))
            .transpose()
    });
    let reason = match found {
        Ok(Some((generation, manifest))) => {
            if manifest.catalog != name {
                "the index was made from another catalog".to_owned()
            } else if manifest.fingerprint != *fingerprint {
                "the index was made with another fingerprint".to_owned()
            } else {
                return Ok(Some((generation, manifest)));
            }
        }
        Ok(None) if catalog.last_sequence()? == SequenceNumber(0) => return Ok(None),
        Ok(None) => "there is no index yet".to_owned(),
        Err(IndexError::Damaged { path, detail }) => format!("{path} is damaged: {detail}"),
        Err(error) => return Err(error),
    };
    notices.push(format!("{reason}; everything derived is made again from the catalog"));
    Ok(None)
}

fn new_parts(
    collection: &Path,
    catalog: &Catalog,
    fingerprint: &Fingerprint,
    name: &str,
    options: &IndexOptions,
    progress: &mut dyn FnMut(RebuildProgress),
) -> Result<Parts, IndexError> {
    let Build { generation, manifest, lexical } =
        build_generation(collection, catalog, fingerprint, name, options, progress)?;
    let segments = manifest
        .segments
        .iter()
        .map(|entry| Segment::open(&generation, entry, false))
        .collect::<Result<_, _>>()?;
    generation.make_current(collection)?;
    // Token codes become segments when the first snapshot is published.
    Ok(Parts { generation, manifest, segments, token_segments: Vec::new(), lexical })
}

/// Opens the parts; a damaged one is left out or made again.
fn open_or_mend(
    catalog: &Catalog,
    options: &IndexOptions,
    generation: Generation,
    mut manifest: Manifest,
    notices: &mut Vec<String>,
) -> Result<Parts, IndexError> {
    let full_check = bytes_below(generation.folder()) <= options.full_check_limit_bytes;
    let before = manifest.clone();
    let mut segments = Vec::new();
    create_folder(&generation.vectors())?;
    manifest.segments.retain(|entry| match Segment::open(&generation, entry, full_check) {
        Ok(segment) => {
            segments.push(segment);
            true
        }
        Err(error) => {
            notices.push(format!("{error}; its vectors are taken from the catalog again"));
            false
        }
    });
    let token_segments = open_token_segments(&generation, &mut manifest, full_check, notices)?;
    let folder = generation.lexical(&manifest);
    let lexical = match open_lexical(&folder, full_check, catalog.last_sequence()?) {
        Ok(lexical) => lexical,
        Err(detail) => {
            notices.push(format!("{}: {detail}; it is made again from the catalog", folder.display()));
            manifest.lexical = next_lexical_name(&manifest.lexical);
            build_lexical(&generation.lexical(&manifest), &catalog.view()?, &mut |_| ())?
        }
    };
    if manifest != before {
        manifest.store(&generation.manifest())?;
    }
    Ok(Parts { generation, manifest, segments, token_segments, lexical })
}

fn open_lexical(folder: &Path, full_check: bool, last: SequenceNumber) -> Result<LexicalIndex, String> {
    if !folder.is_dir() {
        return Err("it is missing".to_owned());
    }
    sweep_deletion_files(folder).map_err(|error| error.to_string())?;
    if full_check {
        LexicalIndex::verify(folder).map_err(|error| error.to_string())?;
    }
    let lexical = LexicalIndex::open_or_create(folder).map_err(|error| error.to_string())?;
    let sequence = lexical.sequence();
    if sequence > last {
        return Err(format!("it is at change {sequence}, but the catalog ends at {last}"));
    }
    Ok(lexical)
}

/// `lexical`, `lexical-2`, `lexical-3`: the damaged folder stays untouched until the manifest names the
/// new one.
fn next_lexical_name(name: &str) -> String {
    let number = name.strip_prefix("lexical-").and_then(|number| number.parse::<u64>().ok()).unwrap_or(1);
    format!("lexical-{}", number.saturating_add(1))
}
