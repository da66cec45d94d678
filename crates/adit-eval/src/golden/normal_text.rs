use adit_core::TextRange;
use unicode_normalization::char::canonical_combining_class;
use unicode_normalization::{IsNormalized, UnicodeNormalization, is_nfc_quick};

/// A text without the differences that parsers and typesetters make, and the way back.
///
/// Canonical composition (NFC, UAX #15); a run of white space is one space; typographic quotes and
/// dashes are the ASCII ones; soft hyphens and zero-width spaces are gone; a word hyphenated at a
/// line's end is whole again.
#[derive(Debug, Default)]
pub(super) struct NormalText {
    pub(super) text: String,
    pieces: Vec<Piece>,
}

/// A stretch of the normal text and the bytes it came from.
#[derive(Debug, Clone, Copy)]
struct Piece {
    normal_start: usize,
    normal_length: usize,
    original_start: usize,
    original_length: usize,
    /// Whether the two correspond byte for byte, so that a range may begin or end inside.
    is_byte_for_byte: bool,
}

impl NormalText {
    pub(super) fn new(original: &str) -> Self {
        let mut normal = Self { text: String::with_capacity(original.len()), pieces: Vec::new() };
        let mut at = 0;
        while let Some(rest) = original.get(at..)
            && let Some(first) = rest.chars().next()
        {
            at += normal.take(rest, first, at).max(1);
        }
        normal
    }

    /// Bytes of the original that `range` (bytes of the normal text) came from.
    pub(super) fn to_original(&self, range: TextRange) -> TextRange {
        let start = self.piece_at(range.start).map_or(0, |piece| {
            let inside = range.start - piece.normal_start;
            piece.original_start + if piece.is_byte_for_byte { inside } else { 0 }
        });
        let end = self.piece_at(range.end.saturating_sub(1)).map_or(start, |piece| {
            let inside = range.end - piece.normal_start;
            piece.original_start + if piece.is_byte_for_byte { inside } else { piece.original_length }
        });
        TextRange::new(start, end)
    }

    fn piece_at(&self, normal: usize) -> Option<&Piece> {
        let after = self.pieces.partition_point(|piece| piece.normal_start <= normal);
        self.pieces.get(after.checked_sub(1)?)
    }

    /// Takes what stands at the start of `rest` and says how many bytes that was.
    fn take(&mut self, rest: &str, first: char, at: usize) -> usize {
        if is_invisible(first) {
            return first.len_utf8();
        }
        if first.is_whitespace() {
            let length =
                rest.len() - rest.trim_start_matches(|c: char| c.is_whitespace() || is_invisible(c)).len();
            self.push(" ", at, rest.get(..length).unwrap_or(rest));
            return length;
        }
        if let Some(plain) = plain_form(first) {
            if plain == "-"
                && let Some(length) = self.line_end_hyphen(rest)
            {
                return length;
            }
            self.push(plain, at, rest.get(..first.len_utf8()).unwrap_or(rest));
            return first.len_utf8();
        }
        let length = cluster_length(rest, first);
        let cluster = rest.get(..length).unwrap_or(rest);
        if cluster.len() == first.len_utf8() && (first.is_ascii() || is_nfc(first)) {
            self.push(cluster, at, cluster);
        } else {
            let composed: String = cluster.nfc().collect();
            self.push(&composed, at, cluster);
        }
        length
    }

    /// Bytes of a hyphen that only the line's end made: a letter before it, then a line break, then a
    /// small letter.
    fn line_end_hyphen(&self, rest: &str) -> Option<usize> {
        if !self.text.chars().next_back()?.is_alphabetic() {
            return None;
        }
        let after = rest.trim_start_matches(|c| plain_form(c) == Some("-"));
        let next = after.trim_start();
        let between = after.get(..after.len() - next.len())?;
        let is_broken_word = between.contains(['\n', '\r']) && next.chars().next()?.is_lowercase();
        is_broken_word.then_some(rest.len() - next.len())
    }

    fn push(&mut self, normal: &str, original_start: usize, original: &str) {
        let piece = Piece {
            normal_start: self.text.len(),
            normal_length: normal.len(),
            original_start,
            original_length: original.len(),
            is_byte_for_byte: original == normal || original.len() == 1 && normal.len() == 1,
        };
        self.text.push_str(normal);
        match self.pieces.last_mut() {
            Some(last) if last.is_continued_by(&piece) => {
                last.normal_length += piece.normal_length;
                last.original_length += piece.original_length;
            }
            _ => self.pieces.push(piece),
        }
    }
}

impl Piece {
    fn is_continued_by(&self, next: &Self) -> bool {
        self.is_byte_for_byte
            && next.is_byte_for_byte
            && self.original_start + self.original_length == next.original_start
    }
}

/// Bytes of `first` and what may combine with it.
fn cluster_length(rest: &str, first: char) -> usize {
    let mut length = first.len_utf8();
    for next in rest.chars().skip(1) {
        if next.is_ascii() || starts_cluster(next) {
            break;
        }
        length += next.len_utf8();
    }
    length
}

fn starts_cluster(character: char) -> bool {
    canonical_combining_class(character) == 0
        && is_nfc_quick(std::iter::once(character)) != IsNormalized::Maybe
}

fn is_nfc(character: char) -> bool {
    is_nfc_quick(std::iter::once(character)) == IsNormalized::Yes
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{ad}' | '\u{200b}' | '\u{2060}' | '\u{feff}')
}

fn plain_form(character: char) -> Option<&'static str> {
    match character {
        '\'' | '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2039}' | '\u{203a}' => Some("'"),
        '"' | '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => Some("\""),
        '-' | '\u{2010}'..='\u{2015}' | '\u{2212}' => Some("-"),
        '\u{2026}' => Some("..."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(original: &str, wanted: &str) -> String {
        let normal = NormalText::new(original);
        let start = normal.text.find(wanted).unwrap_or_else(|| panic!("{:?}", normal.text));
        let range = normal.to_original(TextRange::new(start, start + wanted.len()));
        range.slice(original).unwrap().to_owned()
    }

    #[test]
    fn finds_the_way_back_through_every_change() {
        assert_eq!(found("a  “b”\u{a0}\n c", "\"b\" c"), "“b”\u{a0}\n c");
        assert_eq!(found("the cafe\u{301} is", "caf\u{e9} is"), "cafe\u{301} is");
        assert_eq!(found("an exam\u{ad}ple here", "example"), "exam\u{ad}ple");
        assert_eq!(found("an exam-\n  ple here", "example"), "exam-\n  ple");
        assert_eq!(found("9–17 Uhr…", "9-17 Uhr..."), "9–17 Uhr…");
        assert_eq!(found("\u{1112}\u{1161}\u{11ab}국", "한국"), "\u{1112}\u{1161}\u{11ab}국");
        // A list item and a compound before a capital keep their hyphen.
        assert_eq!(found("x\n- item", "x - item"), "x\n- item");
        assert_eq!(found("Baden-\nBaden", "Baden- Baden"), "Baden-\nBaden");
    }

    #[test]
    fn composes_as_nfc_does() {
        for text in ["e\u{301}\u{323}o", "\u{212b}ngstro\u{308}m", "\u{9c7}\u{9be}x", "q\u{307}\u{323}"] {
            assert_eq!(NormalText::new(text).text, text.nfc().collect::<String>());
        }
    }
}
