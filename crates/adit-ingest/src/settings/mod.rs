mod agent;
mod answer;
mod authority;
mod chunk;
mod gate;
mod late_interaction;
mod log;
mod model;
mod parse;
mod rerank;
mod search;
mod signals;
mod understand;

use std::path::Path;

use adit_provider::{ProviderSettings, RerankingSettings};
use serde::{Deserialize, Serialize};

pub use agent::AgentSection;
pub use answer::AnswerSection;
pub use authority::AuthoritySection;
pub use chunk::ChunkSection;
pub use gate::GateSection;
pub use late_interaction::LateInteractionSection;
pub use log::LogSection;
pub use model::ModelSection;
pub use parse::ParseSection;
pub use rerank::RerankSection;
pub use search::SearchSection;
pub use signals::SignalsSection;
pub use understand::UnderstandSection;

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
    /// `[understand]`
    pub understand: UnderstandSection,
    /// `[rerank]`
    pub rerank: RerankSection,
    /// `[answer]`
    pub answer: AnswerSection,
    /// `[language_model]`; without it a server that runs on this machine is taken, if there is one.
    pub language_model: Option<ProviderSettings>,
    /// `[reranker]`: a hosted reranker, in place of `rerank.model`.
    pub reranker: Option<RerankingSettings>,
    /// `[agent]`
    pub agent: AgentSection,
    /// `[late_interaction]`
    pub late_interaction: LateInteractionSection,
    /// `[log]`
    pub log: LogSection,
    /// `[[access]]`, the first rule that matches a path wins.
    pub access: Vec<AccessRule>,
    /// `[signals]`
    pub signals: SignalsSection,
    /// `[[authority]]`, the first rule that matches a document wins.
    pub authority: Vec<AuthoritySection>,
    /// `[[gate]]`, all of them must hold for `adit eval --gate`.
    pub gate: Vec<GateSection>,
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
        if !matches!(self.chunk.strategy.as_str(), "structure" | "fixed" | "recursive") {
            return Err(format!(
                "chunk.strategy is `{}`, expected structure, fixed or recursive",
                self.chunk.strategy
            ));
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
        self.understand.check()?;
        self.rerank.check()?;
        self.answer.check()?;
        self.agent.check()?;
        self.late_interaction.check()?;
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
            ("[understand]\nvariants = 6\n", "understand.variants"),
            ("[rerank]\ncut_off = 1.5\n", "rerank.cut_off"),
            ("[agent]\nmax_steps = 0\n", "agent.max_steps"),
            ("[rerank]\ntop_n = 0\n", "rerank.top_n"),
            ("[rerank]\nprecision = \"int4\"\n", "rerank.precision"),
            ("[late_interaction]\npooling = 0\n", "late_interaction.pooling"),
            ("[late_interaction]\nbits = 4\n", "late_interaction.bits"),
            ("[late_interaction]\nweight = -1.0\n", "late_interaction.weight"),
        ] {
            let message = load(text).unwrap_err().to_string();
            assert!(message.contains(word), "{message:?} must name {word}");
        }
    }
}
