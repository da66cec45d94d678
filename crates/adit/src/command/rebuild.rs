use std::path::Path;
use std::sync::Arc;

use adit_catalog::Catalog;
use adit_core::{Embedder, Fingerprint, IndexError};
use adit_index::IndexOptions;
use adit_ingest::{Settings, TokenCoder};

use crate::arguments::RebuildArguments;
use crate::engine::{existing_home, load_embedder, open_index_writer};
use crate::failure::{Exit, Failure};
use crate::output::{Output, note};

pub(super) fn run(home: Option<&Path>, arguments: RebuildArguments, output: Output) -> Result<Exit, Failure> {
    let (home, settings) = existing_home(home)?;
    let catalog = Arc::new(Catalog::create_or_open(&home.catalog_file())?);
    if arguments.late_interaction {
        fill_token_codes(&catalog, &settings)?;
    }
    let index = open_index_writer(&home, &catalog, IndexOptions::default())?;
    index.rebuild(&mut |progress| note(&progress.to_string()))?;
    let statistics = index.statistics();
    output.result(&statistics, |statistics| {
        format!("rebuilt from the catalog: {} live chunks", statistics.live_chunks)
    })?;
    Ok(Exit::Done)
}

/// Token codes for all chunks, as the settings want them made.
fn fill_token_codes(catalog: &Catalog, settings: &Settings) -> Result<(), Failure> {
    let Some(stored) = catalog.fingerprint()? else {
        return Err(Failure::usage("nothing is indexed here yet", "run `adit index PATH` first"));
    };
    let model = &settings.model;
    let embedder = load_embedder(&model.name, &model.precision, model.resolved_threads())?;
    let given = Fingerprint { embedder: embedder.description().clone(), ..stored.clone() };
    if given != stored {
        let error = IndexError::FingerprintMismatch { index: Box::new(stored), given: Box::new(given) };
        return Err(error.into());
    }
    let section = &settings.late_interaction;
    let coder = TokenCoder::start(catalog, &embedder, section.code_bits(), section.pooling)?;
    let Some(coder) = coder else {
        return Err(Failure::usage(
            format!("{} gives no token vectors", model.name),
            "late interaction needs an embedding model that runs here",
        ));
    };
    let filled =
        coder.fill(catalog, &embedder, &mut |seen| note(&format!("{seen} chunks without codes read")))?;
    note(&format!("token codes of {} chunks made", filled.filled_chunks));
    if filled.too_long_chunks > 0 {
        note(&format!(
            "{} chunks are longer than the model's window and stay without token codes",
            filled.too_long_chunks
        ));
    }
    Ok(())
}
