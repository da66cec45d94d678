//! Files that grow by one JSON value a line. A line that an interrupted run left half written is passed over.

use std::io::Write;
use std::path::Path;

use serde::Serialize;

use crate::QualityError;

pub(crate) fn append<T: Serialize>(path: &Path, value: &T) -> Result<(), QualityError> {
    let failed = |source| QualityError::File { path: path.to_path_buf(), source };
    let mut line = serde_json::to_vec(value).map_err(|error| failed(error.into()))?;
    line.push(b'\n');
    let file = std::fs::OpenOptions::new().create(true).append(true).open(path);
    file.and_then(|mut file| file.write_all(&line)).map_err(failed)
}
