use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use crate::IngestError;

/// Ending of a sidecar: `report.pdf.adit.yaml` speaks for `report.pdf`.
pub const SIDECAR_ENDING: &str = ".adit.yaml";
const IGNORE_FILE: &str = ".aditignore";

/// One file to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceItem {
    /// Name in the catalog: the path relative to the base folder with `/`, absolute outside it.
    pub source: String,
    /// Where to read it.
    pub path: PathBuf,
    /// Size in bytes.
    pub size_bytes: u64,
    /// Modification time, milliseconds since 1970.
    pub modified_unix_ms: Option<i64>,
}

/// A file or folder that the walk could not look into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WalkProblem {
    /// Name as in [`SourceItem::source`], if one is known.
    pub source: Option<String>,
    /// What the system said.
    pub cause: String,
}

/// What a walk found.
#[derive(Debug, Clone, Default)]
pub struct Walk {
    /// Files, by source name.
    pub items: Vec<SourceItem>,
    /// What could not be looked into.
    pub problems: Vec<WalkProblem>,
    /// Source names of the folders that were walked whole; a document below one whose file was not
    /// found is gone.
    pub complete_folders: Vec<String>,
}

impl Walk {
    /// Whether a document named `source` lies in a folder that was walked whole. A folder with a
    /// problem anywhere below it proves nothing about absence.
    #[must_use]
    pub fn covers(&self, source: &str) -> bool {
        self.complete_folders.iter().any(|folder| match folder.as_str() {
            // The base folder itself: everything that is named relative to it.
            "" => !source.starts_with('/'),
            folder => source.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/')),
        })
    }
}

/// Files and folders on disk. Hidden files and what `.gitignore` or `.aditignore` names are left
/// out of folders; a file named directly is always taken. Symbolic links are not followed.
#[derive(Debug, Clone)]
pub struct FolderSource {
    base: PathBuf,
}

impl FolderSource {
    /// Names documents relative to `base`, which must be absolute and resolved.
    #[must_use]
    pub fn new(base: PathBuf) -> Self {
        Self { base }
    }

    /// Looks at every path.
    ///
    /// # Errors
    /// [`IngestError::PathNotFound`] for a path that is not there; anything below a folder that
    /// cannot be read is a [`WalkProblem`] instead.
    pub fn walk(&self, paths: &[PathBuf]) -> Result<Walk, IngestError> {
        let mut walk = Walk::default();
        for path in paths {
            let resolved =
                fs_err::canonicalize(path).map_err(|_| IngestError::PathNotFound { path: path.clone() })?;
            if resolved.is_dir() {
                self.walk_folder(&resolved, &mut walk);
            } else {
                self.take(&resolved, &mut walk);
            }
        }
        walk.items.sort_by(|left, right| left.source.cmp(&right.source));
        walk.items.dedup_by(|left, right| left.source == right.source);
        Ok(walk)
    }

    fn walk_folder(&self, folder: &Path, walk: &mut Walk) {
        let problems_before = walk.problems.len();
        let entries = WalkBuilder::new(folder)
            .add_custom_ignore_filename(IGNORE_FILE)
            .require_git(false)
            .sort_by_file_path(Path::cmp)
            .build();
        for entry in entries {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_file()) => {
                    self.take(entry.path(), walk);
                }
                Ok(_) => {}
                Err(error) => walk.problems.push(WalkProblem { source: None, cause: error.to_string() }),
            }
        }
        if walk.problems.len() == problems_before {
            walk.complete_folders.push(self.source_name(folder));
        }
    }

    fn take(&self, path: &Path, walk: &mut Walk) {
        if path.to_string_lossy().ends_with(SIDECAR_ENDING) {
            return;
        }
        let source = self.source_name(path);
        match fs_err::metadata(path) {
            Ok(metadata) => walk.items.push(SourceItem {
                source,
                path: path.to_path_buf(),
                size_bytes: metadata.len(),
                modified_unix_ms: metadata.modified().ok().and_then(unix_ms),
            }),
            Err(error) => {
                walk.problems.push(WalkProblem { source: Some(source), cause: error.to_string() });
            }
        }
    }

    /// The catalog's name for a resolved path.
    #[must_use]
    pub fn source_name(&self, path: &Path) -> String {
        let shown = path.strip_prefix(&self.base).unwrap_or(path);
        let text = shown.to_string_lossy();
        if std::path::MAIN_SEPARATOR == '/' { text.into_owned() } else { text.replace('\\', "/") }
    }
}

fn unix_ms(time: std::time::SystemTime) -> Option<i64> {
    time.duration_since(std::time::UNIX_EPOCH).ok().and_then(|age| i64::try_from(age.as_millis()).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> (tempfile::TempDir, FolderSource) {
        let root = tempfile::tempdir().unwrap();
        for file in files {
            let path = root.path().join(file);
            fs_err::create_dir_all(path.parent().unwrap()).unwrap();
            fs_err::write(path, "x").unwrap();
        }
        let base = fs_err::canonicalize(root.path()).unwrap();
        (root, FolderSource::new(base))
    }

    fn names(walk: &Walk) -> Vec<&str> {
        walk.items.iter().map(|item| item.source.as_str()).collect()
    }

    #[test]
    fn leaves_out_hidden_and_ignored_files_and_sidecars_but_takes_a_named_file() {
        let (root, source) = tree(&["docs/a.md", "docs/a.md.adit.yaml", "docs/.hidden.md", "docs/tmp/b.md"]);
        fs_err::write(root.path().join("docs/.aditignore"), "tmp/\n").unwrap();
        let walk = source.walk(&[root.path().join("docs")]).unwrap();
        assert_eq!(names(&walk), ["docs/a.md"]);
        let walk = source.walk(&[root.path().join("docs/.hidden.md")]).unwrap();
        assert_eq!(names(&walk), ["docs/.hidden.md"]);
    }

    #[test]
    fn a_file_reached_twice_is_taken_once() {
        let (root, source) = tree(&["docs/a.md"]);
        let walk = source.walk(&[root.path().join("docs"), root.path().join("docs/a.md")]).unwrap();
        assert_eq!(names(&walk), ["docs/a.md"]);
    }

    #[test]
    fn only_a_folder_walked_whole_proves_absence() {
        let (root, source) = tree(&["docs/a.md", "other/b.md"]);
        let walk = source.walk(&[root.path().join("docs")]).unwrap();
        assert!(walk.covers("docs/gone.md"));
        assert!(!walk.covers("other/b.md"));
        assert!(!walk.covers("docs2/c.md"));
        let walk = source.walk(&[root.path().to_path_buf()]).unwrap();
        assert!(walk.covers("other/b.md") && !walk.covers("/elsewhere/c.md"));
    }

    #[test]
    fn a_missing_path_is_an_error() {
        let (root, source) = tree(&[]);
        assert!(matches!(source.walk(&[root.path().join("nope")]), Err(IngestError::PathNotFound { .. })));
    }
}
