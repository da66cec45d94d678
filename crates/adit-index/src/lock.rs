use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use adit_core::IndexError;

use crate::files::io_error;

/// A lock file longer than this was not written by us.
const LONGEST_PROCESS_ID_BYTES: u64 = 32;

/// The right to write to one collection. The operating system gives it up when the process ends, however
/// it ends, so a stale lock cannot exist.
#[derive(Debug)]
pub(crate) struct WriterLock {
    _file: std::fs::File,
}

impl WriterLock {
    pub(crate) fn take(collection: &Path) -> Result<Self, IndexError> {
        let path = lock_file(collection);
        let mut file = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|error| io_error(&path, error))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                return Err(IndexError::Locked {
                    path: collection.display().to_string(),
                    process: holder(&mut file),
                });
            }
            Err(std::fs::TryLockError::Error(error)) => return Err(io_error(&path, error)),
        }
        let write = |file: &mut std::fs::File| {
            file.set_len(0)?;
            file.seek(SeekFrom::Start(0))?;
            write!(file, "{}", std::process::id())
        };
        write(&mut file).map_err(|error| io_error(&path, error))?;
        Ok(Self { _file: file })
    }
}

fn lock_file(collection: &Path) -> PathBuf {
    collection.join("writer.lock")
}

fn holder(file: &mut std::fs::File) -> String {
    let mut text = String::new();
    match file.take(LONGEST_PROCESS_ID_BYTES).read_to_string(&mut text) {
        Ok(_) if !text.trim().is_empty() => text.trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_writer_learns_who_the_first_is() {
        let folder = tempfile::tempdir().unwrap();
        let first = WriterLock::take(folder.path()).unwrap();
        match WriterLock::take(folder.path()) {
            Err(IndexError::Locked { process, .. }) => assert_eq!(process, std::process::id().to_string()),
            other => panic!("{other:?}"),
        }
        drop(first);
        WriterLock::take(folder.path()).unwrap();
    }
}
