use adit_core::{Chunk, ChunkError, Chunker, ParsedDocument, TextRange, Tokenizer};

use crate::assemble::Assembler;
use crate::token_map::TokenMap;
use crate::unit::tile;

/// One chunk with the whole text, for collections whose documents are passages already (BEIR's layout).
///
/// The title is put before the words unless the text begins with it or both together exceed the window.
#[derive(Debug, Clone, Copy, Default)]
pub struct WholeDocumentChunker;

impl WholeDocumentChunker {
    /// The chunker; it has no settings.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Chunker for WholeDocumentChunker {
    fn description(&self) -> String {
        "none/1".to_owned()
    }

    /// # Errors
    /// [`ChunkError::Settings`] with both numbers when the text is longer than the model's window: nothing
    /// is cut off in silence, so the caller shortens it or chooses another chunker.
    fn chunk(&self, document: &ParsedDocument, tokenizer: &dyn Tokenizer) -> Result<Vec<Chunk>, ChunkError> {
        let text = document.text.as_str();
        if text.is_empty() {
            return Ok(Vec::new());
        }
        let units = tile(document);
        let tokens = TokenMap::build(text, std::iter::empty(), tokenizer)?;
        let mut assembler = Assembler::new(document, &units, &tokens, tokenizer);
        let range = TextRange::new(0, text.len());
        let title = document.title.as_deref().map(str::trim).unwrap_or_default();
        let line = if text.trim_start().starts_with(title) { "" } else { title };
        let heading_path: Vec<String> = (!title.is_empty()).then(|| title.to_owned()).into_iter().collect();
        let limit_tokens = tokenizer.max_input_tokens();
        let mut draft = assembler.draft(range, line, &heading_path, None)?;
        if draft.tokens > limit_tokens && !line.is_empty() {
            draft = assembler.draft(range, "", &heading_path, None)?;
        }
        if draft.tokens > limit_tokens {
            return Err(ChunkError::Settings {
                detail: format!(
                    "without a chunker the text has {} tokens, and the model's window is {limit_tokens}",
                    draft.tokens
                ),
            });
        }
        assembler.push(draft);
        Ok(assembler.finish())
    }
}
