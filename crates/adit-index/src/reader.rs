use std::path::Path;
use std::sync::Arc;

use adit_catalog::Catalog;
use adit_core::IndexError;
use adit_lexical::open_searcher;

use crate::allowed::AllowedChunks;
use crate::catalog_ties::{NAME_KEY, wanted_fingerprint};
use crate::document_table::DocumentTable;
use crate::engine_errors::lexical_error;
use crate::files::damaged;
use crate::generation::{Generation, current_file};
use crate::manifest::{Manifest, missing_or_io};
use crate::options::IndexOptions;
use crate::segment::Segment;
use crate::snapshot::Snapshot;
use crate::tail::vector_set;
use crate::token_codes::TokenSide;
use crate::token_segment::OpenTokenSegment;

/// The writer may remove a file between our reading its name and opening it; then we look again.
const ATTEMPTS: usize = 5;

/// What a process that only searches remembers between refreshes.
pub(crate) struct Reader {
    seen: Seen,
}

/// Changes whenever the writer publishes.
#[derive(PartialEq)]
struct Seen {
    generation: String,
    manifest: Manifest,
    /// Bytes of the file that names tantivy's segments and carries the sequence number.
    lexical_state: Vec<u8>,
}

impl Reader {
    pub(crate) fn open(
        collection: &Path,
        catalog: &Catalog,
        options: &IndexOptions,
    ) -> Result<(Self, Snapshot), IndexError> {
        let (seen, snapshot) = attempt(|| load(collection, catalog, options, None))?;
        Ok((Self { seen }, snapshot))
    }

    /// `None` when nothing was published since.
    pub(crate) fn refresh(
        &mut self,
        collection: &Path,
        catalog: &Catalog,
        options: &IndexOptions,
        published: &Snapshot,
    ) -> Result<Option<Snapshot>, IndexError> {
        let now = attempt(|| look(collection))?;
        if now == self.seen {
            return Ok(None);
        }
        let (seen, snapshot) = attempt(|| load(collection, catalog, options, Some(published)))?;
        self.seen = seen;
        Ok(Some(snapshot))
    }
}

fn attempt<T>(mut load: impl FnMut() -> Result<T, IndexError>) -> Result<T, IndexError> {
    let mut result = load();
    for _ in 1..ATTEMPTS {
        match result {
            Ok(_) | Err(IndexError::FingerprintMismatch { .. } | IndexError::NewerFormat { .. }) => break,
            Err(_) => result = load(),
        }
    }
    result
}

fn look(collection: &Path) -> Result<Seen, IndexError> {
    let (generation, manifest) = live(collection)?;
    see(&generation, manifest)
}

fn see(generation: &Generation, manifest: Manifest) -> Result<Seen, IndexError> {
    let path = generation.lexical(&manifest).join("meta.json");
    let lexical_state = fs_err::read(&path).map_err(|error| missing_or_io(&path, error))?;
    Ok(Seen { generation: generation.name().to_owned(), manifest, lexical_state })
}

fn live(collection: &Path) -> Result<(Generation, Manifest), IndexError> {
    let generation = Generation::current(collection)?
        .ok_or_else(|| damaged(&current_file(collection), "it is missing"))?;
    let manifest = Manifest::load(&generation.manifest())?;
    Ok((generation, manifest))
}

fn load(
    collection: &Path,
    catalog: &Catalog,
    options: &IndexOptions,
    published: Option<&Snapshot>,
) -> Result<(Seen, Snapshot), IndexError> {
    let (generation, manifest) = live(collection)?;
    // What was seen is noted before it is opened: whatever comes in between shows at the next refresh.
    let seen = see(&generation, manifest)?;
    let manifest = &seen.manifest;
    let same_generation = published.filter(|one| one.generation.name() == generation.name());
    let lexical = match same_generation.filter(|one| one.lexical_folder == manifest.lexical) {
        Some(one) => one.lexical.refresh(),
        None => open_searcher(&generation.lexical(manifest)),
    };
    let lexical = lexical.map_err(lexical_error)?;
    // The searcher first: whatever it contains is in the catalog already.
    let sequence = lexical.sequence();
    let view = catalog.view()?;
    let fingerprint = wanted_fingerprint(&view, options)?;
    if fingerprint != manifest.fingerprint {
        return Err(IndexError::FingerprintMismatch {
            index: Box::new(manifest.fingerprint.clone()),
            given: Box::new(fingerprint),
        });
    }
    if view.setting(NAME_KEY)?.as_deref() != Some(manifest.catalog.as_str()) {
        return Err(damaged(&generation.manifest(), "it belongs to another catalog"));
    }
    if sequence > view.last_sequence() {
        return Err(damaged(&generation.lexical(manifest), "it is ahead of the catalog"));
    }
    let mut segments = Vec::new();
    for entry in &manifest.segments {
        let open = same_generation.and_then(|one| one.segments.iter().find(|open| open.entry == *entry));
        segments.push(match open {
            Some(segment) => Arc::clone(segment),
            None => Segment::open(&generation, entry, false)?,
        });
    }
    let mut token_segments = Vec::new();
    for entry in &manifest.token_segments {
        let open = same_generation.and_then(|one| one.tokens.open_segment(entry));
        token_segments.push(match open {
            Some(segment) => segment,
            None => OpenTokenSegment::open(&generation, entry, false)?,
        });
    }
    let table = Arc::new(DocumentTable::new(view.documents_at(sequence)?));
    let previous_tokens = same_generation.map(|one| &one.tokens);
    let tokens = TokenSide::collect(&token_segments, previous_tokens, table.live(), &view)?;
    let previous = same_generation.map(|one| &one.vectors);
    let snapshot = Snapshot {
        sequence,
        vectors: vector_set(&fingerprint, &segments, previous, table.live(), &view)?,
        fingerprint: Arc::new(fingerprint),
        allowed: Arc::new(AllowedChunks::new(&table, options.cached_filters)),
        table,
        lexical,
        segments,
        tokens,
        tuned_ef: manifest.tuned_ef,
        lexical_folder: manifest.lexical.clone(),
        generation,
    };
    Ok((seen, snapshot))
}
