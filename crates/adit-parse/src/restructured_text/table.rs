use adit_core::TableCell;

use crate::builder::plain_cell;

/// A table's rows with markup still in the cells, and how many of the first are headers.
pub(crate) type Rows = (Vec<Vec<TableCell>>, usize);

/// Whether a grid table begins with this line.
pub(crate) fn is_grid_border(line: &str) -> bool {
    let line = line.trim_end();
    line.len() >= 3
        && line.starts_with('+')
        && line.ends_with('+')
        && line.chars().all(|one| matches!(one, '+' | '-' | '='))
        && line.contains(['-', '='])
}

/// Whether the line is a border of a simple table: at least two runs of `=`.
pub(crate) fn is_simple_border(line: &str) -> bool {
    let line = line.trim_end();
    line.chars().all(|one| one == '=' || one == ' ') && line.split_whitespace().count() >= 2
}

/// Reads a grid table. Cells that span columns keep the span; rows joined by a spanning cell become
/// one row. A table whose bars do not stand below each other is cut at its bars.
pub(crate) fn grid_rows(lines: &[&str]) -> Rows {
    let grid: Vec<Vec<char>> = lines.iter().map(|line| line.trim_end().chars().collect()).collect();
    let mut edges: Vec<usize> = Vec::new();
    for line in lines.iter().zip(&grid).filter(|(line, _)| is_grid_border(line)).map(|(_, line)| line) {
        edges.extend(line.iter().enumerate().filter(|(_, one)| **one == '+').map(|(at, _)| at));
    }
    edges.sort_unstable();
    edges.dedup();
    let (mut rows, mut header_rows) = (Vec::new(), 0);
    let mut band: Vec<&[char]> = Vec::new();
    for (text, line) in lines.iter().zip(&grid) {
        if !is_grid_border(text) {
            band.push(line);
            continue;
        }
        if !band.is_empty() {
            rows.push(band_cells(&band, &edges));
            band.clear();
        }
        if text.contains('=') && header_rows == 0 {
            header_rows = rows.len();
        }
    }
    if !band.is_empty() {
        rows.push(band_cells(&band, &edges));
    }
    (rows, header_rows)
}

fn is_edge(line: &[char], at: usize) -> bool {
    matches!(line.get(at), Some('|' | '+'))
}

fn band_cells(band: &[&[char]], edges: &[usize]) -> Vec<TableCell> {
    let (Some(first), Some(last)) = (edges.first(), edges.last()) else { return Vec::new() };
    let is_aligned =
        band.iter().all(|line| is_edge(line, *first) && is_edge(line, *last) && line.len() == last + 1);
    if !is_aligned {
        let joined: Vec<String> = band
            .iter()
            .map(|line| line.iter().collect::<String>().trim_matches(['|', '+']).to_owned())
            .collect();
        return joined.iter().flat_map(|line| line.split('|')).map(plain_cell).collect();
    }
    let mut cells = Vec::new();
    let (mut start, mut span) = (*first, 0);
    for edge in edges.iter().skip(1) {
        span += 1;
        if !band.iter().all(|line| is_edge(line, *edge)) {
            continue;
        }
        let parts = band.iter().filter_map(|line| line.get(start + 1..*edge));
        // A border inside a band belongs to a neighbour's rows.
        let is_words = |part: &&[char]| part.iter().any(|one| !matches!(one, '-' | '+' | '='));
        let words: Vec<String> = parts.filter(is_words).map(|part| part.iter().collect::<String>()).collect();
        cells.push(TableCell { column_span: span, ..plain_cell(&words.join("\n")) });
        (start, span) = (*edge, 0);
    }
    cells
}

/// Reads a simple table, borders included. A row with a blank first column continues the row before;
/// words across a column's edge span both columns.
pub(crate) fn simple_rows(lines: &[&str]) -> Rows {
    let starts = column_starts(lines.first().copied().unwrap_or_default());
    let borders = lines.iter().filter(|line| is_simple_border(line)).count();
    let (mut rows, mut header_rows, mut seen_borders) = (Vec::<Vec<TableCell>>::new(), 0, 0);
    for line in lines.iter().filter(|line| !line.trim().is_empty()) {
        if is_simple_border(line) {
            seen_borders += 1;
            if seen_borders == 2 && borders > 2 {
                header_rows = rows.len();
            }
            continue;
        }
        let is_rule = line.trim().chars().all(|one| one == '-' || one == ' ') && line.trim().len() > 2;
        if is_rule {
            continue;
        }
        let cells = simple_cells(line, &starts);
        let continues = cells.first().is_some_and(|cell| cell.text.is_empty());
        match rows.last_mut().filter(|row| continues && row.len() == cells.len()) {
            Some(row) if rows_follow(header_rows, seen_borders) => {
                for (cell, more) in row.iter_mut().zip(cells) {
                    cell.text = format!("{} {}", cell.text, more.text).trim().to_owned();
                }
            }
            _ => rows.push(cells),
        }
    }
    (rows, header_rows)
}

/// A continuation does not reach over the border below the header; that case has no rows yet to join.
fn rows_follow(header_rows: usize, seen_borders: usize) -> bool {
    seen_borders == 1 || header_rows > 0 || seen_borders == 0
}

fn column_starts(border: &str) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut before = ' ';
    for (at, character) in border.chars().enumerate() {
        if character == '=' && before != '=' {
            starts.push(at);
        }
        before = character;
    }
    starts
}

fn simple_cells(line: &str, starts: &[usize]) -> Vec<TableCell> {
    let characters: Vec<char> = line.trim_end().chars().collect();
    let mut cells = Vec::new();
    let (mut from, mut span) = (0, 0);
    for (column, _) in starts.iter().enumerate() {
        span += 1;
        let next = starts.get(column + 1).copied();
        let is_word_across = next.is_some_and(|next| {
            let is_word = |at: usize| characters.get(at).is_some_and(|one| !one.is_whitespace());
            next > 0 && is_word(next - 1) && is_word(next)
        });
        if is_word_across {
            continue;
        }
        let end = next.unwrap_or(characters.len()).min(characters.len());
        let words: String = characters.get(from.min(end)..end).unwrap_or_default().iter().collect();
        cells.push(TableCell { column_span: span, ..plain_cell(&words) });
        (from, span) = (end, 0);
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(rows: &Rows) -> Vec<Vec<&str>> {
        rows.0.iter().map(|row| row.iter().map(|cell| cell.text.as_str()).collect()).collect()
    }

    #[test]
    fn grid_tables_have_headers_and_spans() {
        let lines = [
            "+-----+-----+",
            "| a   | b   |",
            "+=====+=====+",
            "| two | 1   |",
            "| lns |     |",
            "+-----+-----+",
            "| spanning  |",
            "+-----+-----+",
        ];
        let rows = grid_rows(&lines);
        assert_eq!(words(&rows), [vec!["a", "b"], vec!["two lns", "1"], vec!["spanning"]]);
        assert_eq!((rows.1, rows.0[2][0].column_span), (1, 2));
        let crooked = grid_rows(&["+---+---+", "| 漢字 | b |", "+---+---+"]);
        assert_eq!(words(&crooked), [["漢字", "b"]]);
    }

    #[test]
    fn simple_tables_continue_rows() {
        let rows = simple_rows(&[
            "=====  =====",
            "head   more",
            "=====  =====",
            "one    first",
            "       second",
            "two    is longer than it",
            "abcdefghij",
            "=====  =====",
        ]);
        assert_eq!(
            words(&rows),
            [
                vec!["head", "more"],
                vec!["one", "first second"],
                vec!["two", "is longer than it"],
                vec!["abcdefghij"]
            ]
        );
        assert_eq!(rows.1, 1);
    }
}
