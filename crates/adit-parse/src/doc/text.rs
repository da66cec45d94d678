use adit_core::TableCell;

use super::paragraphs::ParagraphStyles;
use super::pieces::Placed;
use crate::builder::{DocumentBuilder, plain_cell};

/// Writes one part of the text. `name` is the heading above it; empty for the main document.
pub(crate) fn write(
    characters: &[Placed],
    styles: &ParagraphStyles,
    name: &str,
    builder: &mut DocumentBuilder,
) {
    if !name.is_empty() && characters.iter().any(|one| one.is_word()) {
        builder.heading(1, name);
    }
    let mut writer = Writer {
        styles,
        builder,
        words: Vec::new(),
        cells: Vec::new(),
        rows: Vec::new(),
        fields: Vec::new(),
    };
    for character in characters {
        writer.take(*character);
    }
    writer.end_paragraph(None);
    writer.end_table();
}

struct Writer<'a> {
    styles: &'a ParagraphStyles,
    builder: &'a mut DocumentBuilder,
    words: Vec<u16>,
    cells: Vec<TableCell>,
    rows: Vec<Vec<TableCell>>,
    /// Fields that are open, and whether their result was reached.
    fields: Vec<bool>,
}

impl Writer<'_> {
    /// Characters below 32 are marks ([MS-DOC] 2.4.1 and 2.8.25).
    fn take(&mut self, character: Placed) {
        match character.unit {
            0x13 => self.fields.push(false),
            0x14 => {
                if let Some(result) = self.fields.last_mut() {
                    *result = true;
                }
            }
            0x15 => {
                self.fields.pop();
            }
            0x0d | 0x0c => self.end_paragraph(Some(character)),
            0x07 => self.end_cell(character),
            // The code of a field is no text; its result is.
            _ if self.fields.contains(&false) => {}
            0x0b => self.words.push(u16::from(b'\n')),
            0x09 => self.words.push(u16::from(b'\t')),
            0x1e => self.words.push(u16::from(b'-')),
            0..=0x1f => {}
            unit => self.words.push(unit),
        }
    }

    fn take_words(&mut self) -> String {
        String::from_utf16_lossy(&std::mem::take(&mut self.words)).trim().to_owned()
    }

    fn end_paragraph(&mut self, mark: Option<Placed>) {
        let style = mark.map(|mark| self.styles.at(mark.offset)).unwrap_or_default();
        if mark.is_some() && (style.is_in_table || !self.cells.is_empty()) {
            // A paragraph inside a cell; the cell goes on.
            self.words.push(u16::from(b' '));
            return;
        }
        let words = self.take_words();
        if !self.cells.is_empty() {
            return self.cells.push(plain_cell(&words));
        }
        if words.is_empty() {
            return;
        }
        self.end_table();
        match style.heading_level {
            Some(level) => self.builder.heading(level, &words),
            None => self.builder.paragraph(&words),
        }
    }

    fn end_cell(&mut self, mark: Placed) {
        let words = self.take_words();
        if self.styles.at(mark.offset).ends_row {
            self.rows.push(std::mem::take(&mut self.cells));
        } else {
            self.cells.push(plain_cell(&words));
        }
    }

    fn end_table(&mut self) {
        if !self.cells.is_empty() {
            // The end of the row is missing; its cells are not.
            let cells = std::mem::take(&mut self.cells);
            self.rows.push(cells);
        }
        if !self.rows.is_empty() {
            let rows = std::mem::take(&mut self.rows);
            // The format does not say which rows are headers in the text itself.
            let header_rows = usize::from(rows.len() > 1);
            self.builder.table(rows, header_rows, None);
        }
    }
}
