use adit_core::TableCell;

use crate::builder::plain_cell;

/// Spans in real files are small; a claim of millions is an attack or a mistake.
const MAX_SPAN: u32 = 1000;

#[derive(Default)]
struct Row {
    cells: Vec<TableCell>,
    is_head: bool,
    header_cells: usize,
}

/// A table whose rows and cells arrive one after the other.
#[derive(Default)]
pub(crate) struct TableInProgress {
    rows: Vec<Row>,
    open_cell: Option<(u32, u32)>,
    caption: String,
}

impl TableInProgress {
    pub(crate) fn start_row(&mut self, is_head: bool) {
        self.rows.push(Row { is_head, ..Row::default() });
    }

    pub(crate) fn mark_rows_as_head(&mut self) {
        for row in &mut self.rows {
            row.is_head = true;
        }
    }

    pub(crate) fn start_cell(&mut self, is_header: bool, column_span: u32, row_span: u32) {
        if self.rows.is_empty() {
            self.start_row(false);
        }
        if let Some(row) = self.rows.last_mut() {
            row.header_cells += usize::from(is_header);
        }
        self.open_cell = Some((column_span.clamp(1, MAX_SPAN), row_span.clamp(1, MAX_SPAN)));
    }

    /// Words outside a cell are kept as a part of the caption rather than lost.
    pub(crate) fn finish_cell(&mut self, words: &str) {
        match self.open_cell.take() {
            Some((column_span, row_span)) => {
                if let Some(row) = self.rows.last_mut() {
                    row.cells.push(TableCell { column_span, row_span, ..plain_cell(words) });
                }
            }
            None => self.add_caption(words),
        }
    }

    pub(crate) fn add_caption(&mut self, words: &str) {
        if !words.is_empty() {
            if !self.caption.is_empty() {
                self.caption.push(' ');
            }
            self.caption.push_str(&plain_cell(words).text);
        }
    }

    /// Rows, how many of the first are headers, and the caption.
    pub(crate) fn finish(self) -> (Vec<Vec<TableCell>>, usize, Option<String>) {
        let is_header =
            |row: &Row| row.is_head || (row.header_cells > 1 && row.header_cells == row.cells.len());
        let mut header_rows = self.rows.iter().take_while(|row| is_header(row)).count();
        if header_rows == self.rows.len() {
            header_rows = header_rows.min(1);
        }
        let caption = Some(self.caption).filter(|caption| !caption.is_empty());
        (self.rows.into_iter().map(|row| row.cells).collect(), header_rows, caption)
    }
}
