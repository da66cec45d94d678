use std::path::Path;

use super::Audit;
use crate::{QualityError, json_lines};

/// Bytes of the history that are read to find the last audit.
const TAIL_BYTES: u64 = 4 << 20;

/// Adds an audit to the history, one JSON line each, so that slow decay shows.
///
/// # Errors
/// [`QualityError::File`].
pub fn append_to_history(path: &Path, audit: &Audit) -> Result<(), QualityError> {
    json_lines::append(path, audit)
}

/// The audit before this one; `None` without a history. A line that an interrupted run left half written is
/// passed over.
///
/// # Errors
/// [`QualityError::File`].
pub fn last_of_history(path: &Path) -> Result<Option<Audit>, QualityError> {
    use std::io::{Read, Seek, SeekFrom};
    let failed = |source| QualityError::File { path: path.to_path_buf(), source };
    let mut file = match std::fs::File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let length = file.metadata().map_err(failed)?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL_BYTES))).map_err(failed)?;
    let mut bytes = Vec::new();
    file.take(TAIL_BYTES).read_to_end(&mut bytes).map_err(failed)?;
    let text = String::from_utf8_lossy(&bytes);
    Ok(text.lines().rev().find_map(|line| serde_json::from_str(line).ok()))
}
