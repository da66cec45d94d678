//! The first 128 bytes of a token segment's file. All numbers are little-endian.
//!
//! | bytes | what |
//! |---|---|
//! | 0-7 | `ADITTOK` and a zero byte |
//! | 8-11 | format version |
//! | 12-15 | bytes of a row |
//! | 16-19 | chunks |
//! | 20-23 | 0 |
//! | 24-39 | hash of the make, 16 hexadecimal digits in ASCII |
//! | 40-111 | three sections: offset (u64), length without padding (u64), CRC-32 with padding (u32), 0 (u32) |
//! | 112-123 | zero |
//! | 124-127 | CRC-32 of bytes 0-123 |
//!
//! Sections follow each other, each padded with zeros to a multiple of 64: the rows of all chunks; the chunk
//! ids (u32, rising); where each chunk's rows begin and, last, where all end, in bytes of the first section (u64).

use std::path::Path;

use adit_segment_file::{NumberReader, Section, check_layout, seal, sealed};

use crate::TokenVectorError;

pub(crate) const FORMAT_VERSION: u32 = 1;
pub(crate) const HEADER_BYTES: usize = 128;
const MAGIC: [u8; 8] = *b"ADITTOK\0";
const HASH_BYTES: usize = 16;

/// The sections in the order of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectionKind {
    Codes,
    ChunkIds,
    Starts,
}

impl SectionKind {
    pub(crate) const ALL: [Self; 3] = [Self::Codes, Self::ChunkIds, Self::Starts];
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Header {
    pub(crate) row_bytes: u32,
    pub(crate) chunks: u32,
    pub(crate) make_hash: String,
    pub(crate) sections: [Section; 3],
}

impl Header {
    pub(crate) fn section(&self, kind: SectionKind) -> Section {
        self.sections.get(kind as usize).copied().unwrap_or_default()
    }

    /// Bytes of the header and the CRC-32 at their end.
    pub(crate) fn encode(&self) -> (Vec<u8>, u32) {
        let mut bytes = Vec::with_capacity(HEADER_BYTES);
        bytes.extend(MAGIC);
        for number in [FORMAT_VERSION, self.row_bytes, self.chunks, 0] {
            bytes.extend(number.to_le_bytes());
        }
        let hash_end = bytes.len() + HASH_BYTES;
        bytes.extend(self.make_hash.bytes().take(HASH_BYTES));
        bytes.resize(hash_end, 0);
        self.sections.iter().for_each(|section| section.encode(&mut bytes));
        seal(bytes, HEADER_BYTES)
    }

    /// Reads and checks a header; returns it with its CRC-32.
    pub(crate) fn decode(path: &Path, file: &[u8]) -> Result<(Self, u32), TokenVectorError> {
        let damaged = |detail: &str| TokenVectorError::damaged(path, detail);
        let bytes = file.get(..HEADER_BYTES).ok_or_else(|| damaged("it is shorter than its header"))?;
        let Some(bytes_after_magic) = bytes.strip_prefix(&MAGIC) else {
            return Err(damaged("it does not begin as a token segment"));
        };
        let mut reader = NumberReader::new(bytes_after_magic);
        let found = reader.u32();
        if found > FORMAT_VERSION {
            return Err(TokenVectorError::NewerFormat {
                path: path.to_owned(),
                found,
                supported: FORMAT_VERSION,
            });
        }
        let (row_bytes, chunks) = (reader.u32(), reader.u32());
        reader.u32();
        let make_hash = String::from_utf8_lossy(&reader.take::<HASH_BYTES>()).into_owned();
        let mut header = Self { row_bytes, chunks, make_hash, sections: [Section::default(); 3] };
        header.sections.iter_mut().for_each(|section| *section = Section::decode(&mut reader));
        let crc32 = sealed(bytes)
            .filter(|_| found == FORMAT_VERSION)
            .ok_or_else(|| damaged("the header's checksum does not fit"))?;
        header.check(file.len() as u64).map_err(|detail| damaged(&detail))?;
        Ok((header, crc32))
    }

    /// Whether sections have the lengths the numbers demand, follow each other, and fill the file.
    fn check(&self, file_bytes: u64) -> Result<(), String> {
        let chunks = u64::from(self.chunks);
        let expected = [None, Some(chunks * 4), Some((chunks + 1) * 8)];
        let sections = SectionKind::ALL.into_iter().zip(self.sections).zip(expected);
        let sections = sections.map(|((kind, section), expected)| (kind, section, expected));
        check_layout(HEADER_BYTES as u64, sections, file_bytes)
    }
}
