use std::path::{Path, PathBuf};

use crate::IngestError;

/// Settings file inside a home directory.
pub const SETTINGS_FILE: &str = "adit.toml";
/// Folder inside a home directory that holds everything derived from the catalog.
pub const DERIVED_FOLDER: &str = "collections/main";
const FOLDER_NAME: &str = ".adit";
const CATALOG_FILE: &str = "catalog.db";

/// The directory that holds one catalog and what is derived from it, found like `.git`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home {
    folder: PathBuf,
}

impl Home {
    /// The home named by the user, or the nearest `.adit` in `start` or a folder above it.
    ///
    /// # Errors
    /// [`IngestError::NoHome`] when there is none.
    pub fn find(named: Option<&Path>, start: &Path) -> Result<Self, IngestError> {
        if let Some(folder) = named {
            let home = Self { folder: folder.to_path_buf() };
            return if home.catalog_file().exists() {
                Ok(home)
            } else {
                Err(IngestError::NoHome { start: folder.to_path_buf() })
            };
        }
        start
            .ancestors()
            .map(|folder| Self { folder: folder.join(FOLDER_NAME) })
            .find(|home| home.catalog_file().exists())
            .ok_or_else(|| IngestError::NoHome { start: start.to_path_buf() })
    }

    /// As [`Home::find`], but makes one (named, or `.adit` in `start`) when there is none.
    ///
    /// # Errors
    /// [`IngestError::Io`] when the folder cannot be made.
    pub fn find_or_create(named: Option<&Path>, start: &Path) -> Result<Self, IngestError> {
        if let Ok(home) = Self::find(named, start) {
            return Ok(home);
        }
        let folder = named.map_or_else(|| start.join(FOLDER_NAME), Path::to_path_buf);
        fs_err::create_dir_all(&folder)?;
        Ok(Self { folder })
    }

    /// The directory itself.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The catalog's file.
    #[must_use]
    pub fn catalog_file(&self) -> PathBuf {
        self.folder.join(CATALOG_FILE)
    }

    /// The folder of derived files.
    #[must_use]
    pub fn derived_folder(&self) -> PathBuf {
        self.folder.join(DERIVED_FOLDER)
    }

    /// The settings file, which need not exist.
    #[must_use]
    pub fn settings_file(&self) -> PathBuf {
        self.folder.join(SETTINGS_FILE)
    }

    /// The folder that document paths are written relative to: the one the home lies in.
    ///
    /// # Errors
    /// [`IngestError::Io`] when the home's own path cannot be resolved.
    pub fn base_folder(&self) -> Result<PathBuf, IngestError> {
        let folder = fs_err::canonicalize(&self.folder)?;
        Ok(folder.parent().map_or_else(|| folder.clone(), Path::to_path_buf))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_found_from_a_folder_below_and_missing_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let below = root.path().join("a/b");
        fs_err::create_dir_all(&below).unwrap();
        assert!(matches!(Home::find(None, &below), Err(IngestError::NoHome { .. })));
        let home = Home::find_or_create(None, root.path()).unwrap();
        fs_err::write(home.catalog_file(), b"").unwrap();
        assert_eq!(Home::find(None, &below).unwrap(), home);
        assert_eq!(home.base_folder().unwrap(), fs_err::canonicalize(root.path()).unwrap());
    }

    #[test]
    fn a_named_home_that_is_not_there_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        assert!(Home::find(Some(&root.path().join("missing")), root.path()).is_err());
    }
}
