use adit_core::ParseError;
use serde::{Deserialize, Serialize};

/// What one file may cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ParseLimits {
    /// Largest file that is read at all.
    pub max_file_bytes: u64,
    /// Wall time of the guarded child process, in milliseconds.
    pub timeout_ms: u64,
    /// Address space of the guarded child process.
    pub memory_limit_bytes: u64,
    /// Files inside one file, those of inner containers included.
    pub max_container_entries: u64,
    /// Bytes one file may unpack to, those of inner containers included.
    pub max_container_bytes: u64,
    /// Unpacked bytes for each packed byte, once more than 16 MiB came out.
    pub max_container_ratio: u64,
    /// Containers inside each other that are opened; 1 opens the file itself only.
    pub max_container_depth: u64,
}

impl Default for ParseLimits {
    fn default() -> Self {
        Self {
            max_file_bytes: 256 << 20,
            timeout_ms: 120_000,
            memory_limit_bytes: 2 << 30,
            max_container_entries: 100_000,
            max_container_bytes: 4 << 30,
            max_container_ratio: 250,
            max_container_depth: 3,
        }
    }
}

impl ParseLimits {
    /// Refuses a file above the limit.
    pub(crate) fn check_size(&self, bytes: &[u8]) -> Result<(), ParseError> {
        let size_bytes = bytes.len() as u64;
        if size_bytes > self.max_file_bytes {
            return Err(ParseError::TooLarge { size_bytes, limit_bytes: self.max_file_bytes });
        }
        Ok(())
    }
}
