use adit_core::EmbedderDescription;
use rusqlite::OptionalExtension;

use crate::catalog::read_fingerprint;
use crate::{Catalog, CatalogError, vector_blob};

/// Names the vector of one text under one embedder: blake3 over everything that decides the vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TextKey([u8; 32]);

impl TextKey {
    /// The key of a chunk's `indexed` text. The query template and the window do not enter: they change
    /// no document's vector.
    #[must_use]
    pub fn new(embedder: &EmbedderDescription, indexed: &str) -> Self {
        let fields = [
            embedder.model.as_str(),
            &embedder.revision,
            &embedder.dimension.to_string(),
            &embedder.precision,
            &embedder.pooling,
            &embedder.document_template,
            indexed,
        ];
        let mut hasher = blake3::Hasher::new();
        for field in fields {
            hasher.update(&(field.len() as u64).to_le_bytes());
            hasher.update(field.as_bytes());
        }
        Self(*hasher.finalize().as_bytes())
    }

    pub(crate) fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

impl Catalog {
    /// Vectors known already, in the order of `keys`: from an ingest that was interrupted inside a
    /// document, or from any stored chunk with the same words. Whoever asks first never embeds a text twice.
    ///
    /// # Errors
    /// As [`Catalog::view`].
    pub fn pending_vectors(&self, keys: &[TextKey]) -> Result<Vec<Option<Vec<f32>>>, CatalogError> {
        let view = self.view()?;
        let connection = view.lock();
        let mut pending =
            connection.prepare_cached("SELECT vector FROM pending_vectors WHERE text_key = ?1")?;
        let mut stored = connection.prepare_cached(
            "SELECT vector FROM chunks JOIN vectors USING (chunk_id) WHERE text_key = ?1 LIMIT 1",
        )?;
        let mut find = |key: &TextKey| -> Result<Option<Vec<f32>>, CatalogError> {
            for statement in [&mut pending, &mut stored] {
                let blob: Option<Vec<u8>> =
                    statement.query_row([key.as_bytes()], |row| row.get(0)).optional()?;
                if let Some(blob) = blob {
                    let mut vector = Vec::new();
                    vector_blob::decode_into(&blob, &mut vector)?;
                    return Ok(Some(vector));
                }
            }
            Ok(None)
        };
        keys.iter().map(&mut find).collect()
    }

    /// Keeps vectors of a document that is not committed yet, so that an interrupted ingest resumes
    /// inside it. [`Catalog::commit`] drops the ones it used.
    ///
    /// # Errors
    /// [`CatalogError::Vector`] when the lists differ in length or a vector does not fit the fingerprint.
    pub fn store_pending_vectors(&self, keys: &[TextKey], vectors: &[Vec<f32>]) -> Result<(), CatalogError> {
        if keys.len() != vectors.len() {
            let detail = format!("{} keys came with {} vectors", keys.len(), vectors.len());
            return Err(CatalogError::Vector { index: keys.len().min(vectors.len()), detail });
        }
        self.write(|transaction| {
            let fingerprint = read_fingerprint(transaction)?.ok_or(CatalogError::NoFingerprint)?;
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO pending_vectors (text_key, vector) VALUES (?1, ?2)",
            )?;
            for (index, (key, vector)) in keys.iter().zip(vectors).enumerate() {
                vector_blob::check(index, vector, fingerprint.embedder.dimension)?;
                insert.execute((key.as_bytes(), vector_blob::encode(vector)))?;
            }
            Ok(())
        })
    }

    /// Drops all pending vectors, when an ingest has ended and nothing is left to resume.
    ///
    /// # Errors
    /// [`CatalogError::Io`] and others.
    pub fn forget_pending_vectors(&self) -> Result<(), CatalogError> {
        self.write(|transaction| {
            transaction.execute("DELETE FROM pending_vectors", [])?;
            crate::token_codes::forget_pending(transaction)
        })
    }
}
