//! The first 256 bytes of a segment file. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0-7 | `ADITVEC` and a zero byte |
//! | 8-11 | format version |
//! | 12-39 | dimension, count, connectivity, levels of the graph (0: no graph), entry ordinal, ef_construction, 0 |
//! | 40-183 | six sections: offset (u64), length without padding (u64), CRC-32 with padding (u32), 0 (u32) |
//! | 184-251 | zero |
//! | 252-255 | CRC-32 of bytes 0-251 |
//!
//! Sections follow each other, each padded with zeros to a multiple of 64: float32 vectors; int8 rows;
//! the rows' steps (f32); chunk ids (u32, rising); links of the graph's lowest level (u32); the upper
//! levels, each as its number of nodes, their ordinals (rising) and their links.

use std::path::Path;

use adit_segment_file::{NumberReader, Section, check_layout, seal, sealed};

use crate::VectorError;
use crate::quantise::row_stride_bytes;

pub(crate) const FORMAT_VERSION: u32 = 1;
pub(crate) const HEADER_BYTES: usize = 256;
const MAGIC: [u8; 8] = *b"ADITVEC\0";

/// The sections in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionKind {
    Vectors,
    Rows,
    Steps,
    ChunkIds,
    BaseLinks,
    UpperLevels,
}

impl SectionKind {
    pub(crate) const ALL: [Self; 6] =
        [Self::Vectors, Self::Rows, Self::Steps, Self::ChunkIds, Self::BaseLinks, Self::UpperLevels];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Header {
    pub(crate) dimension: u32,
    pub(crate) count: u32,
    pub(crate) connectivity: u32,
    pub(crate) level_count: u32,
    pub(crate) entry: u32,
    pub(crate) ef_construction: u32,
    pub(crate) sections: [Section; 6],
}

impl Header {
    pub(crate) fn section(&self, kind: SectionKind) -> Section {
        self.sections.get(kind as usize).copied().unwrap_or_default()
    }

    /// Bytes of the header and the CRC-32 at their end.
    pub(crate) fn encode(&self) -> (Vec<u8>, u32) {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        let numbers = [
            FORMAT_VERSION,
            self.dimension,
            self.count,
            self.connectivity,
            self.level_count,
            self.entry,
            self.ef_construction,
            0,
        ];
        numbers.iter().for_each(|number| bytes.extend(number.to_le_bytes()));
        self.sections.iter().for_each(|section| section.encode(&mut bytes));
        seal(bytes, HEADER_BYTES)
    }

    /// Reads and checks a header; returns it with its CRC-32.
    pub(crate) fn decode(path: &Path, file: &[u8]) -> Result<(Self, u32), VectorError> {
        let damaged = |detail: &str| VectorError::damaged(path, detail);
        let bytes = file.get(..HEADER_BYTES).ok_or_else(|| damaged("it is shorter than its header"))?;
        let Some(bytes_after_magic) = bytes.strip_prefix(&MAGIC) else {
            return Err(damaged("it does not begin as a vector segment"));
        };
        let mut reader = NumberReader::new(bytes_after_magic);
        let found = reader.u32();
        if found > FORMAT_VERSION {
            return Err(VectorError::NewerFormat { path: path.to_owned(), found, supported: FORMAT_VERSION });
        }
        let mut header = Self {
            dimension: reader.u32(),
            count: reader.u32(),
            connectivity: reader.u32(),
            level_count: reader.u32(),
            entry: reader.u32(),
            ef_construction: reader.u32(),
            sections: [Section::default(); 6],
        };
        reader.u32();
        header.sections.iter_mut().for_each(|section| *section = Section::decode(&mut reader));
        let crc32 = sealed(bytes)
            .filter(|_| found == FORMAT_VERSION)
            .ok_or_else(|| damaged("the header's checksum does not fit"))?;
        header.check(file.len() as u64).map_err(|detail| damaged(&detail))?;
        Ok((header, crc32))
    }

    /// Whether sections have the lengths the numbers demand, follow each other, and fill the file.
    fn check(&self, file_bytes: u64) -> Result<(), String> {
        let sections = SectionKind::ALL.into_iter().zip(self.sections);
        let sections = sections.map(|(kind, section)| (kind, section, self.expected_length(kind)));
        check_layout(HEADER_BYTES as u64, sections, file_bytes)?;
        if self.level_count > 0 && self.entry >= self.count {
            return Err("its graph begins at a node that does not exist".to_owned());
        }
        Ok(())
    }

    /// Length of a section without padding; the upper levels tell their own.
    fn expected_length(&self, kind: SectionKind) -> Option<u64> {
        let count = u64::from(self.count);
        let stride = row_stride_bytes(self.dimension as usize) as u64;
        let has_graph = u64::from(self.level_count > 0);
        Some(match kind {
            SectionKind::Vectors => count * u64::from(self.dimension) * 4,
            SectionKind::Rows => count * stride,
            SectionKind::Steps | SectionKind::ChunkIds => count * 4,
            SectionKind::BaseLinks => has_graph * count * u64::from(self.connectivity) * 2 * 4,
            SectionKind::UpperLevels => return None,
        })
    }
}
