use adit_catalog::{Catalog, TokenCodeRow};
use adit_core::{ChunkId, EmbedError, Embedder, EmbedderDescription, TokenEmbedder};
use adit_token_vector::{CodeBits, TokenCodeMake, TokenCodes, calibrated_make, encode_all};

use crate::IngestError;

/// Chunks read from the catalog and given to the model at once when codes are filled in.
const FILL_CHUNKS: usize = 128;

/// Makes the token codes of texts beside their vectors, in one pass of the model.
#[derive(Debug, Clone)]
pub struct TokenCoder {
    make: TokenCodeMake,
}

/// What one pass of the model gave, in the order of the texts.
#[derive(Debug, Clone, Default)]
pub struct EmbeddedChunks {
    /// `[texts, dimension]`.
    pub vectors: Vec<Vec<f32>>,
    /// Rows of each text.
    pub codes: Vec<TokenCodes>,
}

/// What filling in came to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct TokenCodeFill {
    /// Chunks that got codes.
    pub filled_chunks: usize,
    /// Chunks that the model cannot read whole, which therefore stay without.
    pub too_long_chunks: usize,
}

impl TokenCoder {
    /// The coder for a catalog: how its codes are made already, where they are this embedder's, since two
    /// makes cannot be mixed; else as asked for, which is then the catalog's. `None` for an embedder that
    /// gives no token vectors.
    ///
    /// # Errors
    /// [`IngestError`] of the catalog or the model.
    pub fn open(
        catalog: &Catalog,
        embedder: &dyn Embedder,
        bits: CodeBits,
        pooling: u32,
    ) -> Result<Option<Self>, IngestError> {
        if embedder.token_embedder().is_none() {
            return Ok(None);
        }
        let name = document_vectors_of(embedder.description());
        if let Some(stored) = catalog.view()?.token_code_make()? {
            let make = TokenCodeMake::from_stored(&stored)?;
            if make.embedder == name && make.dimension() == embedder.description().dimension {
                return Ok(Some(Self { make }));
            }
        }
        Self::start(catalog, embedder, bits, pooling)
    }

    /// A coder as asked for. Codes that were made in another way are dropped; those of the same make stay.
    ///
    /// # Errors
    /// As [`TokenCoder::open`].
    pub fn start(
        catalog: &Catalog,
        embedder: &dyn Embedder,
        bits: CodeBits,
        pooling: u32,
    ) -> Result<Option<Self>, IngestError> {
        if embedder.token_embedder().is_none() {
            return Ok(None);
        }
        let make = calibrated_make(embedder, &document_vectors_of(embedder.description()), bits, pooling)?;
        let wanted = make.to_stored()?;
        if catalog.view()?.token_code_make()?.as_deref() != Some(&wanted) {
            catalog.start_token_codes(&wanted)?;
        }
        Ok(Some(Self { make }))
    }

    /// How the codes are made.
    #[must_use]
    pub fn make(&self) -> &TokenCodeMake {
        &self.make
    }

    /// Vectors and codes of `texts`.
    ///
    /// # Errors
    /// The model's, among them [`EmbedError::InputTooLong`].
    pub fn embed(&self, embedder: &dyn Embedder, texts: &[&str]) -> Result<EmbeddedChunks, IngestError> {
        let embedded = tokens_of(embedder)?.embed_documents_with_tokens(texts)?;
        let (vectors, tokens): (Vec<_>, Vec<_>) =
            embedded.into_iter().map(|one| (one.vector, one.token_vectors)).unzip();
        Ok(EmbeddedChunks { vectors, codes: encode_all(&self.make, &tokens)? })
    }

    /// Gives codes to every living chunk of the catalog that has none. `progress` is told how many were looked
    /// at; what is stored stays when a run is killed.
    ///
    /// # Errors
    /// As [`TokenCoder::embed`].
    pub fn fill(
        &self,
        catalog: &Catalog,
        embedder: &dyn Embedder,
        progress: &mut dyn FnMut(usize),
    ) -> Result<TokenCodeFill, IngestError> {
        let mut result = TokenCodeFill::default();
        let mut after = ChunkId(0);
        let mut seen = 0;
        loop {
            let chunks = catalog.view()?.chunks_without_token_codes(after, FILL_CHUNKS)?;
            let Some((last, _)) = chunks.last() else { return Ok(result) };
            after = *last;
            seen += chunks.len();
            let mut rows = Vec::with_capacity(chunks.len());
            let (fitting, too_long) = fitting(embedder, &chunks)?;
            result.too_long_chunks += too_long;
            let texts: Vec<&str> = fitting.iter().map(|(_, text)| text.as_str()).collect();
            let codes = self.embed(embedder, &texts)?.codes;
            for ((chunk, _), codes) in fitting.iter().zip(codes) {
                rows.push(TokenCodeRow { chunk: *chunk, codes });
            }
            result.filled_chunks += catalog.store_token_codes(&rows)?;
            progress(seen);
        }
    }
}

fn tokens_of(embedder: &dyn Embedder) -> Result<&dyn TokenEmbedder, EmbedError> {
    embedder.token_embedder().ok_or_else(|| EmbedError::Runtime {
        detail: format!("{} gives no token vectors", embedder.description().model),
    })
}

type ChunkText = (ChunkId, String);

/// The chunks whose texts the model can read whole, and how many others there are.
fn fitting<'a>(
    embedder: &dyn Embedder,
    chunks: &'a [ChunkText],
) -> Result<(Vec<&'a ChunkText>, usize), EmbedError> {
    let tokenizer = embedder.tokenizer();
    let mut fitting = Vec::with_capacity(chunks.len());
    for chunk in chunks {
        if tokenizer.count_tokens(&chunk.1)? <= tokenizer.max_input_tokens() {
            fitting.push(chunk);
        }
    }
    let too_long = chunks.len() - fitting.len();
    Ok((fitting, too_long))
}

/// Everything of a description that decides the token vectors of a document.
fn document_vectors_of(embedder: &EmbedderDescription) -> String {
    let EmbedderDescription { model, revision, precision, document_template, .. } = embedder;
    format!("{model}@{revision} {precision} {document_template}")
}
