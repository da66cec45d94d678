pub(crate) mod relationships;

use std::collections::HashMap;
use std::io::{Cursor, Read};

use adit_core::{MediaType, ParseError};
use encoding_rs::{UTF_8, UTF_16BE, UTF_16LE};
use zip::ZipArchive;
use zip::result::ZipError;

/// One part of a package, unpacked. The largest honest ones are the text of books.
const MAX_ENTRY_BYTES: u64 = 128 << 20;
/// Everything that is read of one package, unpacked.
const MAX_TOTAL_BYTES: u64 = 384 << 20;

const OLE2_SIGNATURE: &[u8] = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1";

/// A ZIP file of parts (Office Open XML, OpenDocument, EPUB), read with a limit on what it may unpack to.
pub(crate) struct Package<'a> {
    archive: ZipArchive<Cursor<&'a [u8]>>,
    entries: HashMap<String, usize>,
    media_type: MediaType,
    unpacked_bytes: u64,
}

impl<'a> Package<'a> {
    /// Opens a package that should hold a `media_type`.
    ///
    /// # Errors
    /// [`ParseError::PasswordNeeded`] for an encrypted one, [`ParseError::Damaged`] for no ZIP file.
    pub(crate) fn open(bytes: &'a [u8], media_type: MediaType) -> Result<Self, ParseError> {
        if is_encrypted_office(bytes) {
            return Err(ParseError::PasswordNeeded);
        }
        let archive = ZipArchive::new(Cursor::new(bytes))
            .map_err(|error| ParseError::Damaged { media_type, detail: error.to_string() })?;
        let mut entries = HashMap::with_capacity(archive.len().min(1 << 16));
        for index in 0..archive.len() {
            if let Some(Ok(name)) = archive.name_for_index(index) {
                entries.entry(normalise_name(&name)).or_insert(index);
            }
        }
        Ok(Self { archive, entries, media_type, unpacked_bytes: 0 })
    }

    pub(crate) fn media_type(&self) -> MediaType {
        self.media_type
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.entries.contains_key(&normalise_name(name))
    }

    /// The bytes of one part; `None` if there is none of that name. Letter case does not matter
    /// (ECMA-376 part 2, 6.3.5).
    ///
    /// # Errors
    /// [`ParseError::TooLarge`] for a part or package that unpacks to more than the limits,
    /// [`ParseError::PasswordNeeded`] for an encrypted part, [`ParseError::Damaged`] for a broken one.
    pub(crate) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, ParseError> {
        let Some(&index) = self.entries.get(&normalise_name(name)) else { return Ok(None) };
        let media_type = self.media_type;
        let damaged =
            |detail: String| ParseError::Damaged { media_type, detail: format!("{name}: {detail}") };
        let limit = MAX_ENTRY_BYTES.min(MAX_TOTAL_BYTES.saturating_sub(self.unpacked_bytes));
        let entry = self.archive.by_index(index).map_err(|error| match error {
            ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => ParseError::PasswordNeeded,
            error => damaged(error.to_string()),
        })?;
        let declared_bytes = entry.size();
        let mut bytes = Vec::new();
        // A bomb's header may lie about its size, so what comes out is counted.
        entry.take(limit + 1).read_to_end(&mut bytes).map_err(|error| damaged(error.to_string()))?;
        let size_bytes = bytes.len() as u64;
        if size_bytes > limit {
            return Err(ParseError::TooLarge {
                size_bytes: declared_bytes.max(size_bytes),
                limit_bytes: limit,
            });
        }
        self.unpacked_bytes += size_bytes;
        Ok(Some(bytes))
    }

    /// One part as text: UTF-8, or UTF-16 with a byte order mark.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub(crate) fn read_text(&mut self, name: &str) -> Result<Option<String>, ParseError> {
        Ok(self.read(name)?.map(|bytes| decode(&bytes)))
    }

    /// One part as text that the package cannot do without.
    ///
    /// # Errors
    /// As [`Self::read`], and [`ParseError::Damaged`] if it is not there.
    pub(crate) fn required_text(&mut self, name: &str) -> Result<String, ParseError> {
        self.read_text(name)?.ok_or_else(|| ParseError::Damaged {
            media_type: self.media_type,
            detail: format!("the part {name} is missing"),
        })
    }
}

/// Whether these bytes are an Office document locked by a password: an OLE2 file with a stream
/// `EncryptedPackage` ([MS-OFFCRYPTO] 2.3.4.4).
pub(crate) fn is_encrypted_office(bytes: &[u8]) -> bool {
    let name: Vec<u8> = "EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes).collect();
    bytes.starts_with(OLE2_SIGNATURE) && bytes.windows(name.len()).any(|window| window == name)
}

/// What a ZIP package holds, told by its content: the `mimetype` entry or the content type of the main
/// part. `None` for other ZIP files.
pub(crate) fn kind_of_package(bytes: &[u8]) -> Option<MediaType> {
    if !bytes.starts_with(b"PK") {
        return None;
    }
    let mut package = Package::open(bytes, MediaType::Unknown).ok()?;
    if let Ok(Some(mimetype)) = package.read_text("mimetype")
        && let Some(kind) = kind_of_mimetype(mimetype.trim())
    {
        return Some(kind);
    }
    let content_types = package.read_text("[Content_Types].xml").ok().flatten().unwrap_or_default();
    let by_type = [
        ("wordprocessingml.document.main+xml", MediaType::Docx),
        ("wordprocessingml.template.main+xml", MediaType::Docx),
        ("ms-word.document.macroEnabled.main+xml", MediaType::Docx),
        ("ms-word.template.macroEnabledTemplate.main+xml", MediaType::Docx),
        ("presentationml.presentation.main+xml", MediaType::Pptx),
        ("presentationml.slideshow.main+xml", MediaType::Pptx),
        ("presentationml.template.main+xml", MediaType::Pptx),
        ("ms-powerpoint.presentation.macroEnabled.main+xml", MediaType::Pptx),
        ("ms-powerpoint.slideshow.macroEnabled.main+xml", MediaType::Pptx),
        ("spreadsheetml.sheet.main+xml", MediaType::Spreadsheet),
        ("spreadsheetml.template.main+xml", MediaType::Spreadsheet),
        ("ms-excel.sheet.macroEnabled.main+xml", MediaType::Spreadsheet),
        ("ms-excel.sheet.binary.macroEnabled.main", MediaType::Spreadsheet),
    ];
    let by_part = [
        ("word/document.xml", MediaType::Docx),
        ("ppt/presentation.xml", MediaType::Pptx),
        ("xl/workbook.xml", MediaType::Spreadsheet),
        ("META-INF/container.xml", MediaType::Epub),
    ];
    let kind_by_type = by_type.iter().find(|(name, _)| content_types.contains(name));
    kind_by_type.or_else(|| by_part.iter().find(|(name, _)| package.contains(name))).map(|(_, kind)| *kind)
}

fn kind_of_mimetype(mimetype: &str) -> Option<MediaType> {
    let base = mimetype.strip_suffix("-template").unwrap_or(mimetype);
    match base {
        "application/epub+zip" => Some(MediaType::Epub),
        "application/vnd.oasis.opendocument.text"
        | "application/vnd.oasis.opendocument.text-master"
        | "application/vnd.oasis.opendocument.text-web" => Some(MediaType::Odt),
        "application/vnd.oasis.opendocument.presentation" => Some(MediaType::Odp),
        "application/vnd.oasis.opendocument.spreadsheet" => Some(MediaType::Spreadsheet),
        _ => None,
    }
}

fn normalise_name(name: &str) -> String {
    name.replace('\\', "/").trim_start_matches('/').to_lowercase()
}

fn decode(bytes: &[u8]) -> String {
    let encoding = match bytes {
        [0xff, 0xfe, ..] | [b'<', 0, ..] => UTF_16LE,
        [0xfe, 0xff, ..] | [0, b'<', ..] => UTF_16BE,
        _ => UTF_8,
    };
    encoding.decode_with_bom_removal(bytes).0.into_owned()
}

/// Small packages for the unit tests of the formats.
#[cfg(test)]
pub(crate) mod testing {
    use std::io::Write;

    use zip::write::SimpleFileOptions;

    pub(crate) fn zip_of(parts: &[(&str, &str)]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        for (name, content) in parts {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(content.as_bytes()).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::testing::zip_of;
    use super::*;

    #[test]
    fn kinds_are_told_by_content() {
        let odp = zip_of(&[("mimetype", "application/vnd.oasis.opendocument.presentation")]);
        assert_eq!(kind_of_package(&odp), Some(MediaType::Odp));
        let types = "<Types><Override ContentType=\"application/vnd.openxmlformats-officedocument.\
                     presentationml.presentation.main+xml\"/></Types>";
        assert_eq!(kind_of_package(&zip_of(&[("[Content_Types].xml", types)])), Some(MediaType::Pptx));
        assert_eq!(kind_of_package(&zip_of(&[("a.txt", "x")])), None);
        assert_eq!(kind_of_package(b"PK\x03\x04junk"), None);
    }

    #[test]
    fn a_bomb_is_refused_whatever_it_unpacks_to() {
        let bomb = zip_of(&[("a.xml", &"0".repeat(MAX_ENTRY_BYTES as usize + 1))]);
        assert!(bomb.len() < 1 << 20);
        let mut package = Package::open(&bomb, MediaType::Docx).unwrap();
        assert!(matches!(package.read("a.xml"), Err(ParseError::TooLarge { .. })));
    }

    #[test]
    fn locked_office_files_are_told_from_old_ones() {
        let mut locked = OLE2_SIGNATURE.to_vec();
        assert!(!is_encrypted_office(&locked));
        locked.extend("EncryptedPackage".encode_utf16().flat_map(u16::to_le_bytes));
        assert_eq!(Package::open(&locked, MediaType::Docx).err(), Some(ParseError::PasswordNeeded));
    }

    #[test]
    fn names_ignore_case_and_leading_slashes() {
        let bytes = zip_of(&[("Word/Document.xml", "\u{feff}<a/>")]);
        let mut package = Package::open(&bytes, MediaType::Docx).unwrap();
        assert_eq!(package.read_text("/word/document.xml").unwrap().as_deref(), Some("<a/>"));
        assert_eq!(package.read_text("word/styles.xml").unwrap(), None);
    }
}
