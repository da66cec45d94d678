use std::path::Path;

use fs_err::File;
use memmap2::Mmap;

use crate::SegmentFileError;

/// Maps a segment's file, which must have `expected_bytes`. It must not be changed or cut while it is mapped:
/// segments are immutable, only removed.
///
/// # Errors
/// [`SegmentFileError`].
pub fn map_segment(path: &Path, expected_bytes: u64) -> Result<Mmap, SegmentFileError> {
    let file = File::open(path).map_err(SegmentFileError::io(path))?;
    let file_bytes = file.metadata().map_err(SegmentFileError::io(path))?.len();
    if file_bytes != expected_bytes {
        let detail = format!("it has {file_bytes} bytes instead of {expected_bytes}");
        return Err(SegmentFileError::damaged(path, detail));
    }
    // SAFETY: segment files are written under another name and renamed when complete; nothing of ours
    // changes or cuts one afterwards, and removing one leaves the mapping valid.
    unsafe { Mmap::map(file.file()) }.map_err(SegmentFileError::io(path))
}
