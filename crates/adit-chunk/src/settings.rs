use adit_core::{ChunkError, Chunker, Tokenizer};
use serde::{Deserialize, Serialize};

use crate::{FixedWindowChunker, RecursiveChunker, StructureChunker, WholeDocumentChunker};

/// How large a chunk may become and how much of it the next one repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ChunkSettings {
    /// Most tokens of a chunk's `indexed` text, special tokens included. The model's window lowers it.
    pub size_tokens: usize,
    /// Most tokens that two neighbouring chunks share.
    pub overlap_tokens: usize,
}

impl Default for ChunkSettings {
    fn default() -> Self {
        Self { size_tokens: 400, overlap_tokens: 50 }
    }
}

impl ChunkSettings {
    /// Refuses settings with which a chunk would repeat most of its neighbour.
    pub(crate) fn check(self) -> Result<(), ChunkError> {
        if self.size_tokens == 0 {
            return Err(ChunkError::Settings { detail: "`size_tokens` must be at least 1".to_owned() });
        }
        if self.overlap_tokens > self.size_tokens / 2 {
            return Err(ChunkError::Settings {
                detail: format!(
                    "an overlap of {} tokens is more than half of a chunk of {}",
                    self.overlap_tokens, self.size_tokens
                ),
            });
        }
        Ok(())
    }

    /// The limit that holds for `tokenizer`: the smaller of the setting and the model's window.
    pub(crate) fn limit_tokens(self, tokenizer: &dyn Tokenizer) -> Result<usize, ChunkError> {
        self.check()?;
        let limit_tokens = self.size_tokens.min(tokenizer.max_input_tokens());
        if limit_tokens <= tokenizer.special_tokens() {
            return Err(ChunkError::NothingFits { byte_offset: 0, limit_tokens });
        }
        Ok(limit_tokens)
    }

    /// The overlap that holds under `limit_tokens`: a window far smaller than the setting must not be
    /// filled by repetition.
    pub(crate) fn overlap_under(self, limit_tokens: usize) -> usize {
        self.overlap_tokens.min(limit_tokens / 4)
    }
}

/// The chunker that a configuration file or a flag names: `structure`, `fixed`, `recursive` or `none`.
///
/// # Errors
/// [`ChunkError::Settings`] for another name or settings that contradict each other.
pub fn chunker_by_name(name: &str, settings: ChunkSettings) -> Result<Box<dyn Chunker>, ChunkError> {
    settings.check()?;
    match name {
        "structure" => Ok(Box::new(StructureChunker::new(settings))),
        "fixed" => Ok(Box::new(FixedWindowChunker::new(settings))),
        "recursive" => Ok(Box::new(RecursiveChunker::new(settings))),
        "none" => Ok(Box::new(WholeDocumentChunker::new())),
        other => Err(ChunkError::Settings {
            detail: format!("there is no chunker `{other}` (known: structure, fixed, recursive, none)"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_settings_are_checked() {
        let settings = ChunkSettings::default();
        let structure = chunker_by_name("structure", settings).unwrap();
        assert_eq!(structure.description(), "structure/1 size=400 overlap=50");
        assert_eq!(chunker_by_name("none", settings).unwrap().description(), "none/1");
        assert!(chunker_by_name("semantic", settings).is_err());
        assert!(chunker_by_name("fixed", ChunkSettings { size_tokens: 80, overlap_tokens: 41 }).is_err());
        assert!(chunker_by_name("fixed", ChunkSettings { size_tokens: 0, overlap_tokens: 0 }).is_err());
    }
}
