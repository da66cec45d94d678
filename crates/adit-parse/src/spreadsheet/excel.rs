use std::io::Cursor;

use adit_core::ParseError;
use calamine::{Data, DataRef, Reader, SheetType, SheetVisible, Xls, XlsError, Xlsx, XlsxError};

use crate::builder::DocumentBuilder;
use crate::spreadsheet::grid::{Budget, CellKind, Grid, date_text, number_text, percent_decimals};
use crate::spreadsheet::{Sheet, damaged, read_properties};

/// Reads the sheets of an `.xlsx` or `.xlsm` file. Cells are streamed, so that a single cell in the last
/// row does not make a table of the sheet's size.
pub(crate) fn read_xlsx(
    bytes: &[u8],
    budget: &mut Budget,
    builder: &mut DocumentBuilder,
) -> Result<Vec<Sheet>, ParseError> {
    let mut book = Xlsx::new(Cursor::new(bytes)).map_err(|error| match error {
        XlsxError::Password => ParseError::PasswordNeeded,
        error => damaged(&error),
    })?;
    if let Ok(properties) = book.workbook_properties() {
        read_properties(&properties, builder);
    }
    let mut sheets = Vec::new();
    for about in book.sheets_metadata().to_vec() {
        let mut sheet = Sheet::new(&about.name, about.visible != SheetVisible::Visible);
        if about.typ != SheetType::WorkSheet {
            sheet.warning = Some("is a chart or dialog, which is not read".to_owned());
        } else {
            match read_xlsx_cells(&mut book, &about.name, budget, &mut sheet.grid) {
                Ok(()) => {}
                Err(XlsxError::NotAWorksheet(kind)) => {
                    sheet.warning = Some(format!("is a {kind}, which is not read"));
                }
                Err(error) => sheet.warning = Some(format!("is damaged: {error}; what came before was kept")),
            }
            sheet.grid.sort();
            for area in book.merge_cells_by_sheet_name(&about.name).unwrap_or_default() {
                sheet.grid.merge(area.start, area.end);
            }
        }
        sheets.push(sheet);
    }
    Ok(sheets)
}

fn read_xlsx_cells(
    book: &mut Xlsx<Cursor<&[u8]>>,
    name: &str,
    budget: &mut Budget,
    grid: &mut Grid,
) -> Result<(), XlsxError> {
    let mut reader = book.worksheet_cells_reader(name)?;
    let decimals_by_style: Vec<Option<usize>> = reader
        .styles()
        .iter()
        .map(|style| style.number_format.as_ref().and_then(|format| percent_decimals(&format.format_code)))
        .collect();
    while let Some((cell, style)) = reader.next_cell_with_style_id()? {
        let decimals = decimals_by_style.get(style).copied().flatten();
        let position = cell.get_position();
        let goes_on = match cell.get_value() {
            DataRef::Empty => true,
            // Most text is shared; copying it only to look at it would double the cost.
            DataRef::SharedString(words) => grid.push(position, words, CellKind::Text, budget),
            value => {
                let (words, kind) = shown(&Data::from(value.clone()), decimals);
                grid.push(position, &words, kind, budget)
            }
        };
        if !goes_on {
            break;
        }
    }
    Ok(())
}

/// Reads the sheets of an `.xls` file, which have at most 65,536 rows and 256 columns.
pub(crate) fn read_xls(
    bytes: &[u8],
    budget: &mut Budget,
    builder: &mut DocumentBuilder,
) -> Result<Vec<Sheet>, ParseError> {
    // An encrypted .xlsx file comes in the same container as .xls.
    if let Err(XlsxError::Password) = Xlsx::new(Cursor::new(bytes)) {
        return Err(ParseError::PasswordNeeded);
    }
    let mut book = Xls::new(Cursor::new(bytes)).map_err(|error| match error {
        XlsError::Password => ParseError::PasswordNeeded,
        error => damaged(&error),
    })?;
    if let Ok(properties) = book.workbook_properties() {
        read_properties(&properties, builder);
    }
    let mut sheets = Vec::new();
    for about in book.sheets_metadata().to_vec() {
        let mut sheet = Sheet::new(&about.name, about.visible != SheetVisible::Visible);
        if about.typ != SheetType::WorkSheet {
            sheet.warning = Some("is a chart, dialog or macro, which is not read".to_owned());
        } else {
            match book.worksheet_range(&about.name) {
                Ok(range) => push_range(&range, budget, &mut sheet.grid),
                Err(error) => sheet.warning = Some(format!("is damaged: {error}")),
            }
            for area in book.merge_cells_by_sheet_name(&about.name).unwrap_or_default() {
                sheet.grid.merge(area.start, area.end);
            }
        }
        sheets.push(sheet);
    }
    Ok(sheets)
}

fn push_range(range: &calamine::Range<Data>, budget: &mut Budget, grid: &mut Grid) {
    let (top, left) = range.start().unwrap_or_default();
    for (row, column, value) in range.used_cells() {
        let position = (top.saturating_add(row as u32), left.saturating_add(column as u32));
        let (words, kind) = shown(value, None);
        if !grid.push(position, &words, kind, budget) {
            break;
        }
    }
}

/// What a person sees in the cell.
fn shown(value: &Data, percent_decimals: Option<usize>) -> (String, CellKind) {
    match value {
        Data::Empty => (String::new(), CellKind::Text),
        Data::String(words) => (words.clone(), CellKind::Text),
        Data::Int(number) => (
            match percent_decimals {
                Some(_) => number_text(*number as f64, percent_decimals),
                None => number.to_string(),
            },
            CellKind::Number,
        ),
        Data::Float(number) => (number_text(*number, percent_decimals), CellKind::Number),
        Data::Bool(value) => ((if *value { "TRUE" } else { "FALSE" }).to_owned(), CellKind::Other),
        Data::DateTime(date) => (date_text(date), CellKind::Other),
        Data::DateTimeIso(text) | Data::DurationIso(text) => (text.clone(), CellKind::Other),
        Data::Error(error) => (error.to_string(), CellKind::Other),
    }
}
