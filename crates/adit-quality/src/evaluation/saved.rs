use std::path::{Path, PathBuf};

use super::run::EvaluationRun;
use crate::QualityError;

/// Name of the run that a gate compares with.
const ACCEPTED: &str = "accepted";

/// The evaluations kept in a home: one JSON file each.
#[derive(Debug, Clone)]
pub struct SavedEvaluations {
    folder: PathBuf,
}

impl SavedEvaluations {
    /// The evaluations in `folder`, which need not exist yet.
    #[must_use]
    pub fn in_folder(folder: &Path) -> Self {
        Self { folder: folder.to_path_buf() }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    /// Keeps a run under `name`, replacing an earlier one of that name in one step.
    ///
    /// # Errors
    /// [`QualityError::Format`] for a name that is no plain file name; [`QualityError::File`].
    pub fn save(&self, name: &str, run: &EvaluationRun) -> Result<PathBuf, QualityError> {
        let path = self.path(name)?;
        let failed = |source| QualityError::File { path: path.clone(), source };
        fs_err::create_dir_all(&self.folder).map_err(failed)?;
        let content = serde_json::to_vec_pretty(run).map_err(|error| failed(error.into()))?;
        let unfinished = self.folder.join(format!("{name}.json.unfinished"));
        fs_err::write(&unfinished, content).map_err(failed)?;
        fs_err::rename(&unfinished, &path).map_err(failed)?;
        Ok(path)
    }

    /// Keeps a run as the one that later runs are held against.
    ///
    /// # Errors
    /// As [`SavedEvaluations::save`].
    pub fn accept(&self, run: &EvaluationRun) -> Result<PathBuf, QualityError> {
        self.save(ACCEPTED, run)
    }

    /// The run that later ones are held against, if one was accepted.
    ///
    /// # Errors
    /// As [`SavedEvaluations::load`].
    pub fn accepted(&self) -> Result<Option<EvaluationRun>, QualityError> {
        match self.load(ACCEPTED) {
            Err(QualityError::NoSuchEvaluation { .. }) => Ok(None),
            loaded => loaded.map(Some),
        }
    }

    /// Reads the run of that name.
    ///
    /// # Errors
    /// [`QualityError::NoSuchEvaluation`], [`QualityError::Format`], [`QualityError::File`].
    pub fn load(&self, name: &str) -> Result<EvaluationRun, QualityError> {
        let path = self.path(name)?;
        let content = match fs_err::read(&path) {
            Ok(content) => content,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(QualityError::NoSuchEvaluation { name: name.to_owned(), saved: self.names()? });
            }
            Err(source) => return Err(QualityError::File { path, source }),
        };
        let run: EvaluationRun = serde_json::from_slice(&content).map_err(|error| QualityError::Format {
            path: path.clone(),
            expected: "a saved evaluation",
            detail: error.to_string(),
        })?;
        let is_a_number =
            |item: &super::run::ItemResult| item.metrics.values().all(|value| value.is_finite());
        match run.items.iter().find(|item| !is_a_number(item)) {
            Some(item) => Err(QualityError::Format {
                path,
                expected: "a saved evaluation",
                detail: format!("question {} has a score that is no number", item.id),
            }),
            None => Ok(run),
        }
    }

    /// The names that are there, by name.
    ///
    /// # Errors
    /// [`QualityError::File`].
    pub fn names(&self) -> Result<Vec<String>, QualityError> {
        let failed = |source| QualityError::File { path: self.folder.clone(), source };
        let entries = match fs_err::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut names = Vec::new();
        for entry in entries {
            let name = entry.map_err(failed)?.file_name().to_string_lossy().into_owned();
            names.extend(name.strip_suffix(".json").map(str::to_owned));
        }
        names.sort();
        Ok(names)
    }

    fn path(&self, name: &str) -> Result<PathBuf, QualityError> {
        let is_plain = |character: char| character.is_alphanumeric() || "-_. ".contains(character);
        if name.is_empty() || name.starts_with('.') || !name.chars().all(is_plain) {
            return Err(QualityError::Format {
                path: self.folder.join(name),
                expected: "a name for an evaluation",
                detail: "use letters, digits, `-`, `_` and `.`".to_owned(),
            });
        }
        Ok(self.folder.join(format!("{name}.json")))
    }
}
