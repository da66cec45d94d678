use std::fs::Metadata;
use std::io::Read;
use std::path::Path;
use std::time::SystemTime;

/// A file that is still being written gets this many looks.
const MAX_ATTEMPTS: usize = 3;

/// What reading a whole file came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum WholeFile {
    /// All bytes, and nobody changed them meanwhile.
    Bytes(Vec<u8>),
    /// Larger than the limit; nothing was kept.
    TooLarge {
        /// Its size.
        size_bytes: u64,
    },
    /// It changed under every look, so that what was read may be half old and half fresh.
    Changing,
}

/// Reads a file that may not be larger than `limit_bytes` and may be written to by others. A size above
/// the limit is seen before a byte is read.
pub(super) fn read_whole(path: &Path, limit_bytes: u64) -> std::io::Result<WholeFile> {
    for _ in 0..MAX_ATTEMPTS {
        let before = fs_err::metadata(path)?;
        // What is no regular file may say 0 and yet be endless: the reading itself is bounded too.
        if before.len() > limit_bytes {
            return Ok(WholeFile::TooLarge { size_bytes: before.len() });
        }
        let Some(bytes) = read_bounded(path, limit_bytes)? else {
            return Ok(WholeFile::TooLarge { size_bytes: limit_bytes.saturating_add(1) });
        };
        let after = fs_err::metadata(path)?;
        if version_of(&before) == version_of(&after)
            && (bytes.len() as u64 == after.len() || !after.is_file())
        {
            return Ok(WholeFile::Bytes(bytes));
        }
    }
    Ok(WholeFile::Changing)
}

fn version_of(metadata: &Metadata) -> (u64, Option<SystemTime>) {
    (metadata.len(), metadata.modified().ok())
}

/// All bytes, or `None` when there are more than `limit_bytes` (the size is checked while reading:
/// a file may grow).
///
/// # Errors
/// What the system says of a file that cannot be opened or read.
pub fn read_bounded(path: &Path, limit_bytes: u64) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = Vec::new();
    fs_err::File::open(path)?.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= limit_bytes).then_some(bytes))
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    #[test]
    fn a_file_above_the_limit_is_not_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        fs_err::write(&path, "12345").unwrap();
        assert_eq!(read_bounded(&path, 4).unwrap(), None);
        assert_eq!(read_bounded(&path, 5).unwrap().unwrap(), b"12345");
        assert_eq!(read_whole(&path, 4).unwrap(), WholeFile::TooLarge { size_bytes: 5 });
        assert_eq!(read_whole(&path, 5).unwrap(), WholeFile::Bytes(b"12345".to_vec()));
    }

    #[test]
    fn a_sparse_gigabyte_is_refused_by_its_size() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::File::create(&path).unwrap().set_len(1 << 30).unwrap();
        assert_eq!(read_whole(&path, 1 << 20).unwrap(), WholeFile::TooLarge { size_bytes: 1 << 30 });
    }

    #[test]
    fn a_file_that_is_rewritten_all_the_time_is_never_taken_half() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let body = |letter: u8, size: usize| vec![letter; size];
        std::fs::write(&path, body(b'a', 1 << 20)).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut turn = 0_usize;
                while !done.load(Ordering::Relaxed) {
                    turn += 1;
                    let letter = if turn.is_multiple_of(2) { b'a' } else { b'b' };
                    std::fs::write(&path, body(letter, (1 << 20) + turn % 7)).unwrap();
                }
            });
            for _ in 0..50 {
                // A rewritten file is whole or refused. A write that stands still in the middle cannot be
                // told from a finished one by any reader; here it shows as a shorter file of one letter.
                if let WholeFile::Bytes(bytes) = read_whole(&path, 4 << 20).unwrap() {
                    assert!(bytes.windows(2).all(|pair| pair[0] == pair[1]), "two versions were mixed");
                }
            }
            done.store(true, Ordering::Relaxed);
        });
    }
}
