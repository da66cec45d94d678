//! Word 97 to 2003 ([MS-DOC]): the text of the main document, its notes, comments and text boxes.

mod paragraphs;
mod pieces;
mod text;

use adit_core::{MediaType, ParseError, ParsedDocument};

use crate::builder::DocumentBuilder;
use crate::compound::{Compound, size_at, u16_at};
use pieces::Pieces;

/// What every Word document begins with ([MS-DOC] 2.5.2).
const WORD_MAGIC: u16 = 0xa5ec;
const FLAG_ENCRYPTED: u16 = 0x0100;
const FLAG_TABLE_1: u16 = 0x0200;
/// Documents of Word 6 and 95 have lower numbers and another layout.
const FIRST_READABLE_VERSION: u16 = 0x00c1;

/// Lengths of the parts of the text in characters, in the order they follow each other; [MS-DOC] 2.5.4.
/// The page headers have no place in a reading order.
const PARTS: [(usize, Option<&str>); 6] = [
    (0x4c, Some("")),
    (0x50, Some("Footnotes")),
    (0x54, None),
    (0x5c, Some("Comments")),
    (0x60, Some("Endnotes")),
    (0x64, Some("Text boxes")),
];

/// Reads a Word document: paragraphs, headings by their built-in style, tables by their cell marks.
///
/// # Errors
/// [`ParseError::PasswordNeeded`] for an encrypted one, [`ParseError::Unsupported`] for Word 95 and
/// before, [`ParseError::Damaged`] where its tables lead nowhere, [`ParseError::Empty`] without a word.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let mut compound = Compound::open(bytes, MediaType::Doc)?;
    let main = compound.stream("/WordDocument")?;
    let main = main.ok_or_else(|| compound.damaged("it has no stream with its text"))?;
    let header = |at: usize| u16_at(&main, at).ok_or_else(|| compound.damaged("its header is cut off"));
    if header(0)? != WORD_MAGIC {
        return Err(compound.damaged("it does not begin as Word documents do"));
    }
    let flags = header(0x0a)?;
    if flags & FLAG_ENCRYPTED != 0 {
        return Err(ParseError::PasswordNeeded);
    }
    if header(2)? < FIRST_READABLE_VERSION {
        return Err(ParseError::Unsupported { detail: "a document of Word 95 or before".to_owned() });
    }
    let table_name = if flags & FLAG_TABLE_1 != 0 { "/1Table" } else { "/0Table" };
    let table = compound.stream(table_name)?;
    let table = table.ok_or_else(|| compound.damaged("it has no stream with its tables"))?;
    let pieces = Pieces::read(&main, &table).ok_or_else(|| compound.damaged("its piece table is broken"))?;
    let styles = paragraphs::ParagraphStyles::read(&main, &table);
    let mut builder = DocumentBuilder::new();
    let mut at = 0;
    let mut header_words = false;
    for (length_at, name) in PARTS {
        let length = size_at(&main, length_at).unwrap_or(0);
        let characters = pieces.characters(&main, at, length);
        at = at.saturating_add(length);
        match name {
            Some(name) => text::write(&characters, &styles, name, &mut builder),
            None => header_words |= characters.iter().any(|one| one.is_word()),
        }
    }
    if header_words {
        builder.warn("page headers and footers were left out".to_owned());
    }
    let document = builder.finish(MediaType::Doc);
    if document.text.is_empty() { Err(ParseError::Empty) } else { Ok(document) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compound::testing::compound_of;
    use adit_core::BlockKind;

    /// A document whose text is one piece; `paragraphs` gives the style and whether a row ends, for
    /// each paragraph mark in order.
    fn document(text: &str, paragraphs: &[(u16, bool)], flags: u16) -> Vec<u8> {
        const TEXT_AT: usize = 0x600;
        let units: Vec<u16> = text.encode_utf16().collect();
        let mut main = vec![0; TEXT_AT];
        let mut put = |at: usize, bytes: &[u8]| main[at..at + bytes.len()].copy_from_slice(bytes);
        put(0, &WORD_MAGIC.to_le_bytes());
        put(2, &0x00c1_u16.to_le_bytes());
        put(0x0a, &flags.to_le_bytes());
        put(0x4c, &(units.len() as u32).to_le_bytes());
        // The piece table stands at 0 of the table stream, the list of paragraph pages after it.
        put(0x1a2, &0_u32.to_le_bytes());
        put(0x1a6, &21_u32.to_le_bytes());
        put(0x102, &32_u32.to_le_bytes());
        put(0x106, &12_u32.to_le_bytes());
        // One page of paragraph properties at 0x400, [MS-DOC] 2.9.183.
        let mut ends = vec![TEXT_AT];
        for (index, unit) in units.iter().enumerate() {
            if matches!(unit, 0x0d | 0x07 | 0x0c) {
                ends.push(TEXT_AT + 2 * (index + 1));
            }
        }
        assert_eq!(ends.len(), paragraphs.len() + 1);
        for (index, end) in ends.iter().enumerate() {
            put(0x400 + 4 * index, &(*end as u32).to_le_bytes());
        }
        for (index, (style, ends_row)) in paragraphs.iter().enumerate() {
            let at = 0x200 - 2 - 8 * (index + 1);
            put(0x400 + 4 * ends.len() + 13 * index, &[(at / 2) as u8]);
            put(0x400 + at, &[3]);
            put(0x400 + at + 1, &style.to_le_bytes());
            if *ends_row {
                put(0x400 + at + 3, &[0x17, 0x24, 1]);
            }
        }
        put(0x400 + 511, &[paragraphs.len() as u8]);
        main.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        let mut table = vec![2];
        table.extend(16_u32.to_le_bytes());
        table.extend(0_u32.to_le_bytes());
        table.extend((units.len() as u32).to_le_bytes());
        table.extend([0, 0]);
        table.extend((TEXT_AT as u32).to_le_bytes());
        table.extend([0, 0]);
        table.resize(32, 0);
        table.extend((TEXT_AT as u32).to_le_bytes());
        table.extend((*ends.last().unwrap() as u32).to_le_bytes());
        table.extend(2_u32.to_le_bytes());
        compound_of(&[("/WordDocument", &main), ("/0Table", &table)])
    }

    #[test]
    fn headings_paragraphs_fields_and_tables() {
        let text = "Title\rone\u{b}two \u{13} HYPERLINK \"x\" \u{14}link\u{15}\ra\u{7}b\u{7}\u{7}c\u{7}\u{7}\u{7}end\r";
        let styles = [
            (1, false),
            (0, false),
            (0, false),
            (0, false),
            (0, true),
            (0, false),
            (0, false),
            (0, true),
            (0, false),
        ];
        let document = parse(&document(text, &styles, 0)).unwrap();
        assert_eq!(document.text, "Title\n\none\ntwo link\n\na | b\nc | \n\nend");
        assert_eq!(document.sections[0].level, 1);
        let BlockKind::Table(table) = &document.blocks[2].kind else { panic!("no table") };
        assert_eq!((table.header_rows, table.rows.len()), (1, 2));
    }

    #[test]
    fn a_locked_or_broken_document_says_so() {
        assert_eq!(parse(&document("x\r", &[(0, false)], FLAG_ENCRYPTED)), Err(ParseError::PasswordNeeded));
        let no_table = compound_of(&[("/WordDocument", &[0xec, 0xa5, 0xc1, 0, 0, 0, 0, 0, 0, 0, 0, 0])]);
        assert!(matches!(parse(&no_table), Err(ParseError::Damaged { .. })));
        assert_eq!(parse(&document("\r", &[(0, false)], 0)), Err(ParseError::Empty));
    }
}
