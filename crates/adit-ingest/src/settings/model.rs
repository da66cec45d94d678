use serde::{Deserialize, Serialize};

/// The embedding model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ModelSection {
    /// A known name or a folder with `model.safetensors`, `tokenizer.json` and `config.json`.
    pub name: String,
    /// `int8` or `f32`.
    pub precision: String,
    /// Threads for the model; 0 takes all processors, at most 8.
    pub threads: usize,
}

impl Default for ModelSection {
    fn default() -> Self {
        Self { name: "all-MiniLM-L6-v2".to_owned(), precision: "int8".to_owned(), threads: 0 }
    }
}

impl ModelSection {
    /// `threads`, with 0 resolved.
    #[must_use]
    pub fn resolved_threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(2, usize::from).min(8),
            threads => threads,
        }
    }
}
