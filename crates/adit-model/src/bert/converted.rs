//! A model's converted form: the graph and the weights as rten reads them, kept in the cache so
//! that a start maps a file instead of quantising 90 MB.
//!
//! A folder `<weights sha256, 16 digits>-<precision>-v<version>` with `graph.onnx`, `weights.data`
//! and `manifest.json`; it is built under another name and renamed, so it is whole or absent.

use std::path::{Path, PathBuf};

use memmap2::Mmap;
use rten::{Model, ModelOptions};
use serde::{Deserialize, Serialize};

use super::config::read_bounded;
use super::onnx::{DATA_FILE, OnnxModel};
use super::weights::{WeightFile, Weights};
use crate::store::{ModelFolder, TemporaryFolder};
use crate::{ModelError, Precision};

/// Raised whenever the graph or the quantisation changes.
const CONVERSION_VERSION: u32 = 3;
const GRAPH_FILE: &str = "graph.onnx";
const MANIFEST_FILE: &str = "manifest.json";
const MAGIC: &str = "adit converted model";

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    magic: String,
    version: u32,
    source_sha256: String,
    precision: String,
    graph_bytes: u64,
    graph_crc32: u32,
    data_bytes: u64,
    /// Length of the part of the data file that every start checks: all but the word embeddings,
    /// of which a start touches only a few rows.
    checked_bytes: u64,
    checked_crc32: u32,
}

/// Makes a graph from a model's weights.
pub(crate) type GraphBuilder<'a> = dyn Fn(&Weights<'_>, Precision) -> Result<OnnxModel, ModelError> + 'a;

/// The model of `folder` as `build` makes it at `precision`. `form` keeps graphs apart that are built from the
/// same weights; empty for an embedder's. Taken from its converted form when there is one.
pub(crate) fn load_model(
    folder: &ModelFolder,
    form: &str,
    precision: Precision,
    build: &GraphBuilder<'_>,
) -> Result<Model, ModelError> {
    let target = folder.converted.as_ref().map(|root| root.join(converted_name(folder, form, precision)));
    if let Some(target) = &target
        && let Some(model) = open_converted(target, &folder.weights_sha256, precision)
    {
        return Ok(model);
    }
    let file = WeightFile::open(&folder.path)?;
    let model = build(&file.tensors()?, precision)?;
    if let Some(target) = &target
        && write_converted(target, &folder.weights_sha256, precision, &model).is_ok()
        && let Some(model) = open_converted(target, &folder.weights_sha256, precision)
    {
        return Ok(model);
    }
    // A cache that cannot be written costs time, not the search.
    options().external_data(DATA_FILE, model.data).load(model.graph).map_err(ModelError::runtime)
}

pub(crate) fn options() -> ModelOptions {
    let mut options = ModelOptions::with_all_ops();
    options.prepack_weights(true);
    options
}

fn converted_name(folder: &ModelFolder, form: &str, precision: Precision) -> String {
    format!("{}-{precision}{form}-v{CONVERSION_VERSION}", folder.revision())
}

/// `None` for a folder that is absent, of another version, or damaged: it is built again.
fn open_converted(target: &Path, source_sha256: &str, precision: Precision) -> Option<Model> {
    let bytes = read_bounded(target, MANIFEST_FILE).ok()?;
    let manifest: Manifest = serde_json::from_slice(&bytes).ok()?;
    let graph = read_bounded(target, GRAPH_FILE).ok()?;
    let data = fs_err::File::open(target.join(DATA_FILE)).ok()?;
    // SAFETY: a published converted folder is never written again, only replaced by a rename.
    let data = unsafe { Mmap::map(data.file()) }.ok()?;
    let checked = data.get(..usize::try_from(manifest.checked_bytes).ok()?)?;
    let actual = Manifest {
        magic: MAGIC.to_owned(),
        version: CONVERSION_VERSION,
        source_sha256: source_sha256.to_owned(),
        precision: precision.to_string(),
        graph_bytes: graph.len() as u64,
        graph_crc32: crc32fast::hash(&graph),
        data_bytes: data.len() as u64,
        checked_bytes: manifest.checked_bytes,
        checked_crc32: crc32fast::hash(checked),
    };
    if manifest != actual {
        return None;
    }
    // SAFETY: as above; the offsets in the graph were checked with it.
    unsafe { options().load_mmap(target.join(GRAPH_FILE)) }.ok()
}

fn write_converted(
    target: &Path,
    source_sha256: &str,
    precision: Precision,
    model: &OnnxModel,
) -> Result<(), ModelError> {
    let checked = model.data.get(..model.checked_bytes).unwrap_or(&model.data);
    let manifest = Manifest {
        magic: MAGIC.to_owned(),
        version: CONVERSION_VERSION,
        source_sha256: source_sha256.to_owned(),
        precision: precision.to_string(),
        graph_bytes: model.graph.len() as u64,
        graph_crc32: crc32fast::hash(&model.graph),
        data_bytes: model.data.len() as u64,
        checked_bytes: checked.len() as u64,
        checked_crc32: crc32fast::hash(checked),
    };
    let root = target.parent().map_or_else(PathBuf::new, Path::to_owned);
    let folder = TemporaryFolder::create(&root)?;
    fs_err::write(folder.path().join(GRAPH_FILE), &model.graph)?;
    fs_err::write(folder.path().join(DATA_FILE), &model.data)?;
    let manifest = serde_json::to_vec_pretty(&manifest).map_err(ModelError::runtime)?;
    fs_err::write(folder.path().join(MANIFEST_FILE), manifest)?;
    folder.publish(target)
}
