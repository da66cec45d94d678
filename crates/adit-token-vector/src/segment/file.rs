use std::path::{Path, PathBuf};

use adit_core::ChunkId;
use adit_segment_file::{map_segment, section_bytes, verify_sections};
use memmap2::Mmap;
use roaring::RoaringBitmap;

use super::TokenSegmentInfo;
use super::header::{Header, SectionKind};
use crate::TokenVectorError;

/// A segment in a memory-mapped file. It must not be changed or cut while it is open: segments are immutable,
/// only removed.
#[derive(Debug)]
pub struct TokenSegment {
    path: PathBuf,
    map: Mmap,
    header: Header,
    chunk_ids: RoaringBitmap,
}

impl TokenSegment {
    /// Opens a segment. Structure and sizes are always checked; with `verify` every byte is read and checked.
    ///
    /// # Errors
    /// [`TokenVectorError::Damaged`] and others, with the path.
    pub fn open(folder: &Path, info: &TokenSegmentInfo, verify: bool) -> Result<Self, TokenVectorError> {
        let path = folder.join(&info.file_name);
        let map = map_segment(&path, info.file_bytes)?;
        let (header, crc32) = Header::decode(&path, &map)?;
        if (crc32, header.chunks, &header.make_hash) != (info.header_crc32, info.chunks, &info.make_hash) {
            return Err(TokenVectorError::damaged(&path, "it is another segment than the manifest names"));
        }
        let mut segment = Self { path, map, header, chunk_ids: RoaringBitmap::new() };
        segment.chunk_ids = RoaringBitmap::from_sorted_iter(segment.ids())
            .ok()
            .filter(|ids| ids.len() == u64::from(info.chunks))
            .ok_or_else(|| TokenVectorError::damaged(&segment.path, "its chunk ids do not rise"))?;
        segment.check_starts()?;
        if verify {
            segment.verify()?;
        }
        Ok(segment)
    }

    /// Chunks whose codes it has.
    #[must_use]
    pub fn chunk_ids(&self) -> &RoaringBitmap {
        &self.chunk_ids
    }

    /// Hash of what made its codes.
    #[must_use]
    pub fn make_hash(&self) -> &str {
        &self.header.make_hash
    }

    /// Bytes of all codes.
    #[must_use]
    pub fn code_bytes(&self) -> u64 {
        self.header.section(SectionKind::Codes).length
    }

    /// The rows of a chunk.
    #[must_use]
    pub fn codes(&self, chunk: ChunkId) -> Option<&[u8]> {
        let ids = self.bytes(SectionKind::ChunkIds).as_chunks::<4>().0;
        let at = ids.binary_search_by_key(&chunk.0, |bytes| u32::from_le_bytes(*bytes)).ok()?;
        let (starts, _) = self.bytes(SectionKind::Starts).as_chunks::<8>();
        let start = |at: usize| starts.get(at).map(|bytes| u64::from_le_bytes(*bytes) as usize);
        self.bytes(SectionKind::Codes).get(start(at)?..start(at + 1)?)
    }

    fn ids(&self) -> impl Iterator<Item = u32> {
        let ids = self.bytes(SectionKind::ChunkIds).as_chunks::<4>().0.to_vec();
        ids.into_iter().map(u32::from_le_bytes)
    }

    fn check_starts(&self) -> Result<(), TokenVectorError> {
        let starts = self.bytes(SectionKind::Starts).as_chunks::<8>().0;
        let starts: Vec<u64> = starts.iter().map(|bytes| u64::from_le_bytes(*bytes)).collect();
        let row_bytes = u64::from(self.header.row_bytes).max(1);
        let is_sound = starts.is_sorted()
            && starts.first() == Some(&0)
            && starts.last() == Some(&self.code_bytes())
            && starts.iter().all(|start| start.is_multiple_of(row_bytes));
        if is_sound {
            Ok(())
        } else {
            Err(TokenVectorError::damaged(&self.path, "its chunks' rows are not where they must be"))
        }
    }

    fn verify(&self) -> Result<(), TokenVectorError> {
        let sections = SectionKind::ALL.into_iter().zip(self.header.sections);
        Ok(verify_sections(&self.path, &self.map, sections)?)
    }

    fn bytes(&self, kind: SectionKind) -> &[u8] {
        section_bytes(&self.map, self.header.section(kind))
    }
}
