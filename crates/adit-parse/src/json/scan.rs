use std::ops::Range;

/// One member of an object or element of an array, as it stands in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Child {
    /// The key with its quotes; `None` in an array.
    pub(crate) key: Option<Range<usize>>,
    /// The value, without white space around it.
    pub(crate) value: Range<usize>,
    /// One past the comma behind it; `None` for the last child.
    pub(crate) after_comma: Option<usize>,
}

/// The members or elements of the container at `container`, one at a time and without a stack, so that
/// neither depth nor number costs memory. The text must be valid JSON (RFC 8259) in that range.
pub(crate) fn children(text: &str, container: Range<usize>) -> impl Iterator<Item = Child> {
    let is_object = byte_at(text, container.start) == Some(b'{');
    let is_container = is_object || byte_at(text, container.start) == Some(b'[');
    let end = if is_container { container.end.saturating_sub(1) } else { container.start };
    let mut position = container.start + 1;
    std::iter::from_fn(move || {
        let start = skip_space(text, position);
        if start >= end {
            return None;
        }
        let first_end = value_end(text, start);
        let (key, value) = if is_object {
            let value_start = skip_space(text, skip_space(text, first_end) + 1);
            (Some(start..first_end), value_start..value_end(text, value_start))
        } else {
            (None, start..first_end)
        };
        let comma = skip_space(text, value.end);
        let after_comma = (comma < end && byte_at(text, comma) == Some(b',')).then_some(comma + 1);
        position = after_comma.unwrap_or(end);
        Some(Child { key, value, after_comma })
    })
}

/// The values that follow one another at the top of the text.
pub(crate) fn top_values(text: &str) -> impl Iterator<Item = Range<usize>> {
    let mut position = 0;
    std::iter::from_fn(move || {
        let start = skip_space(text, position);
        (start < text.len()).then(|| {
            position = value_end(text, start);
            start..position
        })
    })
}

/// Whether an object or array begins there.
pub(crate) fn is_container(text: &str, value: &Range<usize>) -> bool {
    matches!(byte_at(text, value.start), Some(b'{' | b'['))
}

/// One past the value that begins at `start`; always after `start`, as long as the text goes on.
fn value_end(text: &str, start: usize) -> usize {
    match byte_at(text, start) {
        Some(b'"') => string_end(text, start),
        Some(b'{' | b'[') => container_end(text, start),
        _ => {
            let rest = text.as_bytes().get(start..).unwrap_or_default();
            let length = rest.iter().position(|byte| b",:]}[{\" \n\r\t".contains(byte)).unwrap_or(rest.len());
            (start + length.max(1)).min(text.len())
        }
    }
}

fn container_end(text: &str, start: usize) -> usize {
    let mut depth = 0_usize;
    let mut position = start;
    while let Some(byte) = byte_at(text, position) {
        match byte {
            b'"' => {
                position = string_end(text, position);
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        position += 1;
        if depth == 0 {
            break;
        }
    }
    position
}

fn string_end(text: &str, start: usize) -> usize {
    let mut position = start + 1;
    while let Some(byte) = byte_at(text, position) {
        match byte {
            b'"' => return position + 1,
            b'\\' => position += 2,
            _ => position += 1,
        }
    }
    text.len()
}

fn skip_space(text: &str, from: usize) -> usize {
    let rest = text.as_bytes().get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| b" \n\r\t".contains(byte)).count()
}

fn byte_at(text: &str, position: usize) -> Option<u8> {
    text.as_bytes().get(position).copied()
}

/// Decodes those escapes that would hide or glue words: `\uXXXX` of printable characters, and `\n`,
/// `\r`, `\t`, which otherwise put a letter before the next word. Quotes and backslashes stay escaped,
/// so that the borders of strings can still be found.
pub(crate) fn decode_readable_escapes(text: &str) -> String {
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        decoded.push_str(before);
        let (character, used_bytes) = match after.chars().next() {
            Some('n') => (Some('\n'), 1),
            Some('t') => (Some('\t'), 1),
            Some('r') => (Some('\n'), if after.starts_with("r\\n") { 3 } else { 1 }),
            Some('u') => readable_unicode_escape(after),
            _ => (None, 0),
        };
        match character {
            Some(character) => {
                decoded.push(character);
                rest = after.get(used_bytes..).unwrap_or_default();
            }
            None => {
                decoded.push('\\');
                let kept_bytes = after.chars().next().map_or(0, char::len_utf8);
                let (kept, behind) = after.split_at_checked(kept_bytes).unwrap_or(("", after));
                decoded.push_str(kept);
                rest = behind;
            }
        }
    }
    decoded.push_str(rest);
    decoded
}

/// `after` begins with the `u`. Gives the character and the bytes used after the backslash.
fn readable_unicode_escape(after: &str) -> (Option<char>, usize) {
    let unit = |at: usize| after.get(at..at + 4).and_then(|digits| u16::from_str_radix(digits, 16).ok());
    let Some(first) = unit(1) else { return (None, 0) };
    let pair = (after.get(5..7) == Some("\\u")).then(|| unit(7)).flatten();
    let mut decoded = char::decode_utf16([Some(first), pair].into_iter().flatten());
    match decoded.next() {
        Some(Ok(one)) if !one.is_control() && !matches!(one, '"' | '\\') => {
            (Some(one), if one.len_utf16() == 2 { 11 } else { 5 })
        }
        _ => (None, 0),
    }
}

/// The words of a value: a string without quotes and escapes, anything else as written.
pub(crate) fn plain_words(raw: &str) -> String {
    let Some(inner) = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) else {
        return raw.to_owned();
    };
    let mut words = String::with_capacity(inner.len());
    let mut characters = inner.chars();
    while let Some(character) = characters.next() {
        match (character, character == '\\') {
            (_, true) => match characters.next() {
                Some('b' | 'f') => words.push(' '),
                Some('u') => words.push_str("\\u"),
                Some(other) => words.push(other),
                None => {}
            },
            (other, false) => words.push(other),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn children_are_found_in_the_text() {
        let text = r#" {"a" : [1, {"x": "],}"}], "b\"": null } "#;
        let top: Vec<_> = top_values(text).collect();
        assert_eq!(top.len(), 1);
        let members: Vec<_> = children(text, top[0].clone()).collect();
        assert_eq!(&text[members[0].value.clone()], r#"[1, {"x": "],}"}]"#);
        assert_eq!(&text[members[1].key.clone().unwrap()], r#""b\"""#);
        assert_eq!(members[1].after_comma, None);
        assert_eq!(children(text, members[1].value.clone()).count(), 0);
    }

    #[test]
    fn escapes_that_hide_words_are_decoded() {
        let raw = r#""f\u00fcr\nalle \"\u0022 \ud83d\ude00 \ud83d \\n""#;
        assert_eq!(decode_readable_escapes(raw), "\"für\nalle \\\"\\u0022 😀 \\ud83d \\\\n\"");
        assert_eq!(plain_words(r#""a \"b\" \\ \/""#), r#"a "b" \ /"#);
    }
}
