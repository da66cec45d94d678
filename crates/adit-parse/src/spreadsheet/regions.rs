use std::collections::HashSet;

use adit_core::TableCell;

use crate::builder::DocumentBuilder;
use crate::spreadsheet::grid::{CellKind, GridCell};

/// Cuts of cuts; real sheets need two or three.
const MAX_CUTS: usize = 24;
/// A region of which fewer cells than one in this many are filled is written without its empty cells.
const MAX_AREA_PER_CELL: u64 = 20;
/// Areas below this are always written whole.
const SMALL_AREA_CELLS: u64 = 2_000;
/// Words in one column that are longer are text, not a list of values.
const LONG_TEXT_CHARACTERS: usize = 80;

/// Writes the cells of a sheet: blank rows and columns separate regions, each region is a table, and a
/// text that stands alone is a paragraph.
pub(crate) fn write(cells: Vec<GridCell>, builder: &mut DocumentBuilder) {
    let mut pending = vec![(cells, 0)];
    while let Some((cells, cuts)) = pending.pop() {
        let parts = if cuts < MAX_CUTS { cut(cells) } else { vec![cells] };
        match <[Vec<GridCell>; 1]>::try_from(parts) {
            Ok([region]) => write_region(region, builder),
            // The last one pushed is written first.
            Err(parts) => pending.extend(parts.into_iter().rev().map(|part| (part, cuts + 1))),
        }
    }
}

/// Cuts at blank rows, or at blank columns if no row is blank.
fn cut(cells: Vec<GridCell>) -> Vec<Vec<GridCell>> {
    let parts = cut_along(cells, |cell| (cell.row, cell.row_end()));
    match <[Vec<GridCell>; 1]>::try_from(parts) {
        Ok([whole]) => cut_along(whole, |cell| (cell.column, cell.column_end())),
        Err(parts) => parts,
    }
}

fn cut_along(mut cells: Vec<GridCell>, extent: impl Fn(&GridCell) -> (u32, u32)) -> Vec<Vec<GridCell>> {
    cells.sort_by_key(|cell| extent(cell).0);
    let mut parts = Vec::new();
    let mut part: Vec<GridCell> = Vec::new();
    let mut reached = 0;
    for cell in cells {
        let (start, end) = extent(&cell);
        if !part.is_empty() && start > reached {
            parts.push(std::mem::take(&mut part));
        }
        reached = reached.max(end);
        part.push(cell);
    }
    parts.push(part);
    for part in &mut parts {
        part.sort_by_key(|cell| (cell.row, cell.column));
    }
    parts
}

fn write_region(cells: Vec<GridCell>, builder: &mut DocumentBuilder) {
    let columns: HashSet<u32> = cells.iter().map(|cell| cell.column).collect();
    let is_text = cells.iter().all(|cell| cell.kind == CellKind::Text);
    let has_long_text = cells.iter().any(|cell| cell.text.chars().count() > LONG_TEXT_CHARACTERS);
    if cells.len() == 1 || (columns.len() == 1 && is_text && has_long_text) {
        for cell in &cells {
            builder.paragraph(&cell.text);
        }
        return;
    }
    let mut rows = rows_of(cells);
    let caption = take_caption(&mut rows);
    let headers = header_rows(&rows);
    builder.table(place(&rows), headers, caption);
}

fn rows_of(cells: Vec<GridCell>) -> Vec<Vec<GridCell>> {
    let mut rows: Vec<Vec<GridCell>> = Vec::new();
    for cell in cells {
        match rows.last_mut() {
            Some(row) if row.first().is_some_and(|first| first.row == cell.row) => row.push(cell),
            _ => rows.push(vec![cell]),
        }
    }
    rows
}

/// A single text above rows of several cells is the title of the table.
fn take_caption(rows: &mut Vec<Vec<GridCell>>) -> Option<String> {
    let [first, second, ..] = rows.as_slice() else { return None };
    let [title] = first.as_slice() else { return None };
    if title.kind != CellKind::Text || title.row_span > 1 || second.len() < 2 {
        return None;
    }
    let title = title.text.clone();
    rows.remove(0);
    Some(title)
}

fn is_all_text(row: &[GridCell]) -> bool {
    row.iter().all(|cell| cell.kind == CellKind::Text)
}

/// A first row is a header if it has words for most columns that data follows under. A header of
/// merged cells has its second line below it.
fn header_rows(rows: &[Vec<GridCell>]) -> usize {
    let [first, below @ ..] = rows else { return 0 };
    let columns: HashSet<u32> = rows.iter().flatten().map(|cell| cell.column).collect();
    let covered: u64 = first.iter().map(|cell| u64::from(cell.column_span.max(1))).sum();
    if below.is_empty() || !is_header_row(first) || covered * 2 < columns.len() as u64 {
        return 0;
    }
    let has_merged = first.iter().any(|cell| cell.column_span > 1);
    let second_is_header = below.first().is_some_and(|second| is_all_text(second))
        && below.iter().skip(1).any(|row| !is_all_text(row));
    if has_merged && second_is_header { 2 } else { 1 }
}

fn is_header_row(row: &[GridCell]) -> bool {
    row.iter().all(|cell| cell.kind == CellKind::Text || is_year(&cell.text))
        && row.iter().filter(|cell| cell.kind == CellKind::Text).count() * 4 >= row.len()
        || (row.len() > 1 && row.iter().all(|cell| is_year(&cell.text)))
}

fn is_year(text: &str) -> bool {
    text.len() == 4 && text.parse::<u32>().is_ok_and(|year| (1900..2100).contains(&year))
}

/// Rows with their empty cells, except those that a merged cell covers.
fn place(rows: &[Vec<GridCell>]) -> Vec<Vec<TableCell>> {
    let cells = rows.iter().flatten();
    let left = cells.clone().map(|cell| cell.column).min().unwrap_or(0);
    let right = cells.clone().map(|cell| cell.column + 1).max().unwrap_or(0);
    let area = u64::from(right - left) * rows.len() as u64;
    if area > SMALL_AREA_CELLS && area > MAX_AREA_PER_CELL * cells.count() as u64 {
        return rows.iter().map(|row| row.iter().map(GridCell::to_table_cell).collect()).collect();
    }
    let mut covered_until_row = vec![0_u32; (right - left) as usize];
    rows.iter()
        .map(|row| {
            let number = row.first().map_or(0, |cell| cell.row);
            place_row(row, number, left, &mut covered_until_row)
        })
        .collect()
}

fn place_row(row: &[GridCell], number: u32, left: u32, covered_until_row: &mut [u32]) -> Vec<TableCell> {
    let mut placed = Vec::with_capacity(covered_until_row.len());
    let mut cells = row.iter().peekable();
    let mut free_from = left;
    for (column, covered) in (left..).zip(covered_until_row.iter_mut()) {
        if let Some(cell) = cells.next_if(|cell| cell.column == column) {
            placed.push(cell.to_table_cell());
            free_from = cell.column_end();
            // A second cell in the same place of a broken file must not be lost.
            while let Some(same) = cells.next_if(|cell| cell.column == column) {
                placed.push(same.to_table_cell());
            }
            if cell.row_span > 1 {
                *covered = cell.row_end();
            }
        } else if column >= free_from && *covered <= number {
            placed.push(TableCell { text: String::new(), column_span: 1, row_span: 1 });
        }
    }
    placed
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::{BlockKind, MediaType, ParsedDocument};

    fn sheet(rows: &[(u32, u32, &str)]) -> ParsedDocument {
        let cells = rows.iter().map(|&(row, column, text)| GridCell {
            row,
            column,
            row_span: 1,
            column_span: 1,
            text: text.into(),
            kind: if text.parse::<f64>().is_ok() { CellKind::Number } else { CellKind::Text },
        });
        let mut builder = DocumentBuilder::new();
        write(cells.collect(), &mut builder);
        builder.finish(MediaType::Spreadsheet)
    }

    #[test]
    fn blank_rows_and_columns_separate_regions() {
        let document = sheet(&[
            (0, 0, "a"),
            (0, 1, "b"),
            (1, 0, "1"),
            (1, 1, "2"),
            (0, 3, "c"),
            (0, 4, "d"),
            (1, 3, "3"),
            (1, 4, "4"),
            (4, 0, "alone"),
            (1_048_575, 16_383, "stray"),
        ]);
        assert_eq!(document.text, "a | b\n1 | 2\n\nc | d\n3 | 4\n\nalone\n\nstray");
        let BlockKind::Table(table) = &document.blocks[0].kind else { panic!("no table") };
        assert_eq!(table.header_rows, 1);
    }

    #[test]
    fn a_title_above_a_table_is_its_caption() {
        let document =
            sheet(&[(0, 0, "Ducks"), (1, 0, "Year"), (1, 1, "Ducks"), (2, 0, "2019"), (2, 1, "7")]);
        assert_eq!(document.text, "Ducks\n\nYear | Ducks\n2019 | 7");
        let BlockKind::Table(table) = &document.blocks[1].kind else { panic!("no table") };
        assert_eq!((table.header_rows, table.caption.as_deref()), (1, Some("Ducks")));
    }

    #[test]
    fn numbers_have_no_header() {
        let document = sheet(&[(0, 0, "1"), (0, 1, "2"), (1, 0, "3"), (1, 1, "4")]);
        let BlockKind::Table(table) = &document.blocks[0].kind else { panic!("no table") };
        assert_eq!(table.header_rows, 0);
    }

    #[test]
    fn a_diagonal_is_not_written_as_a_square() {
        let cells: Vec<_> = (0..16_000).map(|at| (at, at, "x")).collect();
        assert_eq!(sheet(&cells).text.len(), 16_000 * 2 - 1);
    }

    #[test]
    fn merged_cells_cover_their_area() {
        let cell = |row, column, text: &str, row_span, column_span| GridCell {
            row,
            column,
            row_span,
            column_span,
            text: text.into(),
            kind: CellKind::Text,
        };
        let cells = vec![
            cell(0, 0, "Region", 2, 1),
            cell(0, 1, "Sales", 1, 2),
            cell(1, 1, "2024", 1, 1),
            cell(1, 2, "x", 1, 1),
        ];
        let mut builder = DocumentBuilder::new();
        write(cells, &mut builder);
        assert_eq!(builder.finish(MediaType::Spreadsheet).text, "Region | Sales\n2024 | x");
    }
}
