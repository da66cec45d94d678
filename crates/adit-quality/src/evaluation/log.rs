use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::run::{Configuration, EvaluationRun};
use super::saved::SavedEvaluations;
use super::segments::Summary;
use crate::{QualityError, json_lines};

/// One line of the experiment log.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LogEntry {
    /// When, RFC 3339 in UTC.
    pub created: String,
    /// Under which name it was saved, if it was.
    pub name: Option<String>,
    /// The golden set's file.
    pub golden: String,
    /// What it was run with.
    pub configuration: Configuration,
    /// Answerable questions.
    pub questions: usize,
    /// Means over them.
    pub metrics: BTreeMap<String, f64>,
}

impl LogEntry {
    /// The line for a run.
    #[must_use]
    pub fn new(name: Option<&str>, run: &EvaluationRun, summary: &Summary) -> Self {
        let all = summary.segments.first();
        let means =
            all.map(|all| all.metrics.iter().map(|(metric, interval)| (metric.clone(), interval.mean)));
        Self {
            created: run.created.clone(),
            name: name.map(str::to_owned),
            golden: run.golden.clone(),
            configuration: run.configuration.clone(),
            questions: summary.answerable,
            metrics: means.into_iter().flatten().collect(),
        }
    }
}

impl SavedEvaluations {
    /// Adds a line to the experiment log.
    ///
    /// # Errors
    /// [`QualityError::File`].
    pub fn append_to_log(&self, entry: &LogEntry) -> Result<(), QualityError> {
        let path = self.log_file();
        let failed = |source| QualityError::File { path: path.clone(), source };
        fs_err::create_dir_all(self.folder()).map_err(failed)?;
        json_lines::append(&path, entry)
    }

    /// Every line of the experiment log, oldest first; a line that an interrupted run left half written is
    /// passed over.
    ///
    /// # Errors
    /// [`QualityError::File`].
    pub fn read_log(&self) -> Result<Vec<LogEntry>, QualityError> {
        let path = self.log_file();
        match fs_err::read_to_string(&path) {
            Ok(text) => Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(source) => Err(QualityError::File { path, source }),
        }
    }

    fn log_file(&self) -> std::path::PathBuf {
        self.folder().join("log.jsonl")
    }
}
