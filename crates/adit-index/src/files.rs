//! Files that appear whole or not at all, and files that go when nobody uses them any more.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use adit_core::IndexError;

/// Suffix of a file that is being written; whatever has it after a crash is swept away.
pub(crate) const UNFINISHED: &str = ".unfinished";

pub(crate) fn io_error(path: &Path, source: std::io::Error) -> IndexError {
    IndexError::Io { path: path.display().to_string(), source }
}

pub(crate) fn damaged(path: &Path, detail: impl Into<String>) -> IndexError {
    IndexError::Damaged { path: path.display().to_string(), detail: detail.into() }
}

/// Writes beside, flushes to the disk, renames over, flushes the folder.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), IndexError> {
    let mut unfinished = path.as_os_str().to_owned();
    unfinished.push(UNFINISHED);
    let unfinished = PathBuf::from(unfinished);
    let write = || {
        let mut file = fs_err::File::create(&unfinished)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs_err::rename(&unfinished, path)
    };
    write().map_err(|error| io_error(path, error))?;
    path.parent().map_or(Ok(()), sync_folder)
}

/// Makes renames, creations and removals inside `folder` durable.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), IndexError> {
    fs_err::File::open(folder).and_then(|file| file.sync_all()).map_err(|error| io_error(folder, error))
}

pub(crate) fn create_folder(folder: &Path) -> Result<(), IndexError> {
    fs_err::create_dir_all(folder).map_err(|error| io_error(folder, error))
}

/// Names inside `folder`; none if it is missing.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, IndexError> {
    let entries = match fs_err::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(io_error(folder, error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|error| io_error(folder, error))?;
        names.push(entry.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

/// Bytes of all files below `path`.
pub(crate) fn bytes_below(path: &Path) -> u64 {
    let Ok(metadata) = fs_err::symlink_metadata(path) else { return 0 };
    if metadata.is_file() {
        return metadata.len();
    }
    names_in(path).unwrap_or_default().iter().map(|name| bytes_below(&path.join(name))).sum()
}

/// Removes a file or folder; one that is gone already is no error.
pub(crate) fn remove(path: &Path) -> Result<(), IndexError> {
    let is_folder = fs_err::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir());
    let removed = if is_folder { fs_err::remove_dir_all(path) } else { fs_err::remove_file(path) };
    match removed {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(io_error(path, error)),
        _ => Ok(()),
    }
}

/// Files or folders that snapshots share. Once they are obsolete they are removed when the last
/// snapshot lets go of them; if the process dies before, the next writer sweeps them.
#[derive(Debug)]
pub(crate) struct SharedFiles {
    paths: Vec<PathBuf>,
    obsolete: AtomicBool,
}

impl SharedFiles {
    pub(crate) fn new(paths: Vec<PathBuf>) -> Self {
        Self { paths, obsolete: AtomicBool::new(false) }
    }

    pub(crate) fn make_obsolete(&self) {
        self.obsolete.store(true, Ordering::Release);
    }
}

impl Drop for SharedFiles {
    fn drop(&mut self) {
        if !self.obsolete.load(Ordering::Acquire) {
            return;
        }
        for path in &self.paths {
            if let Err(error) = remove(path) {
                tracing::warn!(%error, "an obsolete file stays until the next writer opens");
            }
        }
    }
}
