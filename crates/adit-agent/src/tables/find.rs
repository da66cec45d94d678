//! Tables in extracted text: the parsers write them one row a line, cells between ` | `.

use adit_core::TextRange;

/// A table as it stands in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FoundTable {
    /// Names of the columns, unique.
    pub(super) columns: Vec<String>,
    /// Rows under the header; each has as many cells as there are columns.
    pub(super) rows: Vec<Vec<String>>,
}

const SEPARATOR: &str = " | ";
/// More columns than this are no table that a model can ask.
const MOST_COLUMNS: usize = 200;
/// A column's name is cut to so many characters.
const NAME_CHARACTERS: usize = 60;

/// Every run of at least two lines with the same number of cells, at least two. Rows that overlap one of
/// `forbidden` are left out; how many were is the second value.
pub(super) fn find_tables(text: &str, forbidden: &[TextRange]) -> (Vec<FoundTable>, usize) {
    let mut tables = Vec::new();
    let mut left_out = 0;
    let mut run: Vec<Vec<&str>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let range = TextRange::new(at, at + line.len());
        at = range.end;
        let cells = cells(line);
        let is_table = (2..=MOST_COLUMNS).contains(&cells.len());
        if !is_table || run.first().is_some_and(|first| first.len() != cells.len()) {
            tables.extend(table(&run));
            run.clear();
        }
        if is_table {
            if forbidden.iter().any(|one| one.overlaps(range)) {
                left_out += 1;
            } else {
                run.push(cells);
            }
        }
    }
    tables.extend(table(&run));
    (tables, left_out)
}

fn cells(line: &str) -> Vec<&str> {
    // The last cell may be empty, and its separator then ends the line.
    let line = line.trim_end_matches(['\n', '\r']);
    line.split(SEPARATOR)
        .flat_map(|cell| cell.strip_suffix(" |").map_or(vec![cell], |cell| vec![cell, ""]))
        .map(str::trim)
        .collect()
}

fn table(run: &[Vec<&str>]) -> Option<FoundTable> {
    let (header, rows) = run.split_first().filter(|(_, rows)| !rows.is_empty())?;
    let is_header =
        header.iter().all(|cell| number(cell).is_none()) && header.iter().any(|cell| !cell.is_empty());
    let rows = if is_header { rows } else { run };
    let mut columns: Vec<String> = Vec::new();
    for (place, cell) in (1..).zip(header) {
        let base = if is_header { column_name(cell) } else { String::new() };
        let base = if base.is_empty() { format!("column_{place}") } else { base };
        let mut name = base.clone();
        let mut again = 2;
        while columns.iter().any(|other| other.eq_ignore_ascii_case(&name)) {
            name = format!("{base}_{again}");
            again += 1;
        }
        columns.push(name);
    }
    let rows = rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect();
    Some(FoundTable { columns, rows })
}

/// Letters and digits, everything else as `_`: a name that needs no quoting.
pub(super) fn column_name(text: &str) -> String {
    let mut name = String::new();
    for character in text.trim().to_lowercase().chars().take(NAME_CHARACTERS) {
        if character.is_alphanumeric() {
            name.push(character);
        } else if !name.ends_with('_') && !name.is_empty() {
            name.push('_');
        }
    }
    let name = name.trim_end_matches('_').to_owned();
    if name.starts_with(|first: char| first.is_ascii_digit()) { format!("c_{name}") } else { name }
}

/// The number that a whole cell is, with thousands separated by commas (`1,250.50`) or none.
pub(super) fn number(cell: &str) -> Option<f64> {
    let plain = cell.trim();
    let digits = plain.trim_start_matches(['-', '+']);
    if !digits.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    // A code with leading zeros is no number: 007 and 7 are two things.
    if digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.") {
        return None;
    }
    let whole = digits.split('.').next().unwrap_or_default();
    let groups: Vec<&str> = whole.split(',').collect();
    let grouped = groups.len() == 1
        || (groups.first().is_some_and(|first| (1..=3).contains(&first.len()))
            && groups.iter().skip(1).all(|group| group.len() == 3));
    if !grouped {
        return None;
    }
    plain.replace(',', "").parse().ok().filter(|number: &f64| number.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_runs_of_lines_with_as_many_cells() {
        let text =
            "Orders\n\nRegion | Total | Total\nNorth | 1,200 | 3\nSouth |  | \n\nA | B\n\n1 | 2\n3 | 4\nend";
        let (tables, left_out) = find_tables(text, &[]);
        assert_eq!(left_out, 0);
        assert_eq!(tables.len(), 2, "{tables:?}");
        assert_eq!(tables[0].columns, ["region", "total", "total_2"]);
        assert_eq!(tables[0].rows, [vec!["North", "1,200", "3"], vec!["South", "", ""]]);
        assert_eq!(tables[1].columns, ["column_1", "column_2"]);
        assert_eq!(tables[1].rows.len(), 2);
    }

    #[test]
    fn rows_that_must_not_be_cited_are_left_out() {
        let text = "a | b\nx | 1\ny | 2\nz | 3";
        let (tables, left_out) = find_tables(text, &[TextRange::new(12, 14)]);
        assert_eq!((tables[0].rows.len(), left_out), (2, 1), "{tables:?}");
    }

    #[test]
    fn a_number_is_a_whole_cell() {
        let cases = [("1,250.50", Some(1250.5)), ("-3", Some(-3.0)), ("0.5", Some(0.5)), ("0", Some(0.0))];
        for (cell, expected) in cases {
            assert_eq!(number(cell), expected, "{cell}");
        }
        for cell in ["007", "1,2", "12 days", "", "inf", "1e999", "4.5.6", "2026-01-02"] {
            assert_eq!(number(cell), None, "{cell}");
        }
    }

    #[test]
    fn names_need_no_quoting() {
        assert_eq!(column_name(" Unit price (EUR) "), "unit_price_eur");
        assert_eq!(column_name("2024"), "c_2024");
        assert_eq!(column_name("\"; drop"), "drop");
        assert_eq!(column_name("Größe"), "größe");
    }
}
