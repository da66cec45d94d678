use serde::{Deserialize, Serialize};

use crate::TextFinding;

/// How a file's bytes became characters.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct EncodingReport {
    /// WHATWG name of the encoding used, such as `UTF-8` or `windows-1252`.
    pub name: String,
    /// `bom`, `utf8`, `detected` or `declared`.
    pub source: String,
    /// Bytes that were no valid text in that encoding and became U+FFFD.
    pub replacement_characters: u64,
    /// Sequences that look like text decoded twice (`Ã©`).
    pub suspected_mojibake: u64,
}

/// What went into parsing a file and what came out; the proof that nothing was lost in silence.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
pub struct Coverage {
    /// Bytes read.
    pub bytes_in: u64,
    /// Characters of extracted text.
    pub characters_out: u64,
    /// Pages in the file, 0 where the format has none.
    pub pages_in: u32,
    /// Pages that gave no text, from 1.
    pub pages_without_text: Vec<u32>,
    /// For text formats.
    pub encoding: Option<EncodingReport>,
    /// Anything a person should know, one sentence each.
    pub warnings: Vec<String>,
    /// Hidden and instruction-like pieces of the text, by position.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<TextFinding>,
}
