use adit_core::TableCell;

use crate::builder::plain_cell;

/// Reads the lines between two `|===`. The number of columns is `columns` or the number of cells on
/// the first line. Cell formats (`2+|`, `a|`) are left out, their column span kept.
pub(crate) fn bar_rows(lines: &[&str], columns: Option<usize>) -> Vec<Vec<TableCell>> {
    let mut cells: Vec<(String, u32)> = Vec::new();
    let mut first_line_cells = 0;
    for line in lines {
        let mut span = 1;
        for (number, part) in split_at_bars(line).into_iter().enumerate() {
            if number == 0 {
                // What stands before the first bar goes on with the cell of the line before.
                let (words, next_span) = take_format(&part, true);
                span = next_span;
                if let Some((cell, _)) = cells.last_mut() {
                    cell.push('\n');
                    cell.push_str(&words);
                } else if !words.trim().is_empty() {
                    cells.push((words, 1));
                }
                continue;
            }
            let (words, next_span) = take_format(&part, false);
            cells.push((words, span));
            span = next_span;
        }
        if first_line_cells == 0 {
            first_line_cells = cells.iter().map(|(_, span)| *span as usize).sum();
        }
    }
    let columns = columns.unwrap_or(first_line_cells).max(1);
    let mut rows: Vec<Vec<TableCell>> = Vec::new();
    let mut filled = columns;
    for (words, span) in cells {
        if filled >= columns {
            rows.push(Vec::new());
            filled = 0;
        }
        filled += span as usize;
        if let Some(row) = rows.last_mut() {
            row.push(TableCell { column_span: span, ..plain_cell(&words) });
        }
    }
    rows
}

/// Whether the first row of cells stands on one line with a blank line below, which makes it a header.
pub(crate) fn has_implicit_header(lines: &[&str]) -> bool {
    let first_is_row = lines.first().is_some_and(|line| !line.trim().is_empty());
    first_is_row && lines.get(1).is_some_and(|line| line.trim().is_empty())
}

/// Columns from `cols="1,2,a"`, `cols=3*` or `cols="2*,1"`.
pub(crate) fn column_count(attributes: &str) -> Option<usize> {
    let value = attributes.split_once("cols=")?.1;
    let value = match value.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => value.split([',', ']']).next()?,
    };
    let count = value.split([',', ';']).map(|column| match column.split_once('*') {
        Some((times, _)) => times.trim().parse::<usize>().unwrap_or(1).min(1000),
        None => 1,
    });
    Some(count.sum())
}

fn split_at_bars(line: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_escaped = false;
    for character in line.chars() {
        match (character, is_escaped) {
            ('|', false) => parts.push(String::new()),
            (other, _) => {
                if let Some(part) = parts.last_mut() {
                    if other == '|' {
                        part.pop();
                    }
                    part.push(other);
                }
            }
        }
        is_escaped = character == '\\';
    }
    parts
}

/// Takes the format of the next cell off the end of a part: a span `2+`, `.2+`, `3*`, an alignment
/// `^.>`, a style `a`. A word that only looks like a style stays.
fn take_format(part: &str, is_line_start: bool) -> (String, u32) {
    let (before, last) = match part.rsplit_once(' ') {
        Some((before, last)) => (before, last),
        None if is_line_start => ("", part),
        None => return (part.to_owned(), 1),
    };
    let is_style_only = last.len() == 1 && last.chars().all(|one| "adehlms".contains(one)) && is_line_start;
    let has_sign = last.contains(['+', '*', '^', '<', '>'])
        && last.chars().all(|one| "0123456789.+*^<>adehlms".contains(one));
    let letters = last.chars().filter(char::is_ascii_alphabetic).count();
    let is_format = (is_style_only && before.trim().is_empty()) || (has_sign && letters <= 1);
    if !is_format {
        return (part.to_owned(), 1);
    }
    let span = last.split_once('+').and_then(|(span, _)| span.split('.').next()?.parse().ok()).unwrap_or(1);
    (before.to_owned(), u32::clamp(span, 1, 1000))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_laid_out_in_rows() {
        let rows = bar_rows(&["|a |b", "", "|1", "goes on", "|2 \\| 3", "2+|both"], None);
        let words: Vec<Vec<&str>> =
            rows.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect()).collect();
        assert_eq!(words, [vec!["a", "b"], vec!["1 goes on", "2 | 3"], vec!["both"]]);
        assert_eq!(rows[2][0].column_span, 2);
        assert!(has_implicit_header(&["|a |b", "", "|1"]));
        assert_eq!(column_count("[cols=\"1,2a\",options=\"header\"]"), Some(2));
        assert_eq!(column_count("[%header,cols=3*]"), Some(3));
    }
}
