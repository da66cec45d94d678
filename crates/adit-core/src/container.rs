use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{MediaType, ParseError};

/// Between the source name of a file and the path of a document inside it: `mail.eml!/report.pdf`.
pub const CHILD_SEPARATOR: &str = "!/";

/// One file inside another: a member of an archive, an attachment, a message of a mailbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildFile {
    /// Path inside the container, with `/` between folders and [`CHILD_SEPARATOR`] between containers;
    /// relative, without `..`, unique in its container.
    pub path: String,
    /// Modification time, milliseconds since 1970, where the container knows one.
    pub modified_unix_ms: Option<i64>,
    /// Its bytes, or why they cannot be had.
    pub content: Result<Vec<u8>, ParseError>,
}

/// What unpacking one container came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expansion {
    /// What the container is.
    pub media_type: MediaType,
    /// Files directly in it.
    pub children: u64,
    /// Whether the container is also a document with words of its own, as a mail message is.
    pub has_own_text: bool,
}

/// A bound on what one file may unpack to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContainerLimit {
    /// Files inside, those of inner containers included.
    Entries,
    /// Unpacked bytes, those of inner containers included.
    TotalBytes,
    /// Unpacked bytes for each packed byte.
    Ratio,
    /// Containers inside containers.
    Depth,
}

impl fmt::Display for ContainerLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Entries => "files",
            Self::TotalBytes => "unpacked bytes",
            Self::Ratio => "unpacked bytes for each packed byte",
            Self::Depth => "containers inside each other",
        })
    }
}

/// The source name of a document inside the document named `container`.
#[must_use]
pub fn child_source(container: &str, path: &str) -> String {
    format!("{container}{CHILD_SEPARATOR}{path}")
}
