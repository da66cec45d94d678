pub(crate) mod body;

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::container::attachments::{attachments, document_name};
use adit_core::{ChildFile, MediaType, MetadataValue, ParseError, ParsedDocument};
use mail_parser::{Address, DateTime, Message, MessageParser, MessagePart, MimeHeaders, PartType};

use crate::builder::DocumentBuilder;
use crate::container::Take;
use crate::flow::{FlowWriter, WhiteSpace};
use crate::html;

/// Messages inside messages that are read; deeper ones are named only.
const MAX_NESTED_MESSAGES: u8 = 5;
/// Parts that may hold others. Beyond it the reader's tree could be too deep to be taken down.
const MAX_CONTAINERS: usize = 1_000;
/// Text of an attachment that is read.
const MAX_ATTACHMENT_BYTES: usize = 4 << 20;

/// Parses one mail message (RFC 5322 and MIME): its main headers as a paragraph and as metadata, its
/// plain text (else its HTML), attached messages and nameless text parts as sections. Attachments with a
/// name are named: each is a document of its own, which [`expand`] hands over.
///
/// # Errors
/// [`ParseError::Damaged`] if there is no header of a message, [`ParseError::Empty`] without a word.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let bytes = without_utf16(bytes);
    let message = read(&bytes)?;
    let has_header = message.from().is_some()
        || message.subject().is_some()
        || message.date().is_some()
        || message.to().is_some()
        || message.header("Received").is_some();
    if !has_header {
        return Err(damaged("it has no From, To, Date or Subject"));
    }
    let mut flow = FlowWriter::new(WhiteSpace::Collapse);
    add_metadata(&message, &mut flow.builder);
    write_message(&message, 0, &mut flow);
    let document = flow.finish().finish(MediaType::Email);
    if document.text.is_empty() { Err(ParseError::Empty) } else { Ok(document) }
}

/// Hands over the attachments that have a name, also those of attached messages.
///
/// # Errors
/// [`ParseError::Damaged`] if it is no message.
pub(crate) fn expand(bytes: &[u8], take: &mut Take<'_>) -> Result<(), ParseError> {
    let bytes = without_utf16(bytes);
    for attachment in attachments(&read(&bytes)?) {
        let child =
            ChildFile { path: attachment.name, modified_unix_ms: None, content: Ok(attachment.bytes) };
        if take(child).is_break() {
            break;
        }
    }
    Ok(())
}

fn read(bytes: &[u8]) -> Result<Message<'_>, ParseError> {
    if bytes.iter().all(u8::is_ascii_whitespace) {
        return Err(ParseError::Empty);
    }
    if containers(bytes) > MAX_CONTAINERS {
        return Err(damaged("it has too many parts inside parts"));
    }
    let message = catch_unwind(AssertUnwindSafe(|| MessageParser::default().parse(bytes)));
    message.unwrap_or_default().ok_or_else(|| damaged("it has no mail header"))
}

/// Mail programs of one kind save messages in UTF-16.
fn without_utf16(bytes: &[u8]) -> Cow<'_, [u8]> {
    let encoding = match bytes {
        [0xff, 0xfe, ..] | [1..=0x7f, 0, ..] => encoding_rs::UTF_16LE,
        [0xfe, 0xff, ..] | [0, 1..=0x7f, ..] => encoding_rs::UTF_16BE,
        [0xef, 0xbb, 0xbf, rest @ ..] => return Cow::Borrowed(rest),
        _ => return Cow::Borrowed(bytes),
    };
    Cow::Owned(encoding.decode_with_bom_removal(bytes).0.into_owned().into_bytes())
}

fn containers(bytes: &[u8]) -> usize {
    let begins = |start: &[u8], word: &[u8]| {
        start.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word))
    };
    (0..bytes.len())
        .filter_map(|at| bytes.get(at..))
        .filter(|rest| begins(rest, b"message/") || begins(rest, b"multipart/"))
        .count()
}

fn add_metadata(message: &Message<'_>, builder: &mut DocumentBuilder) {
    if let Some(subject) = message.subject() {
        builder.set_title(subject);
    }
    let mut lists = vec![
        ("from", message.from().map(addresses).unwrap_or_default()),
        ("to", message.to().map(addresses).unwrap_or_default()),
        ("cc", message.cc().map(addresses).unwrap_or_default()),
        ("subject", message.subject().map(|subject| vec![subject.trim().to_owned()]).unwrap_or_default()),
    ];
    // In one time zone, because dates are compared as text.
    let date = message.date().filter(|date| date.is_valid()).map(|date| date.to_timezone(0).to_rfc3339());
    lists.push(("date", date.into_iter().collect()));
    for (key, values) in lists {
        let values: Vec<_> =
            values.into_iter().filter(|value| !value.is_empty()).map(MetadataValue::Text).collect();
        if !values.is_empty() {
            builder.metadata().insert(key.to_owned(), values);
        }
    }
}

fn addresses(list: &Address<'_>) -> Vec<String> {
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    list.iter()
        .map(|one| match (one.name().map(one_line), one.address().map(one_line)) {
            (Some(name), Some(address)) if name != address => format!("{name} <{address}>"),
            (name, address) => address.or(name).unwrap_or_default(),
        })
        .collect()
}

fn write_message(message: &Message<'_>, depth: u8, flow: &mut FlowWriter) {
    flow.builder.paragraph(&header_lines(message));
    write_body(message, flow);
    let mut names = Vec::new();
    for part in message.attachments() {
        if let Some(name) = document_name(part) {
            names.push(name);
            continue;
        }
        let name = "without a name".to_owned();
        match &part.body {
            PartType::Message(inner) if depth < MAX_NESTED_MESSAGES => {
                let subject = inner.subject().unwrap_or("without a subject");
                flow.builder.heading(depth + 1, &format!("Attached message: {subject}"));
                write_message(inner, depth + 1, flow);
            }
            PartType::Text(text) if text.len() <= MAX_ATTACHMENT_BYTES => {
                if !text.trim().is_empty() {
                    flow.builder.heading(depth + 1, &format!("Attachment: {name}"));
                    body::write(text, &mut flow.builder);
                }
            }
            PartType::Html(text) if text.len() <= MAX_ATTACHMENT_BYTES => {
                flow.builder.heading(depth + 1, &format!("Attachment: {name}"));
                html::write_fragment(text, flow);
                flow.end_paragraph();
            }
            PartType::Multipart(_) => {}
            _ => {
                let kind = media_type_of(part);
                flow.builder.warn(format!("the attachment '{name}' ({kind}) was not read"));
                names.push(name);
            }
        }
    }
    if !names.is_empty() {
        flow.builder.paragraph(&format!("Attachments: {}", names.join(", ")));
    }
}

fn header_lines(message: &Message<'_>) -> String {
    let people = |list: Option<&Address<'_>>| list.map(|list| addresses(list).join(", "));
    let written = message.header_raw("Date").map(|date| date.trim().to_owned());
    let lines = [
        ("From", people(message.from())),
        ("To", people(message.to())),
        ("Cc", people(message.cc())),
        ("Date", written.or_else(|| message.date().map(DateTime::to_rfc3339))),
        ("Subject", message.subject().map(|subject| subject.trim().to_owned())),
    ];
    let lines = lines.into_iter().filter_map(|(name, value)| {
        let value = value.filter(|value| !value.is_empty())?;
        Some(format!("{name}: {}", value.split_whitespace().collect::<Vec<_>>().join(" ")))
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// The plain text, unless there is nothing in it.
fn write_body(message: &Message<'_>, flow: &mut FlowWriter) {
    let has_words = |part: &&MessagePart<'_>| match &part.body {
        PartType::Text(text) => !text.trim().is_empty(),
        _ => false,
    };
    let is_plain = message.text_bodies().any(|part| has_words(&part));
    let parts: Vec<_> =
        if is_plain { message.text_bodies().collect() } else { message.html_bodies().collect() };
    for part in parts {
        match &part.body {
            PartType::Text(text) => body::write(text, &mut flow.builder),
            PartType::Html(text) => {
                html::write_fragment(text, flow);
                flow.end_paragraph();
            }
            // Binary parts are among the attachments too.
            _ => {}
        }
    }
}

fn media_type_of(part: &MessagePart<'_>) -> String {
    let Some(kind) = part.content_type() else { return "of an unknown kind".to_owned() };
    format!("{}/{}", kind.ctype(), kind.subtype().unwrap_or("unknown"))
}

fn damaged(detail: &str) -> ParseError {
    ParseError::Damaged { media_type: MediaType::Email, detail: detail.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_body_and_attachments() {
        let mail = "From: =?utf-8?q?J=C3=BCrgen?= <j@x.org>\r\nTo: a@x.org, B <b@x.org>\r\nSubject: Plan\r\n\
                    Date: Sun, 1 Mar 2026 12:00:00 +0200\r\nMIME-Version: 1.0\r\n\
                    Content-Type: multipart/mixed; boundary=q\r\n\r\n--q\r\n\
                    Content-Type: text/plain; charset=iso-8859-1\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n\
                    caf=E9\r\n> quoted\r\n--q\r\nContent-Type: application/pdf; name=\"a.pdf\"\r\n\
                    Content-Disposition: attachment; filename=\"a.pdf\"\r\nContent-Transfer-Encoding: base64\r\n\r\n\
                    JVBERi0=\r\n--q--\r\n";
        let document = parse(mail.as_bytes()).unwrap();
        assert_eq!(
            document.text,
            "From: J\u{fc}rgen <j@x.org>\nTo: a@x.org, B <b@x.org>\nDate: Sun, 1 Mar 2026 12:00:00 +0200\n\
             Subject: Plan\n\ncaf\u{e9}\n\nquoted\n\nAttachments: a.pdf"
        );
        assert_eq!(document.title.as_deref(), Some("Plan"));
        assert_eq!(document.metadata["date"][0].to_text(), "2026-03-01T10:00:00Z");
        assert_eq!(document.metadata["to"].len(), 2);
        assert!(document.coverage.warnings.is_empty());
        let mut children = Vec::new();
        expand(mail.as_bytes(), &mut |child| {
            children.push((child.path, child.content.unwrap()));
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        assert_eq!(children, [("a.pdf".to_owned(), b"%PDF-".to_vec())]);
    }

    #[test]
    fn html_is_read_when_there_is_no_plain_text() {
        let mail = "From: a@x.org\nContent-Type: text/html\n\n<p>one<blockquote>two</blockquote>";
        assert_eq!(parse(mail.as_bytes()).unwrap().text, "From: a@x.org\n\none\n\ntwo");
    }

    #[test]
    fn messages_in_messages_end() {
        let mail = "Subject: s\nContent-Type: message/rfc822\n\n".repeat(20) + "Subject: last\n\nword";
        let text = parse(mail.as_bytes()).unwrap().text;
        assert_eq!(text.matches("Attached message").count(), usize::from(MAX_NESTED_MESSAGES));
        let mail = "Subject: s\nContent-Type: message/rfc822\n\n".repeat(100_000);
        assert!(matches!(parse(mail.as_bytes()), Err(ParseError::Damaged { .. })));
    }

    #[test]
    fn what_is_no_message_is_an_error() {
        assert_eq!(parse(b" \n"), Err(ParseError::Empty));
        assert!(matches!(parse(b"just words\n\nand more"), Err(ParseError::Damaged { .. })));
    }
}
