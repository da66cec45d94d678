use std::path::{Path, PathBuf};
use std::sync::Arc;

use adit_core::IndexError;

use crate::files::{SharedFiles, create_folder, damaged, names_in, remove, sync_folder, write_atomically};
use crate::manifest::{Manifest, missing_or_io};

/// A folder with everything derived for one fingerprint. It stays while a snapshot uses it.
#[derive(Debug, Clone)]
pub(crate) struct Generation {
    name: String,
    folder: PathBuf,
    files: Arc<SharedFiles>,
}

impl Generation {
    fn at(collection: &Path, name: &str) -> Self {
        let folder = collection.join("generations").join(name);
        let files = Arc::new(SharedFiles::new(vec![folder.clone()]));
        Self { name: name.to_owned(), folder, files }
    }

    /// The one `CURRENT` names; `None` when there is no `CURRENT` at all.
    pub(crate) fn current(collection: &Path) -> Result<Option<Self>, IndexError> {
        let path = current_file(collection);
        if !path.exists() {
            return Ok(None);
        }
        let bytes = fs_err::read(&path).map_err(|error| missing_or_io(&path, error))?;
        let name = String::from_utf8_lossy(&bytes).trim().to_owned();
        if name.is_empty() || !name.chars().all(|digit| digit.is_ascii_digit()) {
            return Err(damaged(&path, "it does not name a generation"));
        }
        Ok(Some(Self::at(collection, &name)))
    }

    /// A new empty one; nothing refers to it before [`Generation::make_current`].
    pub(crate) fn create(collection: &Path) -> Result<Self, IndexError> {
        let generations = collection.join("generations");
        let newest = names_in(&generations)?.iter().filter_map(|name| name.parse::<u64>().ok()).max();
        let generation = Self::at(collection, &format!("{:06}", newest.unwrap_or(0).saturating_add(1)));
        create_folder(&generation.vectors())?;
        create_folder(&generation.tokens())?;
        sync_folder(&generation.folder)?;
        sync_folder(&generations)?;
        Ok(generation)
    }

    pub(crate) fn make_current(&self, collection: &Path) -> Result<(), IndexError> {
        write_atomically(&current_file(collection), format!("{}\n", self.name).as_bytes())
    }

    /// Removes the folder when the last snapshot lets go of it.
    pub(crate) fn make_obsolete(&self) {
        self.files.make_obsolete();
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn manifest(&self) -> PathBuf {
        self.folder.join("manifest.json")
    }

    pub(crate) fn vectors(&self) -> PathBuf {
        self.folder.join("vectors")
    }

    pub(crate) fn tokens(&self) -> PathBuf {
        self.folder.join("tokens")
    }

    pub(crate) fn lexical(&self, manifest: &Manifest) -> PathBuf {
        self.folder.join(&manifest.lexical)
    }
}

pub(crate) fn current_file(collection: &Path) -> PathBuf {
    collection.join("CURRENT")
}

/// Removes what a killed process left behind: other generations, and files the manifest does not name.
pub(crate) fn sweep(
    collection: &Path,
    generation: &Generation,
    manifest: &Manifest,
) -> Result<usize, IndexError> {
    let segment_files: Vec<&str> =
        manifest.segments.iter().flat_map(|segment| segment.info.file_names()).collect();
    let mut swept = sweep_folder(&collection.join("generations"), |name| name == generation.name())?;
    swept += sweep_folder(generation.folder(), |name| {
        name == "manifest.json" || name == "vectors" || name == "tokens" || name == manifest.lexical
    })?;
    swept += sweep_folder(&generation.vectors(), |name| segment_files.contains(&name))?;
    swept += sweep_folder(&generation.tokens(), |name| {
        manifest.token_segments.iter().any(|segment| segment.info.file_name == name)
    })?;
    swept += sweep_folder(collection, |name| !name.ends_with(crate::files::UNFINISHED))?;
    Ok(swept)
}

fn sweep_folder(folder: &Path, is_named: impl Fn(&str) -> bool) -> Result<usize, IndexError> {
    let mut swept = 0;
    for name in names_in(folder)?.iter().filter(|name| !is_named(name)) {
        remove(&folder.join(name))?;
        swept += 1;
    }
    Ok(swept)
}
