use std::collections::HashMap;

use adit_core::{ParseError, TableCell};

use crate::builder::plain_cell;
use crate::docx::body::DocxBody;
use crate::office::blocks::{OfficeBlock, words_of};
use crate::xml_reader::{Element, XmlReader};

/// Spans in real files are small; a claim of millions is an attack or a mistake.
const MAX_SPAN: i64 = 1000;

#[derive(Default)]
struct Row {
    cells: Vec<Cell>,
    is_header: bool,
    is_deleted: bool,
    columns_before: i64,
}

struct Cell {
    blocks: Vec<OfficeBlock>,
    columns: i64,
    merge: VerticalMerge,
    is_deleted: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum VerticalMerge {
    None,
    Restart,
    Continue,
}

/// Reads `w:tbl` (ECMA-376 part 1, 17.4). Rows marked as headers are headers, else the first one. A table
/// of one cell is a frame: its content is written as it is.
pub(crate) fn read(
    body: &mut DocxBody,
    reader: &mut XmlReader<'_>,
    outer: &Element,
    out: &mut Vec<OfficeBlock>,
) -> Result<(), ParseError> {
    let mut rows = Vec::new();
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "tr" => {
                let row = read_row(body, reader, &element)?;
                if row.is_deleted {
                    body.deleted_parts += 1;
                } else {
                    rows.push(row);
                }
            }
            "tblPr" | "tblGrid" | "sdtPr" | "sdtEndPr" => reader.skip(&element)?,
            _ => {}
        }
    }
    if let [row] = rows.as_mut_slice()
        && let [cell] = row.cells.as_mut_slice()
    {
        out.append(&mut cell.blocks);
        return Ok(());
    }
    let marked = rows.iter().take_while(|row| row.is_header).count();
    let header_rows = match (marked, rows.len()) {
        (_, 0 | 1) => 0,
        (0, _) => 1,
        (marked, all) if marked == all => 1,
        (marked, _) => marked,
    };
    out.push(OfficeBlock::Table { rows: place_cells(rows), header_rows, caption: None });
    Ok(())
}

/// Cells that continue one above are counted there and are left out themselves.
fn place_cells(rows: Vec<Row>) -> Vec<Vec<TableCell>> {
    let mut placed: Vec<Vec<TableCell>> = Vec::with_capacity(rows.len());
    let mut open: HashMap<i64, (usize, usize)> = HashMap::new();
    for row in rows {
        let mut column = row.columns_before;
        let mut cells: Vec<TableCell> = Vec::with_capacity(row.cells.len());
        for cell in row.cells {
            let above = open.get(&column).copied().filter(|_| cell.merge == VerticalMerge::Continue);
            let restarted = above.and_then(|(row, at)| placed.get_mut(row)?.get_mut(at));
            match restarted {
                Some(restarted) => restarted.row_span = restarted.row_span.saturating_add(1),
                None => {
                    match cell.merge {
                        VerticalMerge::Restart => open.insert(column, (placed.len(), cells.len())),
                        _ => open.remove(&column),
                    };
                    let column_span = u32::try_from(cell.columns).unwrap_or(1);
                    cells.push(TableCell { column_span, ..plain_cell(&words_of(&cell.blocks)) });
                }
            }
            column += cell.columns;
        }
        placed.push(cells);
    }
    placed
}

fn read_row(body: &mut DocxBody, reader: &mut XmlReader<'_>, outer: &Element) -> Result<Row, ParseError> {
    let mut row = Row::default();
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "trPr" => {
                while let Some(property) = reader.next_element(&element)? {
                    match property.name() {
                        "tblHeader" => row.is_header = property.is_on(),
                        "del" => row.is_deleted = true,
                        "gridBefore" => {
                            row.columns_before = property.number("val").unwrap_or(0).clamp(0, MAX_SPAN);
                        }
                        _ => {}
                    }
                }
            }
            "tc" => {
                let cell = read_cell(body, reader, &element)?;
                if cell.is_deleted {
                    body.deleted_parts += 1;
                } else {
                    row.cells.push(cell);
                }
            }
            "tblPrEx" | "sdtPr" | "sdtEndPr" => reader.skip(&element)?,
            _ => {}
        }
    }
    Ok(row)
}

fn read_cell(body: &mut DocxBody, reader: &mut XmlReader<'_>, outer: &Element) -> Result<Cell, ParseError> {
    let mut cell = Cell { blocks: Vec::new(), columns: 1, merge: VerticalMerge::None, is_deleted: false };
    body.nesting += 1;
    while let Some(element) = reader.next_element(outer)? {
        if element.name() == "tcPr" {
            read_cell_properties(reader, &element, &mut cell)?;
        } else {
            body.read_block(reader, &element, &mut cell.blocks)?;
        }
    }
    body.nesting -= 1;
    Ok(cell)
}

fn read_cell_properties(
    reader: &mut XmlReader<'_>,
    outer: &Element,
    cell: &mut Cell,
) -> Result<(), ParseError> {
    while let Some(property) = reader.next_element(outer)? {
        match property.name() {
            "gridSpan" => cell.columns = property.number("val").unwrap_or(1).clamp(1, MAX_SPAN),
            "vMerge" if property.attribute("val") == Some("restart") => cell.merge = VerticalMerge::Restart,
            "vMerge" => cell.merge = VerticalMerge::Continue,
            "cellDel" => cell.is_deleted = true,
            "tcPrChange" => reader.skip(&property)?,
            _ => {}
        }
    }
    Ok(())
}
