//! Messages as Outlook saves them ([MS-OXMSG]): a compound file with one stream for each property.

mod compressed_rtf;
mod properties;

use adit_core::{ChildFile, MediaType, MetadataValue, ParseError, ParsedDocument};

use crate::compound::Compound;
use crate::container::Take;
use crate::email::body;
use crate::flow::{FlowWriter, WhiteSpace};
use crate::{html, rtf};
use properties::{MessageStorage, Property};

/// Messages inside messages that are read; deeper ones are named only.
const MAX_NESTED_MESSAGES: u8 = 5;
/// Attachments and recipients of one message that are looked at.
const MAX_PARTS: usize = 10_000;

/// Reads a message as the mail parser does: headers as a paragraph and as metadata, the plain text (else
/// HTML, else rich text), attached messages as sections, attachments by name.
///
/// # Errors
/// [`ParseError::Damaged`] if its tables lead nowhere, [`ParseError::Empty`] without a word.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let mut compound = Compound::open(bytes, MediaType::Outlook)?;
    let mut flow = FlowWriter::new(WhiteSpace::Collapse);
    let message = MessageStorage::open(&mut compound, "")?;
    let headers = Headers::read(&message, &mut compound)?;
    headers.add_metadata(&mut flow);
    write_message(&message, &headers, &mut compound, 0, &mut flow)?;
    let document = flow.finish().finish(MediaType::Outlook);
    if document.text.is_empty() { Err(ParseError::Empty) } else { Ok(document) }
}

/// Hands over the attachments, also those of attached messages.
///
/// # Errors
/// As [`parse`].
pub(crate) fn expand(bytes: &[u8], take: &mut Take<'_>) -> Result<(), ParseError> {
    let mut compound = Compound::open(bytes, MediaType::Outlook)?;
    let mut open = vec![(String::new(), 0)];
    while let Some((path, depth)) = open.pop() {
        for storage in attachments(&compound, &path) {
            let attachment = MessageStorage::open(&mut compound, &storage)?;
            if let Some(inner) = inner_message(&compound, &storage) {
                if depth < MAX_NESTED_MESSAGES {
                    open.push((inner, depth + 1));
                }
                continue;
            }
            let Some(content) = attachment.bytes(&mut compound, Property::AttachmentData).transpose() else {
                continue;
            };
            let path = attachment_name(&attachment, &mut compound)?;
            if take(ChildFile { path, modified_unix_ms: None, content }).is_break() {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// What stands at the head of a message.
struct Headers {
    from: String,
    to: Vec<String>,
    cc: Vec<String>,
    date: Option<String>,
    subject: String,
}

impl Headers {
    fn read(message: &MessageStorage, compound: &mut Compound<'_>) -> Result<Self, ParseError> {
        let name = message.text(compound, Property::SenderName)?.unwrap_or_default();
        let address = match message.text(compound, Property::SenderSmtpAddress)? {
            Some(address) => Some(address),
            None => message.text(compound, Property::SenderAddress)?,
        };
        let (to, cc) = recipients(message, compound)?;
        Ok(Self {
            from: person(&name, &address.unwrap_or_default()),
            to,
            cc,
            date: message.date(),
            subject: message.text(compound, Property::Subject)?.unwrap_or_default(),
        })
    }

    fn add_metadata(&self, flow: &mut FlowWriter) {
        flow.builder.set_title(&self.subject);
        let subject = vec![self.subject.trim().to_owned()];
        let date: Vec<String> = self.date.iter().cloned().collect();
        let lists = [
            ("from", vec![self.from.clone()]),
            ("to", self.to.clone()),
            ("cc", self.cc.clone()),
            ("subject", subject),
            ("date", date),
        ];
        for (key, values) in lists {
            let values: Vec<_> =
                values.into_iter().filter(|value| !value.is_empty()).map(MetadataValue::Text).collect();
            if !values.is_empty() {
                flow.builder.metadata().insert(key.to_owned(), values);
            }
        }
    }

    fn lines(&self) -> String {
        let lines = [
            ("From", self.from.clone()),
            ("To", self.to.join(", ")),
            ("Cc", self.cc.join(", ")),
            ("Date", self.date.clone().unwrap_or_default()),
            ("Subject", self.subject.clone()),
        ];
        let lines = lines.iter().filter(|(_, value)| !value.trim().is_empty());
        let one_line = |value: &str| value.split_whitespace().collect::<Vec<_>>().join(" ");
        lines.map(|(name, value)| format!("{name}: {}", one_line(value))).collect::<Vec<_>>().join("\n")
    }
}

fn person(name: &str, address: &str) -> String {
    let (name, address) = (name.trim(), address.trim());
    // Addresses inside one organisation are paths (`/O=...`), which say nothing to a reader.
    let address = if address.starts_with('/') { "" } else { address };
    match (name.is_empty(), address.is_empty()) {
        (false, false) if name != address => format!("{name} <{address}>"),
        (true, _) => address.to_owned(),
        _ => name.to_owned(),
    }
}

/// Those in `To` and those in `Cc`, by the storages of the recipients, else as the message shows them.
fn recipients(
    message: &MessageStorage,
    compound: &mut Compound<'_>,
) -> Result<(Vec<String>, Vec<String>), ParseError> {
    let (mut to, mut cc) = (Vec::new(), Vec::new());
    for name in compound.storages(&message.storage_path(), "__recip_version1.0_").iter().take(MAX_PARTS) {
        let recipient = MessageStorage::open(compound, &format!("{}/{name}", message.path()))?;
        let name = recipient.text(compound, Property::DisplayName)?.unwrap_or_default();
        let address = match recipient.text(compound, Property::SmtpAddress)? {
            Some(address) => Some(address),
            None => recipient.text(compound, Property::EmailAddress)?,
        };
        let person = person(&name, &address.unwrap_or_default());
        match recipient.number(Property::RecipientType) {
            // Whoever got a blind copy is not named to other readers.
            Some(3) => {}
            Some(2) => cc.push(person),
            _ => to.push(person),
        }
    }
    if to.is_empty() {
        to.extend(message.text(compound, Property::DisplayTo)?);
    }
    if cc.is_empty() {
        cc.extend(message.text(compound, Property::DisplayCc)?);
    }
    Ok((to, cc))
}

// Recursion is bounded by `MAX_NESTED_MESSAGES`.
fn write_message(
    message: &MessageStorage,
    headers: &Headers,
    compound: &mut Compound<'_>,
    depth: u8,
    flow: &mut FlowWriter,
) -> Result<(), ParseError> {
    flow.builder.paragraph(&headers.lines());
    write_body(message, compound, flow)?;
    let mut names = Vec::new();
    for storage in attachments(compound, message.path()) {
        match inner_message(compound, &storage) {
            Some(path) if depth < MAX_NESTED_MESSAGES => {
                let inner = MessageStorage::open(compound, &path)?;
                let headers = Headers::read(&inner, compound)?;
                let subject = if headers.subject.is_empty() { "without a subject" } else { &headers.subject };
                flow.builder.heading(depth + 1, &format!("Attached message: {subject}"));
                write_message(&inner, &headers, compound, depth + 1, flow)?;
            }
            Some(_) => flow.builder.warn("a message attached too deep was not read".to_owned()),
            None => {
                let attachment = MessageStorage::open(compound, &storage)?;
                let name = attachment_name(&attachment, compound)?;
                if !attachment.has(compound, Property::AttachmentData) {
                    flow.builder.warn(format!("the attachment '{name}' has no content in the file"));
                }
                names.push(name);
            }
        }
    }
    if !names.is_empty() {
        flow.builder.paragraph(&format!("Attachments: {}", names.join(", ")));
    }
    Ok(())
}

fn write_body(
    message: &MessageStorage,
    compound: &mut Compound<'_>,
    flow: &mut FlowWriter,
) -> Result<(), ParseError> {
    if let Some(text) = message.text(compound, Property::Body)?.filter(|text| !text.trim().is_empty()) {
        body::write(&text.replace("\r\n", "\n").replace('\r', "\n"), &mut flow.builder);
        return Ok(());
    }
    if let Some(text) = message.html(compound)?.filter(|text| !text.trim().is_empty()) {
        html::write_fragment(&text, flow);
        flow.end_paragraph();
        return Ok(());
    }
    let Some(compressed) = message.bytes(compound, Property::CompressedRtf)? else { return Ok(()) };
    let text = compressed_rtf::decompress(&compressed).map(|plain| rtf::parse(&plain));
    match text {
        Some(Ok(parsed)) => body::write(&parsed.text, &mut flow.builder),
        Some(Err(ParseError::Empty)) => {}
        Some(Err(error)) => flow.builder.warn(format!("the rich text of the message was not read: {error}")),
        None => flow.builder.warn("the rich text of the message is broken".to_owned()),
    }
    Ok(())
}

fn attachments(compound: &Compound<'_>, path: &str) -> Vec<String> {
    let storage = if path.is_empty() { "/" } else { path };
    let names = compound.storages(storage, "__attach_version1.0_").into_iter().take(MAX_PARTS);
    names.map(|name| format!("{path}/{name}")).collect()
}

/// Where the message stands that is attached in `storage`, if it is one.
fn inner_message(compound: &Compound<'_>, storage: &str) -> Option<String> {
    const OBJECT: &str = "__substg1.0_3701000D";
    let path = format!("{storage}/{OBJECT}");
    compound.has_stream(&format!("{path}/__properties_version1.0")).then_some(path)
}

fn attachment_name(attachment: &MessageStorage, compound: &mut Compound<'_>) -> Result<String, ParseError> {
    for property in [Property::AttachmentLongName, Property::AttachmentName, Property::DisplayName] {
        if let Some(name) = attachment.text(compound, property)?.filter(|name| !name.trim().is_empty()) {
            return Ok(name.trim().to_owned());
        }
    }
    Ok("without a name".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compound::testing::compound_of;

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    /// The fixed-size properties of a message: a header, then a tag, flags and the value of each.
    fn fixed(header_bytes: usize, entries: &[(u32, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; header_bytes];
        for (tag, value) in entries {
            bytes.extend(tag.to_le_bytes());
            bytes.extend(0_u32.to_le_bytes());
            bytes.extend(value.to_le_bytes());
        }
        bytes
    }

    fn message() -> Vec<u8> {
        // 2026-03-01T10:00:00Z in steps of 100 ns since 1601.
        let date = (1_772_359_200_u64 + 11_644_473_600) * 10_000_000;
        let inner = "/__attach_version1.0_#00000001/__substg1.0_3701000D";
        compound_of(&[
            ("/__properties_version1.0", &fixed(32, &[(0x0039_0040, date)])),
            ("/__substg1.0_0037001F", &utf16("The plan")),
            ("/__substg1.0_0C1A001F", &utf16("J\u{fc}rgen")),
            ("/__substg1.0_5D01001F", &utf16("j@x.org")),
            ("/__substg1.0_1000001F", &utf16("Hello\r\n\r\n> quoted\r\n")),
            ("/__recip_version1.0_#00000000/__properties_version1.0", &fixed(8, &[(0x0c15_0003, 1)])),
            ("/__recip_version1.0_#00000000/__substg1.0_3001001F", &utf16("Ann")),
            ("/__recip_version1.0_#00000001/__properties_version1.0", &fixed(8, &[(0x0c15_0003, 3)])),
            ("/__recip_version1.0_#00000001/__substg1.0_3001001F", &utf16("Blind")),
            ("/__attach_version1.0_#00000000/__properties_version1.0", &fixed(8, &[])),
            ("/__attach_version1.0_#00000000/__substg1.0_3707001F", &utf16("prices.csv")),
            ("/__attach_version1.0_#00000000/__substg1.0_37010102", b"a,b\n1,2\n"),
            ("/__attach_version1.0_#00000001/__properties_version1.0", &fixed(8, &[])),
            (&format!("{inner}/__properties_version1.0"), &fixed(24, &[])),
            (&format!("{inner}/__substg1.0_0037001E"), b"Inner"),
            (&format!("{inner}/__substg1.0_10130102"), b"<p>In <b>HTML</b>"),
        ])
    }

    #[test]
    fn headers_body_attachments_and_inner_messages() {
        let document = parse(&message()).unwrap();
        assert_eq!(
            document.text,
            "From: J\u{fc}rgen <j@x.org>\nTo: Ann\nDate: 2026-03-01T10:00:00Z\nSubject: The plan\n\nHello\n\n\
             quoted\n\nAttached message: Inner\n\nSubject: Inner\n\nIn HTML\n\nAttachments: prices.csv"
        );
        assert_eq!(document.title.as_deref(), Some("The plan"));
        let mut children = Vec::new();
        expand(&message(), &mut |child| {
            children.push((child.path, child.content.unwrap()));
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(children, [("prices.csv".to_owned(), b"a,b\n1,2\n".to_vec())]);
    }

    #[test]
    fn a_message_without_words_is_empty_and_junk_is_damaged() {
        let empty = compound_of(&[("/__properties_version1.0", &fixed(32, &[]))]);
        assert_eq!(parse(&empty), Err(ParseError::Empty));
        assert!(matches!(parse(b"\xd0\xcf\x11\xe0 junk"), Err(ParseError::Damaged { .. })));
    }
}
