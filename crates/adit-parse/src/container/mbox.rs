use adit_core::{ChildFile, ParseError};

use super::{Meter, Take};
use crate::ParseLimits;

/// Characters of a subject that name a message.
const SUBJECT_CHARACTERS: usize = 60;
/// Bytes of a message that are looked at for its subject.
const HEAD_BYTES: usize = 16 << 10;

/// Whether a file is a mailbox (RFC 4155): a line `From ` with a date, then a header.
pub(crate) fn is_mbox(bytes: &[u8]) -> bool {
    let mut lines = bytes.get(..4096).unwrap_or(bytes).split(|byte| *byte == b'\n');
    let is_first = lines.next().is_some_and(is_separator);
    let next = lines.next().unwrap_or_default();
    // `>From ` may follow, which some programs write for forwarded messages.
    let name = next.iter().take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-').count();
    is_first && ((name > 0 && next.get(name) == Some(&b':')) || next.starts_with(b">From "))
}

/// `From `, an address, and a date, which ends with a year or an offset.
fn is_separator(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line.starts_with(b"From ") && line.len() > 10 && line.iter().rev().take(4).all(u8::is_ascii_digit)
}

/// Hands over the messages of a mailbox. A message is named by its subject and by a hash of its bytes, so
/// that it keeps its name when messages before it are deleted.
pub(crate) fn expand(bytes: &[u8], limits: &ParseLimits, take: &mut Take<'_>) -> Result<(), ParseError> {
    let mut meter = Meter::new(limits, bytes.len());
    for message in messages(bytes) {
        if message.trim_ascii().is_empty() {
            continue;
        }
        meter.entry()?;
        let content = without_quoting(message);
        let path = name_of(&content);
        if take(ChildFile { path, modified_unix_ms: None, content: Ok(content) }).is_break() {
            break;
        }
    }
    Ok(())
}

/// The messages without their separator lines. A separator follows a blank line or begins the file.
fn messages(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut at = 0;
    let mut start = None;
    let mut after_blank = true;
    std::iter::from_fn(move || {
        while let Some(rest) = bytes.get(at..).filter(|rest| !rest.is_empty()) {
            let length = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |end| end + 1);
            let line = rest.get(..length).unwrap_or_default();
            let line_start = at;
            at += length;
            let begins = after_blank && is_separator(line);
            after_blank = line.trim_ascii().is_empty();
            if begins && let Some(start) = start.replace(at) {
                return bytes.get(start..line_start);
            }
        }
        start.take().and_then(|start| bytes.get(start..))
    })
}

/// `>From ` at the beginning of a line was `From ` before the message was put into the mailbox.
fn without_quoting(message: &[u8]) -> Vec<u8> {
    let mut content = Vec::with_capacity(message.len());
    for line in message.split_inclusive(|byte| *byte == b'\n') {
        let marks = line.iter().take_while(|byte| **byte == b'>').count();
        let is_quoted = marks > 0 && line.get(marks..).is_some_and(|rest| rest.starts_with(b"From "));
        content.extend_from_slice(line.get(usize::from(is_quoted)..).unwrap_or_default());
    }
    content
}

fn name_of(message: &[u8]) -> String {
    let head = message.get(..HEAD_BYTES).unwrap_or(message);
    let parsed = mail_parser::MessageParser::default().parse_headers(head);
    let subject = parsed.as_ref().and_then(|parsed| parsed.subject()).unwrap_or_default();
    let subject: String =
        subject.chars().map(|one| if matches!(one, '/' | '\\' | '!') { '-' } else { one }).collect();
    let words = subject.split_whitespace().collect::<Vec<_>>().join(" ");
    let words: String = words.chars().take(SUBJECT_CHARACTERS).collect();
    let hash = blake3::hash(message).to_hex();
    let hash = hash.get(..8).unwrap_or_default();
    let words = words.trim();
    if words.is_empty() { format!("message {hash}.eml") } else { format!("{words} {hash}.eml") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(bytes: &[u8]) -> Vec<(String, String)> {
        let mut children = Vec::new();
        expand(bytes, &ParseLimits::default(), &mut |child| {
            children.push((child.path, String::from_utf8(child.content.unwrap()).unwrap()));
            std::ops::ControlFlow::Continue(())
        })
        .unwrap();
        children
    }

    const ONE: &str = "From a@x.org Sun Mar  1 12:00:00 2026\nSubject: One/two\n\nHello\n>From here on\n\n";
    const OTHER: &str = "From b@x.org Mon Mar  2 12:00:00 2026\nFrom: b@x.org\n\nFrom me, with no date\n";

    #[test]
    fn messages_are_parted_and_unquoted() {
        let mailbox = format!("{ONE}{OTHER}");
        assert!(is_mbox(mailbox.as_bytes()));
        let children = expanded(mailbox.as_bytes());
        assert_eq!(children.len(), 2);
        assert!(children[0].0.starts_with("One-two ") && children[0].0.ends_with(".eml"));
        assert_eq!(children[0].1, "Subject: One/two\n\nHello\nFrom here on\n\n");
        assert!(children[1].0.starts_with("message "));
    }

    #[test]
    fn a_message_keeps_its_name_when_another_goes() {
        let both = expanded(format!("{ONE}{OTHER}").as_bytes());
        assert_eq!(expanded(OTHER.as_bytes())[0].0, both[1].0);
    }

    #[test]
    fn words_that_begin_with_from_are_no_mailbox() {
        assert!(!is_mbox(b"From the beginning of time\nthere were words"));
        assert!(!is_mbox(b"From a@x.org Sun Mar  1 12:00:00 2026\n\nno header"));
    }
}
