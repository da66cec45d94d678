use std::fmt;

use serde::{Deserialize, Serialize};

use crate::EmbedderDescription;

/// Everything that decides whether two vectors, or two analysed texts, may be compared. Stored with
/// the index and checked on every search and every write.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fingerprint {
    /// The embedding model and how texts are prepared for it.
    pub embedder: EmbedderDescription,
    /// [`crate::Chunker::description`].
    pub chunker: String,
    /// Enrichment and its prompt; `heading_path/1` is the one that is always on.
    pub enrichment: String,
    /// Version of the lexical analysers.
    pub analyser: String,
}

impl Fingerprint {
    /// The first 16 hexadecimal digits of the hash over all fields.
    #[must_use]
    pub fn hash(&self) -> String {
        // Field by field with separators: the hash must not depend on how a serialiser orders or spaces.
        let fields = [
            self.embedder.model.as_str(),
            &self.embedder.revision,
            &self.embedder.dimension.to_string(),
            &self.embedder.precision,
            &self.embedder.pooling,
            &self.embedder.max_input_tokens.to_string(),
            &self.embedder.query_template,
            &self.embedder.document_template,
            &self.chunker,
            &self.enrichment,
            &self.analyser,
        ];
        let mut hasher = blake3::Hasher::new();
        for field in fields {
            hasher.update(&(field.len() as u64).to_le_bytes());
            hasher.update(field.as_bytes());
        }
        hasher.finalize().to_hex().as_str().chars().take(16).collect()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{} ({}@{} {} {}d, {} tokens, {}, {}, {})",
            self.hash(),
            self.embedder.model,
            self.embedder.revision,
            self.embedder.precision,
            self.embedder.dimension,
            self.embedder.max_input_tokens,
            self.chunker,
            self.enrichment,
            self.analyser
        )
    }
}
