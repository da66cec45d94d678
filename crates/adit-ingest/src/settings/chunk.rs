use serde::{Deserialize, Serialize};

/// How documents are cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ChunkSection {
    /// `structure` or `fixed`.
    pub strategy: String,
    /// Most tokens of a chunk, headings included; the model's window is the upper bound.
    pub size_tokens: usize,
    /// Tokens two neighbouring chunks of running text share.
    pub overlap_tokens: usize,
}

impl Default for ChunkSection {
    fn default() -> Self {
        Self { strategy: "structure".to_owned(), size_tokens: 400, overlap_tokens: 50 }
    }
}
