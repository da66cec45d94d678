use std::path::Path;

use adit_core::ChunkId;
use adit_segment_file::{Section, SegmentWriter};

use super::TokenSegmentInfo;
use super::header::{HEADER_BYTES, Header};
use crate::TokenVectorError;
use crate::make::TokenCodeMake;
use crate::set::check_codes;

/// Takes the codes of chunks one by one and writes a segment of them.
///
/// Codes go straight to a file with a temporary name; memory holds 12 bytes a chunk. The file gets its name
/// only when it is complete and on the disk. A builder that is dropped before removes it.
#[derive(Debug)]
pub struct TokenSegmentBuilder {
    make: TokenCodeMake,
    output: SegmentWriter,
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
        let output = SegmentWriter::create(folder, format!("{name}.tok"), HEADER_BYTES)?;
        Ok(Self { make: make.clone(), output, chunk_ids: Vec::new(), starts: vec![0], code_bytes: 0 })
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
        self.output.write(codes)?;
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
        for (section, bytes) in header.sections.iter_mut().zip([None, Some(&ids), Some(&starts)]) {
            // The codes were written while they came in.
            if let Some(bytes) = bytes {
                self.output.write(bytes)?;
            }
            *section = self.output.end_section()?;
        }
        let (bytes, header_crc32) = header.encode();
        let (file_name, file_bytes) = self.output.finish(&bytes)?;
        Ok(TokenSegmentInfo {
            file_name,
            file_bytes,
            header_crc32,
            make_hash: header.make_hash,
            chunks: header.chunks,
        })
    }
}
