use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use adit_core::ChunkId;
use fs_err::File;

use super::TokenSegmentInfo;
use super::header::{HEADER_BYTES, Header, SECTION_ALIGNMENT_BYTES, Section};
use crate::TokenVectorError;
use crate::make::TokenCodeMake;
use crate::set::check_codes;

/// Takes the codes of chunks one by one and writes a segment of them.
///
/// Codes go straight to a file with a temporary name; memory holds 12 bytes a chunk. The file gets its name
/// only when it is complete and on the disk. A builder that is dropped before removes it.
#[derive(Debug)]
pub struct TokenSegmentBuilder {
    folder: PathBuf,
    file_name: String,
    make: TokenCodeMake,
    file: BufWriter<File>,
    partial: PartialFile,
    checksum: crc32fast::Hasher,
    chunk_ids: Vec<u32>,
    /// Where each chunk's rows begin, and last where all end.
    starts: Vec<u64>,
    code_bytes: u64,
}

impl TokenSegmentBuilder {
    /// Begins a segment called `name` in an existing folder.
    ///
    /// # Errors
    /// [`TokenVectorError::Make`], [`TokenVectorError::Io`].
    pub fn create(folder: &Path, name: &str, make: &TokenCodeMake) -> Result<Self, TokenVectorError> {
        make.check()?;
        let file_name = format!("{name}.tok");
        let partial = PartialFile { path: folder.join(format!("{file_name}.partial")), is_kept: false };
        let file = File::create(&partial.path).map_err(TokenVectorError::io(&partial.path))?;
        let mut file = BufWriter::with_capacity(1 << 18, file);
        file.write_all(&[0; HEADER_BYTES]).map_err(TokenVectorError::io(&partial.path))?;
        Ok(Self {
            folder: folder.to_owned(),
            file_name,
            make: make.clone(),
            file,
            partial,
            checksum: crc32fast::Hasher::new(),
            chunk_ids: Vec::new(),
            starts: vec![0],
            code_bytes: 0,
        })
    }

    /// Adds the rows of a chunk greater than all before.
    ///
    /// # Errors
    /// [`TokenVectorError::Length`], [`TokenVectorError::Order`], [`TokenVectorError::Io`].
    pub fn push(&mut self, chunk: ChunkId, codes: &[u8]) -> Result<(), TokenVectorError> {
        check_codes(&self.make, codes)?;
        if let Some(previous) = self.chunk_ids.last().copied().filter(|previous| *previous >= chunk.0) {
            return Err(TokenVectorError::Order { previous, given: chunk.0 });
        }
        self.write(codes)?;
        self.code_bytes += codes.len() as u64;
        self.chunk_ids.push(chunk.0);
        self.starts.push(self.code_bytes);
        Ok(())
    }

    /// Whether no chunk was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.chunk_ids.is_empty()
    }

    /// Completes the file and gives it its name.
    ///
    /// # Errors
    /// [`TokenVectorError::Io`].
    pub fn finish(mut self) -> Result<TokenSegmentInfo, TokenVectorError> {
        let mut header = Header {
            row_bytes: self.make.row_bytes() as u32,
            chunks: self.chunk_ids.len() as u32,
            make_hash: self.make.hash(),
            sections: [Section::default(); 3],
        };
        let ids: Vec<u8> = self.chunk_ids.iter().flat_map(|id| id.to_le_bytes()).collect();
        let starts: Vec<u8> = self.starts.iter().flat_map(|start| start.to_le_bytes()).collect();
        let mut offset = HEADER_BYTES as u64;
        for (section, bytes) in header.sections.iter_mut().zip([None, Some(&ids), Some(&starts)]) {
            if let Some(bytes) = bytes {
                self.write(bytes)?;
            }
            let length = bytes.map_or(self.code_bytes, |bytes| bytes.len() as u64);
            *section = self.end_section(offset, length)?;
            offset = section.end().unwrap_or(u64::MAX);
        }
        let (bytes, header_crc32) = header.encode();
        self.complete(&bytes)?;
        let path = self.folder.join(&self.file_name);
        fs_err::rename(&self.partial.path, &path).map_err(TokenVectorError::io(&path))?;
        self.partial.is_kept = true;
        sync_folder(&self.folder)?;
        Ok(TokenSegmentInfo {
            file_name: std::mem::take(&mut self.file_name),
            file_bytes: offset,
            header_crc32,
            make_hash: header.make_hash,
            chunks: header.chunks,
        })
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), TokenVectorError> {
        self.checksum.update(bytes);
        self.file.write_all(bytes).map_err(TokenVectorError::io(&self.partial.path))
    }

    /// Pads what was written since `offset`, `length` bytes, and takes its checksum.
    fn end_section(&mut self, offset: u64, length: u64) -> Result<Section, TokenVectorError> {
        let padding = length.next_multiple_of(SECTION_ALIGNMENT_BYTES) - length;
        self.write(ZEROS.get(..padding as usize).unwrap_or(&ZEROS))?;
        let checksum = std::mem::take(&mut self.checksum);
        Ok(Section { offset, length, crc32: checksum.finalize() })
    }

    /// Writes the header and waits until everything is on the disk.
    fn complete(&mut self, header: &[u8]) -> Result<(), TokenVectorError> {
        let path = &self.partial.path;
        self.file.seek(SeekFrom::Start(0)).map_err(TokenVectorError::io(path))?;
        self.file.write_all(header).map_err(TokenVectorError::io(path))?;
        self.file.flush().map_err(TokenVectorError::io(path))?;
        self.file.get_ref().sync_all().map_err(TokenVectorError::io(path))
    }
}

const ZEROS: [u8; SECTION_ALIGNMENT_BYTES as usize] = [0; SECTION_ALIGNMENT_BYTES as usize];

/// Makes a renamed file's name durable.
fn sync_folder(folder: &Path) -> Result<(), TokenVectorError> {
    // Only Unix lets a folder be opened and synced.
    #[cfg(unix)]
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(TokenVectorError::io(folder))?;
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
            tracing::warn!(%error, "an unfinished token segment stays");
        }
    }
}
