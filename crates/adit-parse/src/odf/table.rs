use adit_core::{ParseError, TableCell};

use crate::builder::plain_cell;
use crate::odf::body::OdfBody;
use crate::office::blocks::{OfficeBlock, words_of};
use crate::xml_reader::{Element, XmlReader};

/// A row or cell is repeated no more often, and an empty one means nothing beyond this.
const MAX_REPEATS: u64 = 100;
const MAX_SPAN: i64 = 1000;

#[derive(Default)]
struct Rows {
    rows: Vec<Vec<TableCell>>,
    header_rows: usize,
    /// The blocks of the first cell, for a table that turns out to be only a frame.
    first_cell: Vec<OfficeBlock>,
    cells: usize,
}

/// Reads `table:table` (OpenDocument 1.3 part 3, 9). Rows marked as headers are headers, else the first
/// one. A table of one cell is a frame: its content is written as it is.
pub(crate) fn read(
    body: &mut OdfBody,
    reader: &mut XmlReader<'_>,
    outer: &Element,
    out: &mut Vec<OfficeBlock>,
) -> Result<(), ParseError> {
    let mut table = Rows::default();
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "table-header-rows" => {
                while let Some(row) = reader.next_element(&element)? {
                    if row.name() == "table-row" {
                        read_row(body, reader, &row, &mut table)?;
                    }
                }
                table.header_rows = table.rows.len();
            }
            "table-row" => read_row(body, reader, &element, &mut table)?,
            "title" | "desc" | "table-source" | "forms" => reader.skip(&element)?,
            _ => {}
        }
    }
    if table.cells == 1 {
        out.append(&mut table.first_cell);
        return Ok(());
    }
    let header_rows = match (table.header_rows, table.rows.len()) {
        (_, 0 | 1) => 0,
        (0, _) => 1,
        (marked, all) if marked == all => 1,
        (marked, _) => marked,
    };
    out.push(OfficeBlock::Table { rows: table.rows, header_rows, caption: None });
    Ok(())
}

fn read_row(
    body: &mut OdfBody,
    reader: &mut XmlReader<'_>,
    outer: &Element,
    table: &mut Rows,
) -> Result<(), ParseError> {
    let mut cells: Vec<TableCell> = Vec::new();
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "table-cell" => {
                let mut blocks = Vec::new();
                body.nesting += 1;
                body.read_blocks(reader, &element, &mut blocks)?;
                body.nesting -= 1;
                let span =
                    |name| u32::try_from(element.number(name).unwrap_or(1).clamp(1, MAX_SPAN)).unwrap_or(1);
                let cell = TableCell {
                    column_span: span("number-columns-spanned"),
                    row_span: span("number-rows-spanned"),
                    ..plain_cell(&words_of(&blocks))
                };
                if table.cells == 0 {
                    table.first_cell = blocks;
                }
                table.cells += 1;
                let repeats =
                    body.allowed_repeats(repeats(&element, "number-columns-repeated"), cell.text.len());
                cells.extend(std::iter::repeat_n(cell, repeats));
            }
            // Hidden under the cell that spans it.
            "covered-table-cell" => reader.skip(&element)?,
            _ => {}
        }
    }
    let keep = cells.iter().rposition(|cell| !cell.text.is_empty()).map_or(0, |last| last + 1);
    let width = table.rows.first().map_or(keep, Vec::len);
    cells.truncate(keep.max(width));
    let bytes = cells.iter().map(|cell| cell.text.len() + 1).sum();
    let repeats =
        if keep == 0 { 1 } else { body.allowed_repeats(repeats(outer, "number-rows-repeated"), bytes) };
    table.cells += repeats.saturating_sub(1);
    table.rows.extend(std::iter::repeat_n(cells, repeats));
    Ok(())
}

fn repeats(element: &Element, name: &str) -> u64 {
    element.number(name).and_then(|count| u64::try_from(count).ok()).unwrap_or(1).clamp(1, MAX_REPEATS)
}
