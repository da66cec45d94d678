use std::io::Read;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::{DownloadProgress, ModelCard, ModelFolder, TemporaryFolder};
use crate::ModelError;
use crate::bert::read_bounded;

/// Written after every file's sha256 was compared, so that a start compares sizes only.
const MARKER_FILE: &str = "verified.json";
const CONVERTED_FOLDER: &str = "converted";

/// A known model and whether it is on this machine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ModelStatus {
    /// Its name.
    pub name: String,
    /// Length of its files.
    pub size_bytes: u64,
    /// SPDX identifier of its licence.
    pub licence: String,
    /// Where it is, or would be.
    pub folder: PathBuf,
    /// Whether it is there and was verified.
    pub is_cached: bool,
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Marker {
    files: Vec<(String, u64, String)>,
}

impl Marker {
    fn of(card: &ModelCard) -> Self {
        let file = |file: &super::ModelFile| (file.name.to_owned(), file.size_bytes, file.sha256.to_owned());
        Self { files: card.files.iter().map(file).collect() }
    }
}

pub(super) fn model_path(cache_folder: &Path, card: &ModelCard) -> PathBuf {
    cache_folder.join(card.name)
}

/// Where converted weights of models lie.
pub(super) fn converted_path(cache_folder: &Path) -> PathBuf {
    cache_folder.join(CONVERTED_FOLDER)
}

pub(super) fn status(cache_folder: &Path, card: &ModelCard) -> ModelStatus {
    ModelStatus {
        name: card.name.to_owned(),
        size_bytes: card.size_bytes(),
        licence: card.licence.to_owned(),
        folder: model_path(cache_folder, card),
        is_cached: find(cache_folder, card).is_some(),
    }
}

/// The model's folder if it is whole: verified once, and every file still of its length.
pub(super) fn find(cache_folder: &Path, card: &ModelCard) -> Option<ModelFolder> {
    let path = model_path(cache_folder, card);
    let marker: Marker = serde_json::from_slice(&read_bounded(&path, MARKER_FILE).ok()?).ok()?;
    let has_sizes = card.files.iter().all(|file| {
        fs_err::metadata(path.join(file.name)).is_ok_and(|metadata| metadata.len() == file.size_bytes)
    });
    (marker == Marker::of(card) && has_sizes).then(|| ModelFolder {
        name: card.name.to_owned(),
        path,
        weights_sha256: card.weights_sha256().to_owned(),
        converted: Some(converted_path(cache_folder)),
    })
}

/// Compares length and sha256 of every file of `card` in `folder`.
pub(super) fn verify_files(
    folder: &Path,
    card: &ModelCard,
    progress: &mut dyn FnMut(DownloadProgress),
) -> Result<(), ModelError> {
    for file in card.files {
        progress(DownloadProgress::Verifying { file: file.name.to_owned() });
        let path = folder.join(file.name);
        let Ok(metadata) = fs_err::metadata(&path) else {
            return Err(ModelError::MissingFile { folder: folder.to_owned(), file: file.name.to_owned() });
        };
        if metadata.len() != file.size_bytes {
            return Err(ModelError::damaged(
                &path,
                format!("{} bytes instead of {}", metadata.len(), file.size_bytes),
            ));
        }
        check_sha256(&path, file.sha256)?;
    }
    Ok(())
}

/// Moves a verified folder to its place in the cache.
pub(super) fn publish(
    folder: TemporaryFolder,
    cache_folder: &Path,
    card: &ModelCard,
) -> Result<ModelFolder, ModelError> {
    let marker = serde_json::to_vec_pretty(&Marker::of(card)).map_err(ModelError::runtime)?;
    fs_err::write(folder.path().join(MARKER_FILE), marker)?;
    // Another process may have been faster; its files are the same.
    if find(cache_folder, card).is_none() {
        folder.publish(&model_path(cache_folder, card))?;
    }
    find(cache_folder, card)
        .ok_or_else(|| ModelError::damaged(&model_path(cache_folder, card), "not whole after it was written"))
}

/// Compares the sha256 of the file at `path`.
pub(super) fn check_sha256(path: &Path, expected: &str) -> Result<(), ModelError> {
    let actual = sha256_of(path)?;
    if actual == expected {
        return Ok(());
    }
    Err(ModelError::damaged(path, format!("sha256 is {actual}, not {expected}")))
}

/// sha256 of the file at `path` in hexadecimal.
pub(super) fn sha256_of(path: &Path) -> Result<String, ModelError> {
    let mut file = fs_err::File::open(path)?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0_u8; 1 << 16];
    loop {
        let read = file.read(&mut buffer)?;
        let Some(bytes) = buffer.get(..read).filter(|bytes| !bytes.is_empty()) else { break };
        hasher.update(bytes);
    }
    Ok(hexadecimal(&hasher.finalize()))
}

pub(super) fn hexadecimal(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}
