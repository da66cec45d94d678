use std::io::{Cursor, Read};

use adit_core::{MediaType, ParseError};
use cfb::CompoundFile;

/// One stream. The largest honest ones are attachments.
const MAX_STREAM_BYTES: u64 = 256 << 20;
/// Storages and streams that are listed.
const MAX_ENTRIES: usize = 100_000;

/// A compound file ([MS-CFB]): a tree of storages with streams in it, as Office used it until 2003 and
/// Outlook does still.
pub(crate) struct Compound<'a> {
    file: CompoundFile<Cursor<&'a [u8]>>,
    media_type: MediaType,
}

impl<'a> Compound<'a> {
    /// Opens a file that should hold a `media_type`.
    ///
    /// # Errors
    /// [`ParseError::Damaged`] if its tables lead nowhere.
    pub(crate) fn open(bytes: &'a [u8], media_type: MediaType) -> Result<Self, ParseError> {
        let file = CompoundFile::open(Cursor::new(bytes))
            .map_err(|error| ParseError::Damaged { media_type, detail: error.to_string() })?;
        Ok(Self { file, media_type })
    }

    /// An error of this file.
    pub(crate) fn damaged(&self, detail: impl Into<String>) -> ParseError {
        ParseError::Damaged { media_type: self.media_type, detail: detail.into() }
    }

    /// Whether there is a stream at `path`, such as `/WordDocument`.
    pub(crate) fn has_stream(&self, path: &str) -> bool {
        self.file.is_stream(path)
    }

    /// The bytes of the stream at `path`; `None` if there is none.
    ///
    /// # Errors
    /// [`ParseError::TooLarge`] and [`ParseError::Damaged`].
    pub(crate) fn stream(&mut self, path: &str) -> Result<Option<Vec<u8>>, ParseError> {
        if !self.has_stream(path) {
            return Ok(None);
        }
        let stream = self.file.open_stream(path);
        let stream = stream.map_err(|error| self.damaged(format!("{path}: {error}")))?;
        if stream.len() > MAX_STREAM_BYTES {
            return Err(ParseError::TooLarge { size_bytes: stream.len(), limit_bytes: MAX_STREAM_BYTES });
        }
        let mut bytes = Vec::new();
        let read = stream.take(MAX_STREAM_BYTES).read_to_end(&mut bytes);
        read.map_err(|error| self.damaged(format!("{path}: {error}")))?;
        Ok(Some(bytes))
    }

    /// The names of the storages directly in the storage `path` that begin with `prefix`, in order.
    pub(crate) fn storages(&self, path: &str, prefix: &str) -> Vec<String> {
        let Ok(entries) = self.file.read_storage(path) else { return Vec::new() };
        let mut names: Vec<String> = entries
            .take(MAX_ENTRIES)
            .filter(|entry| entry.is_storage() && entry.name().starts_with(prefix))
            .map(|entry| entry.name().to_owned())
            .collect();
        names.sort();
        names
    }
}

/// What a compound file holds, by the streams in it; `None` if it is none of these or cannot be opened.
pub(crate) fn kind(bytes: &[u8]) -> Option<MediaType> {
    let compound = Compound::open(bytes, MediaType::Unknown).ok()?;
    let streams = [
        ("/WordDocument", MediaType::Doc),
        ("/PowerPoint Document", MediaType::Ppt),
        ("/Workbook", MediaType::Spreadsheet),
        ("/Book", MediaType::Spreadsheet),
        ("/__properties_version1.0", MediaType::Outlook),
    ];
    streams.iter().find(|(name, _)| compound.has_stream(name)).map(|(_, kind)| *kind)
}

/// A number of two bytes, least significant first.
pub(crate) fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    let pair = bytes.get(at..at.checked_add(2)?)?;
    Some(u16::from_le_bytes(pair.try_into().ok()?))
}

/// A number of four bytes, least significant first.
pub(crate) fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    let four = bytes.get(at..at.checked_add(4)?)?;
    Some(u32::from_le_bytes(four.try_into().ok()?))
}

/// A number of four bytes as an offset or length.
pub(crate) fn size_at(bytes: &[u8], at: usize) -> Option<usize> {
    usize::try_from(u32_at(bytes, at)?).ok()
}

/// UTF-16, least significant byte first, up to the first NUL.
pub(crate) fn utf16_text(bytes: &[u8]) -> String {
    let units = bytes.chunks_exact(2).filter_map(|pair| u16_at(pair, 0)).take_while(|unit| *unit != 0);
    char::decode_utf16(units).map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
}

/// Small compound files for the unit tests of the formats.
#[cfg(test)]
pub(crate) mod testing {
    use std::io::Write;

    /// A file with these streams; storages on the way are made.
    pub(crate) fn compound_of(streams: &[(&str, &[u8])]) -> Vec<u8> {
        let mut file = cfb::CompoundFile::create(std::io::Cursor::new(Vec::new())).unwrap();
        for (path, bytes) in streams {
            if let Some((storage, _)) = path.rsplit_once('/').filter(|(storage, _)| !storage.is_empty()) {
                file.create_storage_all(storage).unwrap();
            }
            file.create_stream(path).unwrap().write_all(bytes).unwrap();
        }
        file.flush().unwrap();
        file.into_inner().into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::compound_of;
    use super::*;

    #[test]
    fn kinds_are_told_by_their_streams() {
        assert_eq!(kind(&compound_of(&[("/WordDocument", b"x")])), Some(MediaType::Doc));
        assert_eq!(kind(&compound_of(&[("/Workbook", b"x")])), Some(MediaType::Spreadsheet));
        assert_eq!(kind(&compound_of(&[("/Other", b"x")])), None);
        assert_eq!(kind(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 cut off"), None);
    }

    #[test]
    fn streams_and_storages_are_found_by_path() {
        let bytes = compound_of(&[("/a#1/s", b"words"), ("/a#0/s", b""), ("/top", b"z")]);
        let mut compound = Compound::open(&bytes, MediaType::Outlook).unwrap();
        assert_eq!(compound.storages("/", "a#"), ["a#0", "a#1"]);
        assert_eq!(compound.stream("/a#1/s").unwrap().as_deref(), Some(&b"words"[..]));
        assert_eq!(compound.stream("/none").unwrap(), None);
    }
}
