use std::collections::HashSet;

use adit_core::{MediaType, MetadataValue, ParseError};

use crate::builder::DocumentBuilder;
use crate::package::Package;
use crate::spreadsheet::Sheet;
use crate::spreadsheet::grid::{Budget, CellKind, number_text};
use crate::xml_reader::{Element, Node, XmlReader};

/// Sheets are at most this large in every program that reads them.
const MAX_ROWS: u32 = 1_048_576;
const MAX_COLUMNS: u32 = 16_384;
/// A filled row or cell that says it is repeated is written no more often.
const MAX_FILLED_REPEATS: u32 = 1_000;
/// Spaces that one element may stand for.
const MAX_SPACES: usize = 80;

/// Reads the sheets of an `.ods` file (OpenDocument 1.3 part 3, 9): its cells hold the text that is
/// shown beside the value, and empty rows and columns are only counted.
pub(crate) fn read(
    bytes: &[u8],
    budget: &mut Budget,
    builder: &mut DocumentBuilder,
) -> Result<Vec<Sheet>, ParseError> {
    let mut package = Package::open(bytes, MediaType::Spreadsheet)?;
    let manifest = package.read_text("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") {
        return Err(ParseError::PasswordNeeded);
    }
    if let Some(properties) = package.read_text("meta.xml")? {
        // Damaged properties are no reason to give up the cells.
        let _ = read_properties(&properties, builder);
    }
    let content = package.required_text("content.xml")?;
    let mut xml = XmlReader::new(&content, MediaType::Spreadsheet);
    let root = xml.root()?;
    let mut hidden_styles = HashSet::new();
    let mut sheets = Vec::new();
    while let Some(element) = xml.next_element(&root)? {
        match element.name() {
            "style" if element.attribute("family") == Some("table") => {
                let is_hidden = is_hidden_style(&mut xml, &element)?;
                hidden_styles.extend(element.attribute("name").filter(|_| is_hidden).map(str::to_owned));
            }
            // Holds cells as they were before a change.
            "tracked-changes" => xml.skip(&element)?,
            "table" => {
                let style = element.attribute("style-name").unwrap_or_default();
                let name = element.attribute("name").unwrap_or("Sheet").to_owned();
                let mut sheet = Sheet::new(&name, hidden_styles.contains(style));
                read_table(&mut xml, &element, &mut sheet, budget)?;
                sheet.grid.sort();
                sheets.push(sheet);
            }
            _ => {}
        }
    }
    Ok(sheets)
}

fn read_properties(text: &str, builder: &mut DocumentBuilder) -> Result<(), ParseError> {
    let mut xml = XmlReader::new(text, MediaType::Spreadsheet);
    let root = xml.root()?;
    while let Some(element) = xml.next_element(&root)? {
        let key = match element.name() {
            "title" => {
                let title = xml.text_of(&element)?;
                builder.set_title(&title);
                continue;
            }
            "initial-creator" => "author",
            "creation-date" => "created",
            "date" => "modified",
            "subject" => "subject",
            "description" => "description",
            "keyword" => "keywords",
            _ => continue,
        };
        let value = xml.text_of(&element)?.trim().to_owned();
        if !value.is_empty() {
            builder.metadata().entry(key.to_owned()).or_default().push(MetadataValue::Text(value));
        }
    }
    Ok(())
}

fn is_hidden_style(xml: &mut XmlReader<'_>, style: &Element) -> Result<bool, ParseError> {
    let mut is_hidden = false;
    while let Some(element) = xml.next_element(style)? {
        is_hidden |= element.name() == "table-properties" && element.attribute("display") == Some("false");
    }
    Ok(is_hidden)
}

fn read_table(
    xml: &mut XmlReader<'_>,
    table: &Element,
    sheet: &mut Sheet,
    budget: &mut Budget,
) -> Result<(), ParseError> {
    let mut row = 0;
    while let Some(element) = xml.next_element(table)? {
        match element.name() {
            "table-row" => {
                let repeats = repeats(&element, "number-rows-repeated");
                let cells = read_row(xml, &element, sheet)?;
                let filled = if cells.is_empty() { 0 } else { repeats.min(MAX_FILLED_REPEATS) };
                for copy in (0..filled).map(|copy| row + copy).take_while(|copy| *copy < MAX_ROWS) {
                    push_row(copy, &cells, sheet, budget);
                }
                row = row.saturating_add(repeats).min(MAX_ROWS);
            }
            "shapes" => {
                let words = text_of(xml, &element, &mut Vec::new())?;
                sheet.notes.push(words);
            }
            _ => {}
        }
    }
    Ok(())
}

/// One cell with words, repeated to the right.
struct OdsCell {
    column: u32,
    repeats: u32,
    row_span: u32,
    column_span: u32,
    text: String,
    kind: CellKind,
}

fn read_row(xml: &mut XmlReader<'_>, row: &Element, sheet: &mut Sheet) -> Result<Vec<OdsCell>, ParseError> {
    let mut cells = Vec::new();
    let mut column: u32 = 0;
    while let Some(element) = xml.next_element(row)? {
        if !matches!(element.name(), "table-cell" | "covered-table-cell") {
            continue;
        }
        let repeats = repeats(&element, "number-columns-repeated");
        let mut comments = Vec::new();
        let words = text_of(xml, &element, &mut comments)?;
        sheet.notes.extend(comments.into_iter().map(|comment| format!("Comment: {comment}")));
        let text = if words.is_empty() { value_of(&element) } else { words };
        // What a merged cell covers is not shown.
        if !text.is_empty() && element.name() == "table-cell" && column < MAX_COLUMNS {
            let span =
                |name| element.number(name).and_then(|span| u32::try_from(span).ok()).unwrap_or(1).max(1);
            cells.push(OdsCell {
                column,
                repeats: repeats.min(MAX_FILLED_REPEATS),
                row_span: span("number-rows-spanned"),
                column_span: span("number-columns-spanned"),
                text,
                kind: kind_of(&element),
            });
        }
        column = column.saturating_add(repeats).min(MAX_COLUMNS);
    }
    Ok(cells)
}

fn push_row(row: u32, cells: &[OdsCell], sheet: &mut Sheet, budget: &mut Budget) {
    for cell in cells {
        for column in (0..cell.repeats).map(|copy| cell.column + copy) {
            if !sheet.grid.push((row, column), &cell.text, cell.kind, budget) {
                return;
            }
        }
        if cell.row_span > 1 || cell.column_span > 1 {
            let end =
                (row.saturating_add(cell.row_span - 1), cell.column.saturating_add(cell.column_span - 1));
            sheet.grid.merge((row, cell.column), end);
        }
    }
}

/// The words inside an element, its paragraphs joined by spaces; comments go to `comments`.
fn text_of(
    xml: &mut XmlReader<'_>,
    outer: &Element,
    comments: &mut Vec<String>,
) -> Result<String, ParseError> {
    let mut words = String::new();
    while let Some(node) = xml.next_in(outer)? {
        match node {
            Node::Text(text) => words.push_str(&text),
            Node::Element(element) => match element.name() {
                "annotation" => {
                    let comment = comment_of(xml, &element)?;
                    comments.push(comment);
                }
                "s" => {
                    let spaces =
                        element.number("c").and_then(|count| usize::try_from(count).ok()).unwrap_or(1);
                    words.push_str(&" ".repeat(spaces.min(MAX_SPACES)));
                }
                // The binary data of an image is no text.
                "binary-data" => xml.skip(&element)?,
                "p" | "h" | "tab" | "line-break" => words.push(' '),
                _ => {}
            },
        }
    }
    Ok(words.split_whitespace().collect::<Vec<_>>().join(" "))
}

fn comment_of(xml: &mut XmlReader<'_>, annotation: &Element) -> Result<String, ParseError> {
    let mut author = String::new();
    let mut words = String::new();
    while let Some(node) = xml.next_in(annotation)? {
        match node {
            Node::Text(text) => words.push_str(&text),
            Node::Element(element) if element.name() == "creator" => author = xml.text_of(&element)?,
            Node::Element(element) if matches!(element.name(), "date" | "date-string") => {
                xml.skip(&element)?;
            }
            Node::Element(_) => words.push(' '),
        }
    }
    let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(if author.trim().is_empty() { words } else { format!("{words} ({})", author.trim()) })
}

/// The value of a cell that was written without its shown text.
fn value_of(cell: &Element) -> String {
    let text = |name| cell.attribute(name).unwrap_or_default().to_owned();
    match cell.attribute("value-type") {
        Some("percentage" | "float" | "currency") => {
            let decimals = (cell.attribute("value-type") == Some("percentage")).then_some(2);
            let value = cell.attribute("value").and_then(|value| value.parse().ok());
            value.map_or_else(String::new, |value| number_text(value, decimals))
        }
        Some("date") => text("date-value"),
        Some("time") => text("time-value"),
        Some("boolean") => text("boolean-value").to_uppercase(),
        Some("string") => text("string-value"),
        _ => String::new(),
    }
}

fn kind_of(cell: &Element) -> CellKind {
    match cell.attribute("value-type") {
        Some("percentage" | "float" | "currency") => CellKind::Number,
        Some("date" | "time" | "boolean" | "error") => CellKind::Other,
        _ => CellKind::Text,
    }
}

fn repeats(element: &Element, attribute: &str) -> u32 {
    element.number(attribute).and_then(|count| u32::try_from(count).ok()).unwrap_or(1).max(1)
}

#[cfg(test)]
mod tests {
    use adit_core::ParseError;

    use crate::package::testing::zip_of;
    use crate::spreadsheet::parse;

    fn ods(table: &str) -> Vec<u8> {
        let content = format!(
            "<office:document-content><office:automatic-styles><style:style style:name=\"ta2\" \
             style:family=\"table\"><style:table-properties table:display=\"false\"/></style:style>\
             </office:automatic-styles><office:body><office:spreadsheet>{table}</office:spreadsheet>\
             </office:body></office:document-content>"
        );
        zip_of(&[("mimetype", "application/vnd.oasis.opendocument.spreadsheet"), ("content.xml", &content)])
    }

    #[test]
    fn cells_have_the_text_that_is_shown() {
        let document = parse(&ods(
            "<table:table table:name=\"Rates\"><table:table-row><table:table-cell><text:p>Rate</text:p>\
             </table:table-cell><table:table-cell><text:p>When</text:p></table:table-cell></table:table-row>\
             <table:table-row><table:table-cell office:value-type=\"percentage\" office:value=\"0.25\">\
             <text:p>25%</text:p></table:table-cell><table:table-cell office:value-type=\"date\" \
             office:date-value=\"2026-03-01\"><office:annotation><text:p>why?</text:p></office:annotation>\
             </table:table-cell></table:table-row><table:table-row table:number-rows-repeated=\"1048573\">\
             <table:table-cell table:number-columns-repeated=\"16384\"/></table:table-row><table:table-row>\
             <table:table-cell><text:p>stray</text:p></table:table-cell></table:table-row></table:table>",
        ))
        .unwrap();
        assert_eq!(document.text, "Rates\n\nRate | When\n25% | 2026-03-01\n\nstray\n\nComment: why?");
    }

    #[test]
    fn hidden_sheets_are_kept_and_reported() {
        let table = "<table:table table:name=\"H\" table:style-name=\"ta2\"><table:table-row><table:table-cell>\
                     <text:p>word</text:p></table:table-cell></table:table-row></table:table>";
        let document = parse(&ods(table)).unwrap();
        assert_eq!((document.text.as_str(), document.coverage.warnings.len()), ("H\n\nword", 1));
        assert_eq!(parse(&ods("")), Err(ParseError::Empty));
    }

    #[test]
    fn repeated_cells_are_bounded() {
        let table = "<table:table><table:table-row table:number-rows-repeated=\"1048576\"><table:table-cell \
                     table:number-columns-repeated=\"16384\"><text:p>x</text:p></table:table-cell>\
                     </table:table-row></table:table>";
        assert!(parse(&ods(table)).unwrap().text.len() < 8 << 20);
    }
}
