use std::collections::HashMap;

use adit_core::ParseError;
use encoding_rs::{Encoding, WINDOWS_1252};

use crate::compound::{Compound, u16_at, u32_at, utf16_text};
use crate::encoding;
use crate::rtf::charset;

/// Bytes of one fixed-size property ([MS-OXMSG] 2.4.2).
const ENTRY_BYTES: usize = 16;
/// Between 1601, where Windows counts from, and 1970.
const SECONDS_TO_1970: i64 = 11_644_473_600;

/// The properties that are read, by their ids ([MS-OXPROPS]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u16)]
pub(crate) enum Property {
    Subject = 0x0037,
    SubmitTime = 0x0039,
    RecipientType = 0x0c15,
    SenderName = 0x0c1a,
    SenderAddress = 0x0c1f,
    DisplayCc = 0x0e03,
    DisplayTo = 0x0e04,
    DeliveryTime = 0x0e06,
    Body = 0x1000,
    CompressedRtf = 0x1009,
    Html = 0x1013,
    DisplayName = 0x3001,
    EmailAddress = 0x3003,
    AttachmentData = 0x3701,
    AttachmentName = 0x3704,
    AttachmentLongName = 0x3707,
    SmtpAddress = 0x39fe,
    InternetCodePage = 0x3fde,
    CodePage = 0x3ffd,
    SenderSmtpAddress = 0x5d01,
}

/// A storage with properties: a message, a recipient or an attachment.
pub(crate) struct MessageStorage {
    path: String,
    /// Values of at most eight bytes, by id.
    fixed: HashMap<u16, u64>,
}

impl MessageStorage {
    /// Opens the storage at `path`; the message itself is at the empty path.
    ///
    /// # Errors
    /// [`ParseError::Damaged`] for a broken stream.
    pub(crate) fn open(compound: &mut Compound<'_>, path: &str) -> Result<Self, ParseError> {
        let stream = compound.stream(&format!("{path}/__properties_version1.0"))?.unwrap_or_default();
        // A message has a longer header than what is in it ([MS-OXMSG] 2.4.1).
        let header_bytes = match path.rsplit('/').next() {
            Some("") | None => 32,
            Some(name) if name.starts_with("__substg1.0_") => 24,
            Some(_) => 8,
        };
        let entries = stream.get(header_bytes..).unwrap_or_default();
        let fixed = entries
            .chunks_exact(ENTRY_BYTES)
            .filter_map(|entry| {
                let value = u64::from(u32_at(entry, 8)?) | u64::from(u32_at(entry, 12)?) << 32;
                Some((u16_at(entry, 2)?, value))
            })
            .collect();
        Ok(Self { path: path.to_owned(), fixed })
    }

    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The path under which the compound file lists this storage.
    pub(crate) fn storage_path(&self) -> String {
        if self.path.is_empty() { "/".to_owned() } else { self.path.clone() }
    }

    pub(crate) fn number(&self, property: Property) -> Option<u32> {
        self.fixed.get(&(property as u16)).and_then(|value| u32::try_from(value & 0xffff_ffff).ok())
    }

    /// When it was sent, else received, as RFC 3339 in UTC.
    pub(crate) fn date(&self) -> Option<String> {
        let [sent, received] = [Property::SubmitTime, Property::DeliveryTime];
        let ticks = self.fixed.get(&(sent as u16)).or_else(|| self.fixed.get(&(received as u16)))?;
        let seconds = i64::try_from(ticks / 10_000_000).ok()?.checked_sub(SECONDS_TO_1970)?;
        Some(mail_parser::DateTime::from_timestamp(seconds))
            .filter(mail_parser::DateTime::is_valid)
            .map(|date| date.to_rfc3339())
    }

    fn stream_path(&self, property: Property, kind: &str) -> String {
        format!("{}/__substg1.0_{:04X}{kind}", self.path, property as u16)
    }

    pub(crate) fn has(&self, compound: &Compound<'_>, property: Property) -> bool {
        compound.has_stream(&self.stream_path(property, "0102"))
    }

    /// The bytes of a binary property.
    pub(crate) fn bytes(
        &self,
        compound: &mut Compound<'_>,
        property: Property,
    ) -> Result<Option<Vec<u8>>, ParseError> {
        compound.stream(&self.stream_path(property, "0102"))
    }

    /// The words of a text property: UTF-16, or bytes in the message's code page.
    pub(crate) fn text(
        &self,
        compound: &mut Compound<'_>,
        property: Property,
    ) -> Result<Option<String>, ParseError> {
        if let Some(bytes) = compound.stream(&self.stream_path(property, "001F"))? {
            return Ok(Some(utf16_text(&bytes)));
        }
        let Some(bytes) = compound.stream(&self.stream_path(property, "001E"))? else { return Ok(None) };
        let bytes = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
        let declared = self.number(Property::CodePage).or(self.number(Property::InternetCodePage));
        Ok(Some(decode(bytes, declared)))
    }

    /// The message as HTML, which is stored as bytes in the encoding of the page, or as text.
    pub(crate) fn html(&self, compound: &mut Compound<'_>) -> Result<Option<String>, ParseError> {
        let Some(bytes) = self.bytes(compound, Property::Html)? else {
            return self.text(compound, Property::Html);
        };
        Ok(Some(match self.number(Property::InternetCodePage) {
            Some(page) => decode(&bytes, Some(page)),
            None => encoding::decode(&bytes, encoding::declared_in_html(&bytes)).0,
        }))
    }
}

fn decode(bytes: &[u8], code_page: Option<u32>) -> String {
    if let Ok(text) = std::str::from_utf8(bytes) {
        return text.to_owned();
    }
    let page = code_page.and_then(|page| i32::try_from(page).ok());
    let encoding: &'static Encoding = page.map_or(WINDOWS_1252, charset::of_code_page);
    encoding.decode_without_bom_handling(bytes).0.into_owned()
}
