use adit_core::{TableCell, TextRange};

use crate::builder::{DocumentBuilder, plain_cell};

/// What the properties of a paragraph say about its role.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ParagraphRole {
    /// Level of a heading, from 1.
    pub(crate) heading_level: Option<u8>,
    pub(crate) is_in_table: bool,
}

/// How a cell of the row being defined hangs together with others.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellMerge {
    Single,
    /// Continues the cell to its left.
    WithLeft,
}

/// Gathers running text into the blocks of a [`DocumentBuilder`]: RTF says where a paragraph, cell or
/// row ends, never where a table or list does.
pub(crate) struct RtfBlocks {
    pub(crate) builder: DocumentBuilder,
    paragraph: String,
    cells: Vec<String>,
    merges: Vec<CellMerge>,
    rows: Vec<Vec<TableCell>>,
    header_rows: usize,
    is_header_row: bool,
    marker: Option<String>,
    items: Vec<String>,
}

impl RtfBlocks {
    pub(crate) fn new() -> Self {
        Self {
            builder: DocumentBuilder::new(),
            paragraph: String::new(),
            cells: Vec::new(),
            merges: Vec::new(),
            rows: Vec::new(),
            header_rows: 0,
            is_header_row: false,
            marker: None,
            items: Vec::new(),
        }
    }

    pub(crate) fn text(&mut self, text: &str) {
        self.paragraph.push_str(text);
    }

    /// The number or bullet that stands before the paragraph.
    pub(crate) fn list_marker(&mut self, marker: &str) {
        let marker = marker.trim();
        let is_number = marker.chars().any(char::is_alphanumeric);
        self.marker = Some(if is_number { marker.to_owned() } else { "-".to_owned() });
    }

    pub(crate) fn end_paragraph(&mut self, role: ParagraphRole) {
        if role.is_in_table {
            self.paragraph.push(' ');
            self.marker = None;
            return;
        }
        let words = std::mem::take(&mut self.paragraph);
        let marker = self.marker.take();
        let lines = words.split('\n').map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
        let words = lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n");
        if words.is_empty() {
            return;
        }
        self.end_table();
        match (role.heading_level, marker) {
            (Some(level), marker) => {
                self.end_list();
                let number = marker.filter(|marker| marker != "-").map_or_else(String::new, |one| one + " ");
                self.builder.heading(level, &format!("{number}{words}"));
            }
            (None, Some(marker)) => self.items.push(format!("{marker} {}", words.replace('\n', "\n  "))),
            (None, None) => {
                self.end_list();
                self.builder.paragraph(&words);
            }
        }
    }

    pub(crate) fn start_row_definition(&mut self) {
        self.merges.clear();
        self.is_header_row = false;
    }

    pub(crate) fn mark_row_as_header(&mut self) {
        self.is_header_row = true;
    }

    pub(crate) fn define_cell(&mut self, merge: CellMerge) {
        self.merges.push(merge);
    }

    pub(crate) fn end_cell(&mut self) {
        self.marker = None;
        self.cells.push(std::mem::take(&mut self.paragraph));
    }

    pub(crate) fn end_row(&mut self) {
        if !self.paragraph.trim().is_empty() {
            self.end_cell();
        }
        self.paragraph.clear();
        let mut row: Vec<TableCell> = Vec::with_capacity(self.cells.len());
        for (column, words) in std::mem::take(&mut self.cells).iter().enumerate() {
            let cell = plain_cell(words);
            match row.last_mut() {
                Some(left)
                    if self.merges.get(column) == Some(&CellMerge::WithLeft) && cell.text.is_empty() =>
                {
                    left.column_span += 1;
                }
                _ => row.push(cell),
            }
        }
        if row.iter().all(|cell| cell.text.is_empty()) {
            return;
        }
        self.end_list();
        if self.is_header_row && self.header_rows == self.rows.len() {
            self.header_rows += 1;
        }
        self.rows.push(row);
    }

    fn end_table(&mut self) {
        let rows = std::mem::take(&mut self.rows);
        let marked = std::mem::take(&mut self.header_rows);
        if !rows.is_empty() {
            // Few writers mark the header, and the first row of most tables is one.
            let headers = if marked > 0 { marked } else { usize::from(rows.len() > 1) };
            self.builder.table(rows, headers, None);
        }
    }

    fn end_list(&mut self) {
        let mut words = String::new();
        let mut ranges = Vec::new();
        for item in std::mem::take(&mut self.items) {
            if !words.is_empty() {
                words.push('\n');
            }
            let start = words.len();
            words.push_str(&item);
            ranges.push(TextRange::new(start, words.len()));
        }
        self.builder.list(&words, &ranges);
    }

    /// Writes what is still open and hands the builder back.
    pub(crate) fn finish(mut self) -> DocumentBuilder {
        if !self.cells.is_empty() {
            self.end_row();
        }
        self.end_paragraph(ParagraphRole::default());
        self.end_table();
        self.end_list();
        self.builder
    }
}
