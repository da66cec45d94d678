//! Wiring: from a home directory and its settings to a catalog, an index, a model and a retriever.

use std::path::Path;
use std::sync::Arc;

use adit_catalog::Catalog;
use adit_chunk::{ChunkSettings, chunker_by_name};
use adit_core::{Chunker, Embedder, Filter, Fingerprint, IndexError, Principal, Scope, TenantId};
use adit_index::{IndexOptions, SearchIndex};
use adit_ingest::{AccessRules, FolderSource, Home, IngestError, Pipeline, Settings, TokenCoder};
use adit_model::{BertEmbedder, ModelFolder, ModelStore, Precision};
use adit_parse::{GuardedParser, ParseLimits};

use crate::arguments::{FilterArguments, ScopeArguments};
use crate::failure::Failure;
use crate::output::note;
use crate::progress::DownloadLine;

/// Enrichment that is always on: the heading path above the words.
const ENRICHMENT: &str = "heading_path/1";

/// The scope a reader asked for.
pub(crate) fn scope(arguments: &ScopeArguments) -> Result<Scope, Failure> {
    let tenant = TenantId::new(&arguments.tenant)
        .map_err(|error| Failure::usage(error.to_string(), "name one: `--tenant NAME`"))?;
    Ok(Scope::new(tenant, arguments.principals.iter().cloned().map(Principal)))
}

/// The home of a command that needs one to be there, with its settings.
pub(crate) fn existing_home(named: Option<&Path>) -> Result<(Home, Settings), Failure> {
    let home = Home::find(named, &current_folder()?)?;
    let settings = Settings::load(&home.settings_file())?;
    Ok((home, settings))
}

/// The home of a command that may make one.
pub(crate) fn home_to_fill(named: Option<&Path>) -> Result<(Home, Settings), Failure> {
    let home = Home::find_or_create(named, &current_folder()?)?;
    let settings = Settings::load(&home.settings_file())?;
    Ok((home, settings))
}

pub(crate) fn current_folder() -> Result<std::path::PathBuf, Failure> {
    std::env::current_dir().map_err(|error| Failure::world(format!("the current folder is gone: {error}")))
}

/// The filter a reader asked for.
pub(crate) fn filter(arguments: &FilterArguments) -> Result<Filter, Failure> {
    Filter::parse(&arguments.filters)
        .map_err(|error| Failure::usage(error.to_string(), "for example `--filter type=pdf`"))
}

/// Loads the embedding model, fetching it first where it is not in the cache.
pub(crate) fn load_embedder(name: &str, precision: &str, threads: usize) -> Result<BertEmbedder, Failure> {
    let precision: Precision = precision
        .parse()
        .map_err(|error: String| Failure::usage(error, "set model.precision in adit.toml to int8 or f32"))?;
    let folder = fetch_model(&ModelStore::open(None)?, name)?;
    Ok(BertEmbedder::load(&folder, precision, threads)?)
}

/// Finds or fetches a model, showing how it goes.
pub(crate) fn fetch_model(store: &ModelStore, name: &str) -> Result<ModelFolder, Failure> {
    let mut line = DownloadLine::default();
    let folder = store.ensure(name, &mut |progress| line.show(&progress));
    line.finish();
    Ok(folder?)
}

/// The chunker that `settings` ask for.
pub(crate) fn chunker(settings: &Settings) -> Result<Box<dyn Chunker>, Failure> {
    let sizes = ChunkSettings {
        size_tokens: settings.chunk.size_tokens,
        overlap_tokens: settings.chunk.overlap_tokens,
    };
    Ok(chunker_by_name(&settings.chunk.strategy, sizes)?)
}

/// Everything that decides whether vectors and terms may be compared.
pub(crate) fn fingerprint(embedder: &dyn Embedder, chunker: &dyn Chunker) -> Fingerprint {
    Fingerprint {
        embedder: embedder.description().clone(),
        chunker: chunker.description(),
        enrichment: ENRICHMENT.to_owned(),
        analyser: adit_lexical::ANALYSER_VERSION.to_owned(),
    }
}

/// A home opened for writing: catalog, locked index, and the pipeline over them.
pub(crate) struct Writer {
    pub(crate) index: Arc<SearchIndex>,
    pub(crate) pipeline: Pipeline,
}

/// Opens `home` for indexing.
pub(crate) fn open_writer(home: &Home, settings: &Settings, reindex: bool) -> Result<Writer, Failure> {
    let rules = AccessRules::compile(&settings.access)
        .map_err(|detail| IngestError::Settings { path: home.settings_file(), detail })?;
    let chunker = chunker(settings)?;
    let embedder =
        load_embedder(&settings.model.name, &settings.model.precision, settings.model.resolved_threads())?;
    let wanted = fingerprint(&embedder, chunker.as_ref());
    let catalog = Arc::new(Catalog::create_or_open(&home.catalog_file())?);
    if reindex {
        catalog.reset_for_fingerprint(&wanted)?;
    } else {
        catalog.set_fingerprint(&wanted)?;
    }
    let token_coder = token_coder(settings, &catalog, &embedder)?;
    let options = IndexOptions { fingerprint: Some(wanted), ..IndexOptions::default() };
    let index = Arc::new(open_index_writer(home, &catalog, options)?);
    let pipeline = Pipeline {
        catalog,
        index: Arc::clone(&index),
        parser: Arc::new(GuardedParser::new(own_program()?, ParseLimits::from(&settings.parse))),
        chunker: Arc::from(chunker),
        embedder: Arc::new(embedder),
        token_coder,
        source: FolderSource::new(home.base_folder()?),
        rules,
        max_file_bytes: settings.parse.max_file_bytes,
    };
    Ok(Writer { index, pipeline })
}

/// What keeps token codes beside the vectors, where the settings want them. Codes that were made with other
/// settings are gone on with, and that is said: mixing two makes is impossible.
fn token_coder(
    settings: &Settings,
    catalog: &Catalog,
    embedder: &dyn Embedder,
) -> Result<Option<TokenCoder>, Failure> {
    let section = &settings.late_interaction;
    if !section.enabled {
        return Ok(None);
    }
    let coder = TokenCoder::open(catalog, embedder, section.code_bits(), section.pooling)?;
    if let Some(coder) = &coder
        && (coder.make().pooling != section.pooling || coder.make().bits != section.code_bits())
    {
        note(
            "notice: the token codes here were made with other settings of late_interaction and stay as they \
             are; `adit rebuild --late-interaction` makes them anew",
        );
    }
    Ok(coder)
}

/// Opens the derived index for writing and tells what had to be mended.
pub(crate) fn open_index_writer(
    home: &Home,
    catalog: &Arc<Catalog>,
    options: IndexOptions,
) -> Result<SearchIndex, IndexError> {
    let index = SearchIndex::open_writer(&home.derived_folder(), Arc::clone(catalog), options)?;
    for notice in index.notices() {
        note(&format!("notice: {notice}"));
    }
    Ok(index)
}

/// This program's own path, for the guarded child process.
pub(crate) fn own_program() -> Result<std::path::PathBuf, Failure> {
    std::env::current_exe()
        .map_err(|error| Failure::world(format!("cannot find this program's file: {error}")))
}
