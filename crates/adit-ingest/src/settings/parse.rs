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
}

impl Default for ParseSection {
    fn default() -> Self {
        let limits = adit_parse::ParseLimits::default();
        Self {
            max_file_bytes: limits.max_file_bytes,
            timeout_ms: limits.timeout_ms,
            memory_limit_bytes: limits.memory_limit_bytes,
        }
    }
}

impl From<&ParseSection> for adit_parse::ParseLimits {
    fn from(section: &ParseSection) -> Self {
        Self {
            max_file_bytes: section.max_file_bytes,
            timeout_ms: section.timeout_ms,
            memory_limit_bytes: section.memory_limit_bytes,
        }
    }
}
