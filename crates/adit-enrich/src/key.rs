use crate::EnrichKind;

/// Names one answer: the same document text, chunk text, kind, model and prompt have the same key, in whichever
/// file or version they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EnrichmentKey(pub [u8; 32]);

impl EnrichmentKey {
    /// BLAKE3 over the parts, each behind its length so that none runs into the next.
    #[must_use]
    pub fn of(document_text: &str, chunk_text: &str, kind: EnrichKind, model: &str) -> Self {
        let mut hasher = blake3::Hasher::new();
        let version = EnrichKind::PROMPT_VERSION.to_string();
        for part in [document_text, chunk_text, kind.name(), model, &version] {
            hasher.update(&(part.len() as u64).to_le_bytes());
            hasher.update(part.as_bytes());
        }
        Self(*hasher.finalize().as_bytes())
    }
}
