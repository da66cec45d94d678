//! Wiring of what comes after fusion: reranker, calibration, cut-off.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use adit_core::Reranker;
use adit_eval::calibration::CalibrationFile;
use adit_ingest::{Home, RerankSection, Settings};
use adit_model::{CrossEncoder, ModelStore, Precision};
use adit_retrieve::{RerankSettings, Retriever};

use crate::arguments::RerankArguments;
use crate::failure::Failure;
use crate::language_model::hosted_reranker;
use crate::output::note;
use crate::progress::DownloadLine;

/// The calibration inside a home.
const CALIBRATION: &str = "calibration.json";

/// Where a home keeps its calibration.
pub(crate) fn calibration_file(home: &Home) -> PathBuf {
    home.folder().join(CALIBRATION)
}

/// The settings with the reranker that a command line names.
pub(crate) fn with_arguments(settings: Settings, arguments: &RerankArguments) -> Settings {
    let model = arguments.model.clone().unwrap_or_else(|| settings.rerank.model.clone());
    Settings { rerank: RerankSection { model, ..settings.rerank }, ..settings }
}

/// Attaches what the settings ask for, and the home's calibration where it fits.
pub(crate) fn attach(retriever: Retriever, home: &Home, settings: &Settings) -> Result<Retriever, Failure> {
    let section = &settings.rerank;
    let retriever = match hosted_reranker(home, settings)? {
        Some(reranker) => retriever.with_reranker(reranker),
        None => attach_reranker(retriever, settings)?,
    };
    let calibrated = match CalibrationFile::read(&calibration_file(home))? {
        None => retriever,
        Some(file) => match retriever.clone().with_calibration(file.calibration) {
            Ok(calibrated) => calibrated,
            // A cut-off must not silently be none.
            Err(error) if section.cut_off.is_some() => return Err(error.into()),
            Err(error) => {
                note(&format!("notice: no probabilities of relevance: {error}"));
                retriever
            }
        },
    };
    Ok(calibrated.with_rerank_settings(rerank_settings(section))?)
}

/// Attaches the reranker alone: for a calibration, which must see every candidate.
pub(crate) fn attach_reranker(retriever: Retriever, settings: &Settings) -> Result<Retriever, Failure> {
    let section = &settings.rerank;
    let Some(name) = section.named_model() else { return Ok(retriever) };
    let reranker = load_reranker(name, &section.precision, settings.model.resolved_threads())?;
    let uncut = RerankSettings { cut_off: None, ..rerank_settings(section) };
    Ok(retriever.with_reranker(reranker).with_rerank_settings(uncut)?)
}

fn rerank_settings(section: &RerankSection) -> RerankSettings {
    RerankSettings {
        top_n: section.top_n,
        deadline: Duration::from_millis(section.deadline_ms),
        cut_off: section.cut_off,
    }
}

/// Loads a reranker by its name; a local cross-encoder is fetched first where it is not in the cache.
pub(crate) fn load_reranker(
    name: &str,
    precision: &str,
    threads: usize,
) -> Result<Arc<dyn Reranker>, Failure> {
    let precision: Precision = precision
        .parse()
        .map_err(|error: String| Failure::usage(error, "set rerank.precision in adit.toml to int8 or f32"))?;
    let store = ModelStore::open(None)?;
    let mut line = DownloadLine::default();
    let folder = store.ensure_cross_encoder(name, &mut |progress| line.show(&progress));
    line.finish();
    Ok(Arc::new(CrossEncoder::load(&folder?, precision, threads)?))
}

/// What a failure to attach leaves: a search goes on in fused order, unless a cut-off was asked for.
pub(crate) fn attach_or_note(
    retriever: Retriever,
    home: &Home,
    settings: &Settings,
) -> Result<Retriever, Failure> {
    match attach(retriever.clone(), home, settings) {
        Ok(retriever) => Ok(retriever),
        Err(failure) if settings.rerank.cut_off.is_none() && settings.rerank.named_model().is_some() => {
            note(&format!("notice: not reranking, the reranker is not there: {failure}"));
            let plain = Settings { rerank: RerankSection::default(), ..settings.clone() };
            attach(retriever, home, &plain)
        }
        Err(failure) => Err(failure),
    }
}
