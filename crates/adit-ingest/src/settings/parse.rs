use serde::{Deserialize, Serialize};

/// Limits for one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ParseSection {
    /// Larger files are reported as failed.
    pub max_file_bytes: u64,
    /// Wall time for one PDF.
    pub timeout_ms: u64,
    /// Memory for one PDF.
    pub memory_limit_bytes: u64,
    /// Files inside one file (archive, mailbox), those of inner containers included.
    pub max_container_entries: u64,
    /// Bytes one file may unpack to, those of inner containers included.
    pub max_container_bytes: u64,
    /// Unpacked bytes for each packed byte, once more than 16 MiB came out.
    pub max_container_ratio: u64,
    /// Containers inside each other that are opened; 1 opens the file itself only.
    pub max_container_depth: u64,
}

impl Default for ParseSection {
    fn default() -> Self {
        let limits = adit_parse::ParseLimits::default();
        Self {
            max_file_bytes: limits.max_file_bytes,
            timeout_ms: limits.timeout_ms,
            memory_limit_bytes: limits.memory_limit_bytes,
            max_container_entries: limits.max_container_entries,
            max_container_bytes: limits.max_container_bytes,
            max_container_ratio: limits.max_container_ratio,
            max_container_depth: limits.max_container_depth,
        }
    }
}

impl From<&ParseSection> for adit_parse::ParseLimits {
    fn from(section: &ParseSection) -> Self {
        Self {
            max_file_bytes: section.max_file_bytes,
            timeout_ms: section.timeout_ms,
            memory_limit_bytes: section.memory_limit_bytes,
            max_container_entries: section.max_container_entries,
            max_container_bytes: section.max_container_bytes,
            max_container_ratio: section.max_container_ratio,
            max_container_depth: section.max_container_depth,
        }
    }
}
