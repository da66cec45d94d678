use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use fs_err::File;

use crate::{SECTION_ALIGNMENT_BYTES, Section, SegmentFileError};

const ZEROS: [u8; SECTION_ALIGNMENT_BYTES as usize] = [0; SECTION_ALIGNMENT_BYTES as usize];
const BUFFER_BYTES: usize = 1 << 18;

/// Writes sections one after the other behind the room for a header, counting and checksumming.
///
/// The file has a temporary name until [`SegmentWriter::finish`]; a writer that is dropped before removes it.
#[derive(Debug)]
pub struct SegmentWriter {
    folder: PathBuf,
    file_name: String,
    file: BufWriter<File>,
    partial: PartialFile,
    section_start: u64,
    position: u64,
    checksum: crc32fast::Hasher,
}

impl SegmentWriter {
    /// Begins the file `file_name` in an existing folder, with room for a header of `header_bytes`.
    ///
    /// # Errors
    /// [`SegmentFileError::Io`].
    pub fn create(folder: &Path, file_name: String, header_bytes: usize) -> Result<Self, SegmentFileError> {
        let partial = PartialFile { path: folder.join(format!("{file_name}.partial")), is_kept: false };
        let file = File::create(&partial.path).map_err(SegmentFileError::io(&partial.path))?;
        let mut file = BufWriter::with_capacity(BUFFER_BYTES, file);
        file.write_all(&vec![0; header_bytes]).map_err(SegmentFileError::io(&partial.path))?;
        let position = header_bytes as u64;
        Ok(Self {
            folder: folder.to_owned(),
            file_name,
            file,
            partial,
            section_start: position,
            position,
            checksum: crc32fast::Hasher::new(),
        })
    }

    /// Appends to the section that is being written.
    ///
    /// # Errors
    /// [`SegmentFileError::Io`].
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), SegmentFileError> {
        self.checksum.update(bytes);
        self.position += bytes.len() as u64;
        self.file.write_all(bytes).map_err(SegmentFileError::io(&self.partial.path))
    }

    /// Pads what was written since the last section and takes its checksum; the next one begins.
    ///
    /// # Errors
    /// [`SegmentFileError::Io`].
    pub fn end_section(&mut self) -> Result<Section, SegmentFileError> {
        let length = self.position - self.section_start;
        let padding = length.next_multiple_of(SECTION_ALIGNMENT_BYTES) - length;
        self.write(ZEROS.get(..padding as usize).unwrap_or(&ZEROS))?;
        let checksum = std::mem::take(&mut self.checksum);
        let section = Section { offset: self.section_start, length, crc32: checksum.finalize() };
        self.section_start = self.position;
        Ok(section)
    }

    /// Writes the header, waits until everything is on the disk, and gives the file its name. Returns that and
    /// the file's size in bytes.
    ///
    /// # Errors
    /// [`SegmentFileError::Io`].
    pub fn finish(mut self, header: &[u8]) -> Result<(String, u64), SegmentFileError> {
        let path = &self.partial.path;
        self.file.seek(SeekFrom::Start(0)).map_err(SegmentFileError::io(path))?;
        self.file.write_all(header).map_err(SegmentFileError::io(path))?;
        self.file.flush().map_err(SegmentFileError::io(path))?;
        self.file.get_ref().sync_all().map_err(SegmentFileError::io(path))?;
        let path = self.folder.join(&self.file_name);
        fs_err::rename(&self.partial.path, &path).map_err(SegmentFileError::io(&path))?;
        self.partial.is_kept = true;
        sync_folder(&self.folder)?;
        Ok((self.file_name, self.position))
    }
}

/// Makes a renamed file's name durable.
fn sync_folder(folder: &Path) -> Result<(), SegmentFileError> {
    // Only Unix lets a folder be opened and synced.
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(SegmentFileError::io(folder))?;
    #[cfg(not(unix))]
    let _ = folder;
    Ok(())
}

/// Removes the file unless it was kept.
#[derive(Debug)]
struct PartialFile {
    path: PathBuf,
    is_kept: bool,
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.is_kept
            && let Err(error) = fs_err::remove_file(&self.path)
        {
            tracing::warn!(%error, "an unfinished segment stays");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{map_segment, section_bytes, verify_sections};

    #[test]
    fn a_finished_file_is_there_whole_and_a_dropped_one_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let mut writer = SegmentWriter::create(folder.path(), "a.seg".to_owned(), 64).unwrap();
        writer.write(b"one").unwrap();
        let first = writer.end_section().unwrap();
        writer.write(b"two and more").unwrap();
        let second = writer.end_section().unwrap();
        let (name, file_bytes) = writer.finish(&[7; 64]).unwrap();
        let path = folder.path().join(name);
        let mut map = map_segment(&path, file_bytes).unwrap().to_vec();
        assert_eq!(
            (section_bytes(&map, first), section_bytes(&map, second)),
            (&b"one"[..], &b"two and more"[..])
        );
        let sections = [("first", first), ("second", second)];
        verify_sections(&path, &map, sections).unwrap();
        map[second.offset as usize + 40] ^= 1;
        assert!(verify_sections(&path, &map, sections).unwrap_err().to_string().contains("second"));
        assert!(map_segment(&path, file_bytes + 1).is_err());

        drop(SegmentWriter::create(folder.path(), "b.seg".to_owned(), 64).unwrap());
        let names: Vec<_> =
            std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["a.seg"]);
    }
}
