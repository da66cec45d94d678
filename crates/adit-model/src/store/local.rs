use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::cache::{check_sha256, converted_path, hexadecimal, sha256_of};
use super::registry::WEIGHTS;
use super::{ModelCard, ModelFolder};
use crate::ModelError;
use crate::bert::read_bounded;

/// Names a folder with a model, or a folder of such folders.
const VARIABLE: &str = "ADIT_MODEL_DIR";

/// The folder `$ADIT_MODEL_DIR` offers for `card`.
pub(super) fn from_environment(card: &ModelCard) -> Option<PathBuf> {
    let folder = PathBuf::from(std::env::var_os(VARIABLE).filter(|value| !value.is_empty())?);
    let named = folder.join(card.name);
    Some(if named.is_dir() { named } else { folder })
}

/// A known model in a folder of the user's: its weights must be the published ones.
pub(super) fn open_known(
    card: &ModelCard,
    path: &Path,
    cache_folder: &Path,
) -> Result<ModelFolder, ModelError> {
    let folder = open(card.name, path, cache_folder)?;
    if folder.weights_sha256 != card.weights_sha256() {
        check_sha256(&path.join(WEIGHTS), card.weights_sha256())?;
    }
    Ok(folder)
}

/// Any model folder of the user's, used where it lies.
pub(super) fn open(name: &str, path: &Path, cache_folder: &Path) -> Result<ModelFolder, ModelError> {
    for file in ["config.json", "tokenizer.json", WEIGHTS] {
        if !path.join(file).is_file() {
            return Err(ModelError::MissingFile { folder: path.to_owned(), file: file.to_owned() });
        }
    }
    let path = fs_err::canonicalize(path)?;
    Ok(ModelFolder {
        name: name.to_owned(),
        weights_sha256: remembered_sha256(&path.join(WEIGHTS), cache_folder)?,
        path,
        converted: Some(converted_path(cache_folder)),
    })
}

/// The last part of a path.
pub(super) fn folder_name(path: &Path) -> String {
    let path = fs_err::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    path.file_name().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[derive(Serialize, Deserialize, PartialEq, Eq)]
struct Remembered {
    path: PathBuf,
    size_bytes: u64,
    modified_ns: u128,
    sha256: String,
}

/// sha256 of a file, hashed again only when its length or time of change differs.
pub(super) fn remembered_sha256(path: &Path, cache_folder: &Path) -> Result<String, ModelError> {
    let metadata = fs_err::metadata(path)?;
    let modified_ns =
        metadata.modified()?.duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    let folder = cache_folder.join("hashes");
    let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
    let name = format!("{}.json", hexadecimal(digest.get(..8).unwrap_or(&digest)));
    let known: Option<Remembered> =
        read_bounded(&folder, &name).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    if let Some(known) = known
        && known.path == path
        && known.size_bytes == metadata.len()
        && known.modified_ns == modified_ns
    {
        return Ok(known.sha256);
    }
    let sha256 = sha256_of(path)?;
    let entry =
        Remembered { path: path.to_owned(), size_bytes: metadata.len(), modified_ns, sha256: sha256.clone() };
    if let Ok(bytes) = serde_json::to_vec_pretty(&entry) {
        // Only a memory: without it the file is hashed again.
        drop(fs_err::create_dir_all(&folder).and_then(|()| fs_err::write(folder.join(name), bytes)));
    }
    Ok(sha256)
}
