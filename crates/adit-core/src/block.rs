use serde::{Deserialize, Serialize};

use crate::TextRange;

/// One heading and everything under it. Sections form a tree through `parent`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Section {
    /// The heading's words, without markup.
    pub heading: String,
    /// 1 for the outermost heading level.
    pub level: u8,
    /// Index of the enclosing section in [`crate::ParsedDocument::sections`].
    pub parent: Option<usize>,
}

/// One structural piece of a document, in reading order. Blocks do not overlap; between two blocks
/// there is only white space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// Where its words stand in the extracted text.
    pub range: TextRange,
    /// Index of its section in [`crate::ParsedDocument::sections`]; `None` before the first heading.
    pub section: Option<usize>,
    /// Page it starts on, from 1.
    pub page: Option<u32>,
}

/// The kinds of blocks, with the structure inside that a chunker may cut along.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// A heading; its section is the one it opens.
    Heading,
    /// Running text.
    Paragraph,
    /// A list; each item's range, nested items inside their parent's item.
    List {
        /// One range an outermost item.
        items: Vec<TextRange>,
    },
    /// A table.
    Table(Table),
    /// Program text or preformatted text.
    Code {
        /// Language from the fence or file name.
        language: Option<String>,
    },
    /// A quotation.
    Quote,
    /// A page boundary without text of its own.
    PageBreak,
}

/// A table with its rows as they stand in the extracted text (one line a row).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// How many of the first rows are headers.
    pub header_rows: usize,
    /// All rows, headers first.
    pub rows: Vec<TableRow>,
    /// Caption, where one was found beside the table.
    pub caption: Option<String>,
}

/// One row: its whole line and its cells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRow {
    /// The line in the extracted text.
    pub range: TextRange,
    /// Cells from left to right.
    pub cells: Vec<TableCell>,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableCell {
    /// Its words.
    pub text: String,
    /// Columns it spans, at least 1.
    pub column_span: u32,
    /// Rows it spans, at least 1.
    pub row_span: u32,
}
