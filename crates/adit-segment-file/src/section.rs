use std::fmt::Debug;
use std::path::Path;

use crate::{NumberReader, SECTION_ALIGNMENT_BYTES, SegmentFileError};

/// Where a section lies, and the CRC-32 of its bytes with their padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Section {
    /// From the beginning of the file.
    pub offset: u64,
    /// Bytes without padding.
    pub length: u64,
    /// Of the bytes with padding.
    pub crc32: u32,
}

impl Section {
    /// One past the padding; `None` behind any file.
    #[must_use]
    pub fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.length)?.checked_next_multiple_of(SECTION_ALIGNMENT_BYTES)
    }

    /// Appends its 24 bytes: offset, length (u64), CRC-32, 0 (u32).
    pub fn encode(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.offset.to_le_bytes());
        bytes.extend(self.length.to_le_bytes());
        bytes.extend(self.crc32.to_le_bytes());
        bytes.extend([0; 4]);
    }

    /// Reads what [`Section::encode`] wrote.
    pub fn decode(reader: &mut NumberReader<'_>) -> Self {
        let section = Self { offset: reader.u64(), length: reader.u64(), crc32: reader.u32() };
        reader.u32();
        section
    }
}

/// Whether the sections, given with their names and the lengths they must have where that is known, follow each
/// other behind a header of `header_bytes` and fill a file of `file_bytes`.
///
/// # Errors
/// What is wrong, in words.
pub fn check_layout<Kind: Debug>(
    header_bytes: u64,
    sections: impl IntoIterator<Item = (Kind, Section, Option<u64>)>,
    file_bytes: u64,
) -> Result<(), String> {
    let mut offset = header_bytes;
    for (kind, section, expected) in sections {
        if section.offset != offset || expected.is_some_and(|expected| expected != section.length) {
            return Err(format!("section {kind:?} is not where or as long as it must be"));
        }
        offset = section.end().ok_or("a section is longer than any file")?;
    }
    if offset != file_bytes {
        return Err(format!("it has {file_bytes} bytes instead of {offset}"));
    }
    Ok(())
}

/// Reads every byte of the sections of `file`, which lies at `path`.
///
/// # Errors
/// [`SegmentFileError::Damaged`] names the first whose checksum does not fit.
pub fn verify_sections<Kind: Debug>(
    path: &Path,
    file: &[u8],
    sections: impl IntoIterator<Item = (Kind, Section)>,
) -> Result<(), SegmentFileError> {
    for (kind, section) in sections {
        let end = section.end().unwrap_or(u64::MAX);
        let bytes = file.get(section.offset as usize..end as usize);
        if bytes.map(crc32fast::hash) != Some(section.crc32) {
            let detail = format!("the checksum of section {kind:?} does not fit");
            return Err(SegmentFileError::damaged(path, detail));
        }
    }
    Ok(())
}

/// The bytes of a section without padding; none where the file does not hold them.
#[must_use]
pub fn section_bytes(file: &[u8], section: Section) -> &[u8] {
    let Section { offset, length, .. } = section;
    file.get(offset as usize..(offset + length) as usize).unwrap_or(&[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_layout_has_no_gap_no_other_length_and_no_rest() {
        let first = Section { offset: 128, length: 5, crc32: 0 };
        let second = Section { offset: 192, length: 64, crc32: 0 };
        let check = |second, expected, file_bytes| {
            check_layout(128, [("first", first, None), ("second", second, expected)], file_bytes)
        };
        assert_eq!(check(second, Some(64), 256), Ok(()));
        assert!(check(second, Some(65), 256).unwrap_err().contains("second"));
        assert!(check(Section { offset: 193, ..second }, None, 256).is_err());
        assert!(check(Section { length: u64::MAX, ..second }, None, 256).is_err());
        assert!(check(second, None, 320).unwrap_err().contains("320 bytes instead of 256"));
    }

    #[test]
    fn a_section_is_read_as_it_was_written() {
        let section = Section { offset: 1, length: 2, crc32: 3 };
        let mut bytes = Vec::new();
        section.encode(&mut bytes);
        assert_eq!(bytes.len(), 24);
        assert_eq!(Section::decode(&mut NumberReader::new(&bytes)), section);
    }
}
