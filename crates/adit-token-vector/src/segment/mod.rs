//! One immutable segment of token codes: its file, and how it is built and read.

pub(crate) mod builder;
pub(crate) mod file;
pub(crate) mod header;

use serde::{Deserialize, Serialize};

/// What a manifest must remember of a segment to open it again and to notice when it is another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenSegmentInfo {
    /// Its only file, relative to the folder it was built in.
    pub file_name: String,
    /// Size of the file.
    pub file_bytes: u64,
    /// CRC-32 of the file's header, which holds the CRC-32 of every section.
    pub header_crc32: u32,
    /// [`crate::TokenCodeMake::hash`] of what made the codes.
    pub make_hash: String,
    /// How many chunks.
    pub chunks: u32,
}
