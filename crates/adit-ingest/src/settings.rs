use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::{AccessRule, IngestError};

/// Everything `adit.toml` may say. Unknown keys are errors, so that a misspelt one is not ignored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// `[model]`
    pub model: ModelSection,
    /// `[chunk]`
    pub chunk: ChunkSection,
    /// `[parse]`
    pub parse: ParseSection,
    /// `[search]`
    pub search: SearchSection,
    /// `[log]`
    pub log: LogSection,
    /// `[[access]]`, the first rule that matches a path wins.
    pub access: Vec<AccessRule>,
    /// `[[gate]]`, all of them must hold for `adit eval --gate`.
    pub gate: Vec<GateSection>,
}

/// What an evaluation must reach.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateSection {
    /// Such as `ndcg@10` or `recall@100`.
    pub metric: String,
    /// `all`, or a segment as `adit eval` prints it, such as `category=meaning`.
    #[serde(default = "all_questions")]
    pub segment: String,
    /// The mean must be at least this, 0 to 1.
    pub at_least: Option<f64>,
    /// The mean must not be lower than the accepted run's by more than this, 0 to 1.
    pub most_loss: Option<f64>,
}

fn all_questions() -> String {
    "all".to_owned()
}

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

/// Limits for one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ParseSection {
    /// Larger files are reported as failed.
    pub max_file_bytes: u64,
    /// Wall time for one PDF.
    pub timeout_ms: u64,
    /// Memory for one PDF.
    pub memory_limit_bytes: u64,
}

impl Default for ParseSection {
    fn default() -> Self {
        let limits = adit_parse::ParseLimits::default();
        Self {
            max_file_bytes: limits.max_file_bytes,
            timeout_ms: limits.timeout_ms,
            memory_limit_bytes: limits.memory_limit_bytes,
        }
    }
}

impl From<&ParseSection> for adit_parse::ParseLimits {
    fn from(section: &ParseSection) -> Self {
        Self {
            max_file_bytes: section.max_file_bytes,
            timeout_ms: section.timeout_ms,
            memory_limit_bytes: section.memory_limit_bytes,
        }
    }
}

/// Defaults of a search.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchSection {
    /// Most passages.
    pub limit: usize,
    /// Most tokens of all passages together.
    pub budget_tokens: usize,
    /// BM25's saturation of repeated terms.
    pub k1: f32,
    /// BM25's correction for length, 0 to 1.
    pub b: f32,
}

impl Default for SearchSection {
    fn default() -> Self {
        Self { limit: 10, budget_tokens: 4000, k1: 0.9, b: 0.4 }
    }
}

/// The log of searches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct LogSection {
    /// Whether searches are logged at all.
    pub searches: bool,
    /// Regular expressions; what they match is taken out of a question before it is stored, besides the
    /// built-in rules for keys, tokens and passwords.
    pub redact: Vec<String>,
    /// Whether e-mail addresses are taken out too.
    pub redact_emails: bool,
    /// The oldest searches go when the log is larger.
    pub max_bytes: u64,
}

impl Default for LogSection {
    fn default() -> Self {
        Self {
            searches: true,
            redact: Vec::new(),
            redact_emails: false,
            max_bytes: adit_log::DEFAULT_MAX_BYTES,
        }
    }
}

impl LogSection {
    /// The rules, compiled.
    ///
    /// # Errors
    /// [`adit_log::RedactionError`]; settings that [`Settings::load`] has read have none.
    pub fn redaction(&self) -> Result<adit_log::Redaction, adit_log::RedactionError> {
        adit_log::Redaction::compile(&self.redact, self.redact_emails)
    }
}

impl Settings {
    /// Reads `file`; a file that is not there means all defaults.
    ///
    /// # Errors
    /// [`IngestError::Settings`] with the line for anything that is not valid, [`IngestError::Io`] for an unreadable file.
    pub fn load(file: &Path) -> Result<Self, IngestError> {
        let text = match fs_err::read_to_string(file) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error.into()),
        };
        let problem = |detail: String| IngestError::Settings { path: file.to_path_buf(), detail };
        let settings: Self = toml::from_str(&text).map_err(|error| problem(error.to_string()))?;
        settings.check().map_err(problem)?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), String> {
        if !matches!(self.model.precision.as_str(), "int8" | "f32") {
            return Err(format!("model.precision is `{}`, expected int8 or f32", self.model.precision));
        }
        if !matches!(self.chunk.strategy.as_str(), "structure" | "fixed") {
            return Err(format!("chunk.strategy is `{}`, expected structure or fixed", self.chunk.strategy));
        }
        if self.chunk.overlap_tokens * 2 > self.chunk.size_tokens {
            return Err("chunk.overlap_tokens must be at most half of chunk.size_tokens".to_owned());
        }
        if !(0.0..=1.0).contains(&self.search.b) || !self.search.k1.is_finite() || self.search.k1 < 0.0 {
            return Err("search.b must be between 0 and 1 and search.k1 not negative".to_owned());
        }
        if self.search.limit == 0 || self.search.budget_tokens == 0 {
            return Err("search.limit and search.budget_tokens must be above 0".to_owned());
        }
        self.log.redaction().map_err(|error| format!("log.redact: {error}"))?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(text: &str) -> Result<Settings, IngestError> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("adit.toml");
        fs_err::write(&file, text).unwrap();
        Settings::load(&file)
    }

    #[test]
    fn no_file_means_defaults_and_keys_override_them() {
        assert_eq!(Settings::load(Path::new("/nonexistent/adit.toml")).unwrap(), Settings::default());
        let settings =
            load("[chunk]\nsize_tokens = 200\n\n[[access]]\npath = \"pay/**\"\nacl = [\"payroll\"]\n");
        let settings = settings.unwrap();
        assert_eq!(settings.chunk.size_tokens, 200);
        assert_eq!(settings.chunk.overlap_tokens, 50);
        assert_eq!(settings.access.len(), 1);
    }

    #[test]
    fn misspelt_keys_and_impossible_values_are_errors_that_name_them() {
        for (text, word) in [
            ("[chunk]\nsize_token = 200\n", "size_token"),
            ("[model]\nprecision = \"int4\"\n", "int4"),
            ("[chunk]\noverlap_tokens = 300\n", "overlap_tokens"),
            ("[search]\nb = 1.5\n", "search.b"),
            ("[search\n", "line 1"),
            ("[log]\nredact = [\"(\"]\n", "log.redact"),
            ("[log]\nsearch = false\n", "search"),
        ] {
            let message = load(text).unwrap_err().to_string();
            assert!(message.contains(word), "{message:?} must name {word}");
        }
    }
}
