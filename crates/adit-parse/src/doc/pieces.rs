use encoding_rs::WINDOWS_1252;

use crate::compound::{size_at, u32_at};

/// Where the header keeps the place and length of the piece table ([MS-DOC] 2.5.6, `fcClx`).
const CLX_AT: usize = 0x1a2;
/// A piece's text is stored one byte a character.
const COMPRESSED: u32 = 0x4000_0000;
/// Text of one document that is read.
const MAX_CHARACTERS: usize = 100 << 20;

/// One character of the text and where the file keeps it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    /// The UTF-16 unit; characters beyond the basic plane have two.
    pub(crate) unit: u16,
    /// Byte offset in the main stream, by which its paragraph is found.
    pub(crate) offset: u32,
}

impl Placed {
    pub(crate) fn is_word(self) -> bool {
        char::from_u32(u32::from(self.unit)).is_none_or(char::is_alphanumeric)
    }
}

/// A run of the text that stands together in the file.
struct Piece {
    first: usize,
    end: usize,
    offset: usize,
    is_compressed: bool,
}

/// The piece table ([MS-DOC] 2.8.35): which part of the text stands where.
pub(crate) struct Pieces {
    pieces: Vec<Piece>,
}

impl Pieces {
    /// `None` if the table is not there or leads out of the file.
    pub(crate) fn read(main: &[u8], table: &[u8]) -> Option<Self> {
        let start = size_at(main, CLX_AT)?;
        let length = size_at(main, CLX_AT + 4)?;
        let mut clx = table.get(start..start.checked_add(length)?)?;
        // Property lists of fast-saved documents stand before it.
        while let [1, size_low, size_high, rest @ ..] = clx {
            clx = rest.get(usize::from(u16::from_le_bytes([*size_low, *size_high]))..)?;
        }
        let [2, rest @ ..] = clx else { return None };
        let plc = rest.get(4..)?.get(..size_at(rest, 0)?)?;
        let count = plc.len().checked_sub(4)? / 12;
        let mut pieces = Vec::with_capacity(count.min(1 << 16));
        for index in 0..count {
            let first = size_at(plc, 4 * index)?;
            let end = size_at(plc, 4 * (index + 1))?;
            let place = u32_at(plc, 4 * (count + 1) + 8 * index + 2)?;
            let is_compressed = place & COMPRESSED != 0;
            let offset = usize::try_from(place & !(COMPRESSED | 0x8000_0000)).ok()?;
            let offset = if is_compressed { offset / 2 } else { offset };
            if end < first {
                return None;
            }
            pieces.push(Piece { first, end, offset, is_compressed });
        }
        Some(Self { pieces })
    }

    /// `length` characters from `start`; fewer where the file ends before.
    pub(crate) fn characters(&self, main: &[u8], start: usize, length: usize) -> Vec<Placed> {
        let end = start.saturating_add(length.min(MAX_CHARACTERS));
        let mut characters = Vec::new();
        for piece in &self.pieces {
            let (from, to) = (piece.first.max(start), piece.end.min(end));
            if from >= to {
                continue;
            }
            let width = if piece.is_compressed { 1 } else { 2 };
            let first = piece.offset.saturating_add((from - piece.first).saturating_mul(width));
            let bytes = main.get(first..).unwrap_or_default();
            let bytes = bytes.get(..(to - from).saturating_mul(width)).unwrap_or(bytes);
            let placed = bytes.chunks_exact(width).enumerate().map(|(index, bytes)| Placed {
                unit: unit(bytes),
                offset: u32::try_from(first + index * width).unwrap_or(u32::MAX),
            });
            // Pieces that overlap would let a small file unpack to a large text.
            characters.extend(placed.take(MAX_CHARACTERS.saturating_sub(characters.len())));
        }
        characters
    }
}

fn unit(bytes: &[u8]) -> u16 {
    match bytes {
        [low, high] => u16::from_le_bytes([*low, *high]),
        [byte @ 0x80..=0x9f] => {
            // [MS-DOC] 2.9.73 names windows-1252 for these.
            let (text, _) = WINDOWS_1252.decode_without_bom_handling(std::slice::from_ref(byte));
            text.encode_utf16().next().unwrap_or(0xfffd)
        }
        [byte, ..] => u16::from(*byte),
        [] => 0xfffd,
    }
}
