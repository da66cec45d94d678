use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use crate::ModelError;

const PREFIX: &str = ".fetching-";

/// A folder under an unfinished name; removed when dropped, unless it was published.
pub(crate) struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    /// Creates one inside `root`, of a name no other process uses.
    pub(crate) fn create(root: &Path) -> Result<Self, ModelError> {
        let path = unique_path(root);
        fs_err::create_dir_all(&path)?;
        Ok(Self { path })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Gives it its final name, `target`, on the same file system. What is there already is
    /// replaced; when another process publishes at the same moment, one of the two stays.
    pub(crate) fn publish(self, target: &Path) -> Result<(), ModelError> {
        sync_files(&self.path)?;
        let root = target.parent().unwrap_or(target);
        if target.exists() {
            // A rename cannot replace a folder that is not empty.
            let stale = unique_path(root);
            if fs_err::rename(target, &stale).is_ok() {
                // A leftover is swept later.
                drop(fs_err::remove_dir_all(&stale));
            }
        }
        match fs_err::rename(&self.path, target) {
            Err(error) if !target.is_dir() => Err(error.into()),
            _ => Ok(()),
        }
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        if self.path.exists() {
            // Nothing to be done about a failure here; the sweep tries again.
            drop(fs_err::remove_dir_all(&self.path));
        }
    }
}

/// Removes what killed processes left behind more than a day ago.
pub(crate) fn sweep(root: &Path) {
    let Ok(entries) = fs_err::read_dir(root) else { return };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        let age = entry
            .metadata()
            .and_then(|metadata| metadata.modified())
            .ok()
            .and_then(|time| SystemTime::now().duration_since(time).ok());
        if ours && age.is_some_and(|age| age > Duration::from_secs(24 * 3600)) {
            drop(fs_err::remove_dir_all(entry.path()));
        }
    }
}

fn unique_path(root: &Path) -> PathBuf {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let nanoseconds =
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |time| time.as_nanos());
    let count = COUNTER.fetch_add(1, Ordering::Relaxed);
    root.join(format!("{PREFIX}{}-{nanoseconds}-{count}", std::process::id()))
}

/// A rename must not become durable before the bytes it publishes.
fn sync_files(folder: &Path) -> Result<(), ModelError> {
    for entry in fs_err::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            sync_files(&entry.path())?;
        } else {
            fs_err::File::open(entry.path())?.sync_all()?;
        }
    }
    Ok(())
}
