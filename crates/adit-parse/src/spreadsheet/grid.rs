use adit_core::TableCell;
use calamine::ExcelDateTime;

/// What a cell holds, as far as it tells headers from data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CellKind {
    Text,
    Number,
    /// A date, a truth value or an error.
    Other,
}

/// One cell with words. Rows and columns count from 0.
#[derive(Debug, Clone)]
pub(crate) struct GridCell {
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) row_span: u32,
    pub(crate) column_span: u32,
    pub(crate) text: String,
    pub(crate) kind: CellKind,
}

impl GridCell {
    /// First row below the cell.
    pub(crate) fn row_end(&self) -> u32 {
        self.row.saturating_add(self.row_span.max(1))
    }

    /// First column to the right of the cell.
    pub(crate) fn column_end(&self) -> u32 {
        self.column.saturating_add(self.column_span.max(1))
    }

    pub(crate) fn to_table_cell(&self) -> TableCell {
        TableCell {
            text: self.text.clone(),
            column_span: self.column_span.max(1),
            row_span: self.row_span.max(1),
        }
    }
}

/// What a workbook may still take up. One shared string may stand in a million cells, so the size of
/// the file bounds nothing.
pub(crate) struct Budget {
    cells_left: usize,
    bytes_left: usize,
}

impl Budget {
    pub(crate) fn new(cells: usize, bytes: usize) -> Self {
        Self { cells_left: cells, bytes_left: bytes }
    }

    /// Whether a cell of `size_bytes` still fits; if not, nothing fits from here on.
    fn take(&mut self, size_bytes: usize) -> bool {
        if self.cells_left == 0 || self.bytes_left < size_bytes {
            self.cells_left = 0;
            return false;
        }
        self.cells_left -= 1;
        self.bytes_left -= size_bytes;
        true
    }
}

/// The cells of one sheet that have words: costs what they cost, wherever they stand.
#[derive(Default)]
pub(crate) struct Grid {
    cells: Vec<GridCell>,
    is_cut: bool,
}

impl Grid {
    /// Adds a cell and says whether more may come.
    pub(crate) fn push(
        &mut self,
        position: (u32, u32),
        words: &str,
        kind: CellKind,
        budget: &mut Budget,
    ) -> bool {
        let text = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if text.is_empty() {
            return true;
        }
        if !budget.take(text.len()) {
            self.is_cut = true;
            return false;
        }
        let (row, column) = position;
        self.cells.push(GridCell { row, column, row_span: 1, column_span: 1, text, kind });
        true
    }

    /// Gives the cell at `start` the area to `end`, both inclusive.
    pub(crate) fn merge(&mut self, start: (u32, u32), end: (u32, u32)) {
        let found = self.cells.binary_search_by_key(&start, |cell| (cell.row, cell.column));
        if let Some(cell) = found.ok().and_then(|index| self.cells.get_mut(index)) {
            cell.row_span = end.0.saturating_sub(start.0).saturating_add(1);
            cell.column_span = end.1.saturating_sub(start.1).saturating_add(1);
        }
    }

    /// Files may write cells in any order.
    pub(crate) fn sort(&mut self) {
        self.cells.sort_by_key(|cell| (cell.row, cell.column));
    }

    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(crate) fn into_cells(self) -> Vec<GridCell> {
        self.cells
    }
}

/// Decimals of a number format that shows percent, for example 1 for `0.0%`.
pub(crate) fn percent_decimals(format_code: &str) -> Option<usize> {
    let positive = format_code.split(';').next()?;
    // Words in quotes are shown as they are: `0"%"` does not multiply.
    let code: String = positive.split('"').step_by(2).collect();
    if !code.contains('%') || code.contains("\\%") {
        return None;
    }
    let decimals = code.split_once('.').map_or("", |(_, after)| after);
    Some(decimals.chars().take_while(|digit| matches!(digit, '0' | '#' | '?')).count())
}

/// A number as a cell shows it without a format: 15 digits, which is what spreadsheets calculate with.
pub(crate) fn number_text(value: f64, percent_decimals: Option<usize>) -> String {
    if let Some(decimals) = percent_decimals {
        return format!("{:.*}%", decimals.min(15), value * 100.0);
    }
    let rounded = format!("{value:.14e}").parse().unwrap_or(value);
    if rounded != 0.0 && !(1e-9..1e21).contains(&f64::abs(rounded)) {
        return format!("{rounded:e}");
    }
    rounded.to_string()
}

/// A date as `2026-03-01`, with `10:30` or `10:30:05` behind it if it has a time; a time or duration
/// alone without the date.
pub(crate) fn date_text(date: &ExcelDateTime) -> String {
    let value = date.as_f64();
    if date.is_duration() {
        let seconds = (value * 86_400.0).round();
        let sign = if seconds < 0.0 { "-" } else { "" };
        let seconds = seconds.abs() as u64;
        return format!("{sign}{}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    }
    let (year, month, day, hour, minute, second, _) = date.to_ymd_hms_milli();
    let time = match second {
        0 => format!("{hour:02}:{minute:02}"),
        _ => format!("{hour:02}:{minute:02}:{second:02}"),
    };
    if (0.0..1.0).contains(&value) {
        time
    } else if (hour, minute, second) == (0, 0, 0) {
        format!("{year:04}-{month:02}-{day:02}")
    } else {
        format!("{year:04}-{month:02}-{day:02} {time}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calamine::ExcelDateTimeType;

    #[test]
    fn numbers_and_percentages_look_as_on_the_screen() {
        for (value, code, shown) in [
            (0.1 + 0.2, "General", "0.3"),
            (1234.5, "#,##0.00", "1234.5"),
            (0.256, "0%", "26%"),
            (0.256, "0.0%;[Red]-0.0%", "25.6%"),
            (5.0, "0\"%\"", "5"),
            (1e300, "General", "1e300"),
        ] {
            assert_eq!(number_text(value, percent_decimals(code)), shown, "{code}");
        }
    }

    #[test]
    fn dates_are_iso_dates() {
        // Excel itself shows 45943.5 as 13 October 2025, noon.
        for (value, kind, shown) in [
            (45943.0, ExcelDateTimeType::DateTime, "2025-10-13"),
            (45943.5, ExcelDateTimeType::DateTime, "2025-10-13 12:00"),
            (0.75, ExcelDateTimeType::DateTime, "18:00"),
            (1.5, ExcelDateTimeType::TimeDelta, "36:00:00"),
        ] {
            assert_eq!(date_text(&ExcelDateTime::new(value, kind, false)), shown);
        }
    }
}
