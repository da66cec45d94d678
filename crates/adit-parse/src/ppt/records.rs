use crate::compound::{size_at, u16_at, utf16_text};

pub(crate) const TEXT_HEADER: u16 = 0x0f9f;
pub(crate) const TEXT_CHARS: u16 = 0x0fa0;
pub(crate) const TEXT_BYTES: u16 = 0x0fa8;
/// Deeper records are not opened; PowerPoint nests about ten deep.
const MAX_DEPTH: usize = 64;

/// One record ([MS-PPT] 2.3.1): a header of eight bytes, then its content, which may be records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record<'a> {
    pub(crate) kind: u16,
    pub(crate) instance: u16,
    pub(crate) content: &'a [u8],
    is_container: bool,
}

/// The record at `offset`; `None` if it does not fit into the stream.
pub(crate) fn record_at(stream: &[u8], offset: usize) -> Option<Record<'_>> {
    let head = u16_at(stream, offset)?;
    let kind = u16_at(stream, offset.checked_add(2)?)?;
    let length = size_at(stream, offset.checked_add(4)?)?;
    let start = offset.checked_add(8)?;
    let content = stream.get(start..start.checked_add(length)?)?;
    Some(Record { kind, instance: head >> 4, content, is_container: head & 0xf == 0xf })
}

impl<'a> Record<'a> {
    /// The records directly inside; up to the first that is cut off.
    pub(crate) fn children(self) -> impl Iterator<Item = Record<'a>> {
        let content = if self.is_container { self.content } else { &[] };
        records(content)
    }

    /// The records inside at any depth that hold no others, in order.
    pub(crate) fn leaves(self) -> Vec<Record<'a>> {
        let mut found = Vec::new();
        let mut open = vec![self];
        let mut depths = vec![0];
        while let (Some(record), Some(depth)) = (open.pop(), depths.pop()) {
            if !record.is_container {
                found.push(record);
            } else if depth < MAX_DEPTH {
                let mut inner: Vec<_> = record.children().collect();
                inner.reverse();
                depths.extend(inner.iter().map(|_| depth + 1));
                open.extend(inner);
            }
        }
        found
    }

    /// The words of a text record, lines parted by `\n`.
    pub(crate) fn text(self) -> Option<String> {
        let text = match self.kind {
            TEXT_CHARS => utf16_text(self.content),
            // The low bytes of UTF-16, whose high bytes are all 0.
            TEXT_BYTES => self.content.iter().map(|byte| char::from(*byte)).collect(),
            _ => return None,
        };
        // 0x0b is a line break inside a paragraph, 0x0d ends one.
        let lines: String =
            text.chars().map(|one| if matches!(one, '\r' | '\u{b}') { '\n' } else { one }).collect();
        Some(
            lines
                .chars()
                .filter(|one| *one == '\n' || !one.is_control())
                .collect::<String>()
                .trim()
                .to_owned(),
        )
    }
}

pub(crate) fn records(content: &[u8]) -> impl Iterator<Item = Record<'_>> {
    let mut offset = 0;
    std::iter::from_fn(move || {
        let record = record_at(content, offset)?;
        offset += 8 + record.content.len();
        Some(record)
    })
}

/// Every text in the stream, whatever it belongs to.
pub(crate) fn all_texts(stream: &[u8]) -> Vec<String> {
    records(stream)
        .flat_map(Record::leaves)
        .filter_map(Record::text)
        .filter(|text| !text.is_empty())
        .collect()
}

/// Records for the tests.
#[cfg(test)]
pub(crate) mod testing {
    pub(crate) fn record(kind: u16, instance: u16, content: &[u8]) -> Vec<u8> {
        with_head(instance << 4, kind, content)
    }

    pub(crate) fn container(kind: u16, instance: u16, content: &(impl AsBytes + ?Sized)) -> Vec<u8> {
        with_head(instance << 4 | 0xf, kind, &content.bytes())
    }

    pub(crate) trait AsBytes {
        fn bytes(&self) -> Vec<u8>;
    }

    impl AsBytes for Vec<u8> {
        fn bytes(&self) -> Vec<u8> {
            self.clone()
        }
    }

    impl<const N: usize> AsBytes for [Vec<u8>; N] {
        fn bytes(&self) -> Vec<u8> {
            self.concat()
        }
    }

    fn with_head(head: u16, kind: u16, content: &[u8]) -> Vec<u8> {
        let mut bytes = head.to_le_bytes().to_vec();
        bytes.extend(kind.to_le_bytes());
        bytes.extend((content.len() as u32).to_le_bytes());
        bytes.extend(content);
        bytes
    }
}
