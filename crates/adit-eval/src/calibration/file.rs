use std::io::{Read, Write};
use std::path::Path;

use adit_core::Calibration;
use serde::{Deserialize, Serialize};

use super::ChosenCalibration;
use crate::EvalError;

const MAGIC: &str = "adit calibration";
const VERSION: u32 = 1;
/// A curve has at most as many points as labelled passages.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// A calibration as it is kept, with what speaks for it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CalibrationFile {
    magic: String,
    version: u32,
    /// The map and what it was fitted on.
    pub calibration: Calibration,
    /// Held-out figures.
    pub evidence: ChosenCalibration,
}

impl CalibrationFile {
    /// A file to be written.
    #[must_use]
    pub fn new(calibration: Calibration, evidence: ChosenCalibration) -> Self {
        Self { magic: MAGIC.to_owned(), version: VERSION, calibration, evidence }
    }

    /// Reads and checks the calibration at `path`; `None` where there is none.
    ///
    /// # Errors
    /// [`EvalError::Calibration`] for a file that is not one, of another version, or with a curve that falls.
    pub fn read(path: &Path) -> Result<Option<Self>, EvalError> {
        let problem = |detail: String| EvalError::Calibration { path: path.to_owned(), detail };
        let file = match fs_err::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut bytes = Vec::new();
        file.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(problem(format!("it is larger than {MAX_FILE_BYTES} bytes")));
        }
        let read: Self = serde_json::from_slice(&bytes).map_err(|error| problem(error.to_string()))?;
        if read.magic != MAGIC || read.version != VERSION {
            return Err(problem(format!("it says `{}`, version {}", read.magic, read.version)));
        }
        read.calibration.curve.check().map_err(problem)?;
        Ok(Some(read))
    }

    /// Writes it whole or not at all.
    ///
    /// # Errors
    /// [`EvalError::Io`].
    pub fn write(&self, path: &Path) -> Result<(), EvalError> {
        let bytes = serde_json::to_vec_pretty(self).map_err(std::io::Error::other)?;
        let unfinished = path.with_extension("json.new");
        let mut file = fs_err::File::create(&unfinished)?;
        file.write_all(&bytes)?;
        file.sync_all()?;
        fs_err::rename(&unfinished, path)?;
        Ok(())
    }
}
