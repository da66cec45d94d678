mod comments;
mod excel;
mod grid;
mod ods;
mod regions;

use std::io::{Cursor, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};

use adit_core::{MediaType, MetadataValue, ParseError, ParsedDocument};
use calamine::WorkbookProperties;
use zip::ZipArchive;

use crate::builder::DocumentBuilder;
use grid::{Budget, Grid};

/// Cells with words in all sheets together.
const MAX_CELLS: usize = 2_000_000;
/// Their text.
const MAX_TEXT_BYTES: usize = 128 << 20;
/// All parts of the file unpacked.
const MAX_UNPACKED_BYTES: u64 = 512 << 20;
/// First bytes of the container of `.xls` and of every encrypted Office file (MS-CFB).
const COMPOUND_FILE_MAGIC: [u8; 8] = [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// One sheet as its reader hands it over.
pub(crate) struct Sheet {
    name: String,
    is_hidden: bool,
    pub(crate) grid: Grid,
    /// Comments and text boxes, which stand in no cell.
    pub(crate) notes: Vec<String>,
    /// Goes after the sheet's name in a sentence.
    pub(crate) warning: Option<String>,
}

impl Sheet {
    pub(crate) fn new(name: &str, is_hidden: bool) -> Self {
        Self { name: name.to_owned(), is_hidden, grid: Grid::default(), notes: Vec::new(), warning: None }
    }
}

/// Parses a spreadsheet: XLSX (ECMA-376), XLS (MS-XLS) or ODS (OpenDocument).
///
/// Each sheet is a section of level 1 and a page; its regions of filled cells are tables. Cells have the
/// values of their formulas. Hidden sheets are kept, with a warning.
///
/// # Errors
/// [`ParseError::PasswordNeeded`], [`ParseError::Damaged`], [`ParseError::TooLarge`] for a file that
/// unpacks to more than the limit, [`ParseError::Empty`] if no sheet has a cell with words.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    // The readers have met few hostile files; a panic in one of them is a damaged file.
    catch_unwind(AssertUnwindSafe(|| parse_book(bytes)))
        .unwrap_or_else(|_| Err(damaged(&"the reader gave up on it")))
}

fn parse_book(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let mut builder = DocumentBuilder::new();
    let mut budget = Budget::new(MAX_CELLS, MAX_TEXT_BYTES);
    let mut comments = Vec::new();
    let sheets = if bytes.starts_with(&COMPOUND_FILE_MAGIC) {
        excel::read_xls(bytes, &mut budget, &mut builder)?
    } else {
        let parts = check_package(bytes)?;
        match kind_of(&parts)? {
            PackageKind::OpenDocument => ods::read(bytes, &mut budget, &mut builder)?,
            PackageKind::OfficeOpenXml => {
                warn_of_objects(&parts, &mut builder);
                match comments::read(bytes, &parts) {
                    Ok(found) => comments = found,
                    Err(error) => builder.warn(format!("comments were left out: {error}")),
                }
                excel::read_xlsx(bytes, &mut budget, &mut builder)?
            }
        }
    };
    let has_title = builder.has_title();
    let has_words = write_sheets(sheets, &mut builder);
    if !has_words {
        return Err(ParseError::Empty);
    }
    if !comments.is_empty() {
        builder.heading(1, "Comments");
    }
    for comment in &comments {
        builder.paragraph(comment);
    }
    let mut document = builder.finish(MediaType::Spreadsheet);
    if !has_title {
        // The name of the first sheet, most often `Sheet1`, is no title of the whole.
        document.title = None;
    }
    Ok(document)
}

/// Writes the sheets and says whether one of them had words.
fn write_sheets(sheets: Vec<Sheet>, builder: &mut DocumentBuilder) -> bool {
    let mut has_words = false;
    for (page, sheet) in (1..).zip(sheets) {
        let name = &sheet.name;
        if let Some(warning) = &sheet.warning {
            builder.warn(format!("sheet '{name}' {warning}"));
        }
        if sheet.grid.is_cut() {
            builder.warn(format!("sheet '{name}' is too large; only its first cells were kept"));
        }
        let cells = sheet.grid.into_cells();
        if cells.is_empty() && sheet.notes.is_empty() {
            continue;
        }
        if sheet.is_hidden {
            builder.warn(format!("sheet '{name}' is hidden; its words were kept"));
        }
        has_words = true;
        builder.set_page(page);
        builder.heading(1, name);
        regions::write(cells, builder);
        for note in &sheet.notes {
            builder.paragraph(note);
        }
    }
    has_words
}

#[derive(PartialEq, Eq)]
enum PackageKind {
    OfficeOpenXml,
    OpenDocument,
}

/// Unpacks every part once without keeping it, because the sizes a ZIP file declares may be lies and the
/// readers unpack without a bound. Gives the names of the parts.
fn check_package(bytes: &[u8]) -> Result<Vec<String>, ParseError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|error| damaged(&error))?;
    let mut left = MAX_UNPACKED_BYTES;
    for index in 0..archive.len() {
        let Ok(part) = archive.by_index(index) else { continue };
        // A part that cannot be unpacked is the reader's to report.
        let unpacked = std::io::copy(&mut part.take(left + 1), &mut std::io::sink()).unwrap_or(0);
        if unpacked > left {
            return Err(ParseError::TooLarge {
                size_bytes: MAX_UNPACKED_BYTES + 1,
                limit_bytes: MAX_UNPACKED_BYTES,
            });
        }
        left -= unpacked;
    }
    Ok(archive.file_names().flatten().map(|name| name.to_string()).collect())
}

fn kind_of(parts: &[String]) -> Result<PackageKind, ParseError> {
    let has = |name: &str| parts.iter().any(|part| part == name);
    if has("content.xml") && !has("xl/workbook.xml") {
        return Ok(PackageKind::OpenDocument);
    }
    if has("xl/workbook.bin") {
        return Err(ParseError::Unsupported { detail: "a binary Excel workbook (.xlsb)".to_owned() });
    }
    Ok(PackageKind::OfficeOpenXml)
}

fn warn_of_objects(parts: &[String], builder: &mut DocumentBuilder) {
    for (folder, what) in [("xl/charts/chart", "charts"), ("xl/media/", "pictures")] {
        let count = parts.iter().filter(|part| part.starts_with(folder)).count();
        if count > 0 {
            builder.warn(format!("{count} {what} were not read"));
        }
    }
}

/// Takes title, author, dates and key words from the document properties.
pub(crate) fn read_properties(properties: &WorkbookProperties, builder: &mut DocumentBuilder) {
    if let Some(title) = &properties.title {
        builder.set_title(title);
    }
    for (key, value) in [
        ("author", &properties.creator),
        ("created", &properties.created),
        ("modified", &properties.modified),
        ("subject", &properties.subject),
        ("description", &properties.description),
        ("keywords", &properties.keywords),
    ] {
        let Some(value) = value.as_deref().map(str::trim).filter(|value| !value.is_empty()) else { continue };
        builder.metadata().insert(key.to_owned(), vec![MetadataValue::Text(value.to_owned())]);
    }
}

pub(crate) fn damaged(error: &dyn std::fmt::Display) -> ParseError {
    ParseError::Damaged { media_type: MediaType::Spreadsheet, detail: error.to_string() }
}
