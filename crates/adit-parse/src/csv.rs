use adit_core::{MediaType, ParsedDocument, TableCell};

use crate::builder::{DocumentBuilder, plain_cell};

const SAMPLE_ROWS: usize = 50;
const DELIMITERS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Parses comma-, semicolon-, tab- or bar-separated values (RFC 4180, leniently) into one table whose
/// first row is the header. Ragged rows are kept and reported.
pub(crate) fn parse(text: &str, name: &str) -> ParsedDocument {
    let (declared, body) = declared_delimiter(text);
    let delimiter = declared.unwrap_or_else(|| sniff_delimiter(body, name));
    let mut builder = DocumentBuilder::new();
    let rows = read_rows(body, delimiter, usize::MAX);
    let width = rows.first().map_or(0, Vec::len);
    let ragged: Vec<usize> =
        rows.iter().enumerate().filter(|(_, row)| row.len() != width).map(|(index, _)| index + 1).collect();
    if let Some(first) = ragged.first() {
        builder.warn(format!(
            "{} of {} rows have not the {width} cells of the header (the first is row {first})",
            ragged.len(),
            rows.len()
        ));
    }
    builder.table(rows, 1, None);
    builder.finish(MediaType::Csv)
}

/// Excel writes `sep=;` as the first line.
fn declared_delimiter(text: &str) -> (Option<u8>, &str) {
    let Some((first, rest)) = text.split_once('\n') else { return (None, text) };
    match first.trim_end().strip_prefix("sep=").map(str::as_bytes) {
        Some([delimiter]) if delimiter.is_ascii() => (Some(*delimiter), rest),
        _ => (None, text),
    }
}

/// The delimiter under which most rows have one same number of cells, more cells deciding a tie.
fn sniff_delimiter(text: &str, name: &str) -> u8 {
    let by_name = if name.to_ascii_lowercase().ends_with(".tsv") { b'\t' } else { b',' };
    let score = |delimiter: u8| {
        let rows = read_rows(text, delimiter, SAMPLE_ROWS);
        let widths: Vec<usize> = rows.iter().map(Vec::len).collect();
        let usual =
            widths.iter().copied().max_by_key(|width| widths.iter().filter(|one| *one == width).count());
        let usual = usual.unwrap_or(0);
        let agreeing = widths.iter().filter(|width| **width == usual).count();
        (usual > 1).then(|| (agreeing * 100 / widths.len().max(1), usize::from(delimiter == by_name), usual))
    };
    let best = DELIMITERS.into_iter().filter_map(|delimiter| Some((score(delimiter)?, delimiter))).max();
    best.map_or(by_name, |(_, delimiter)| delimiter)
}

fn read_rows(text: &str, delimiter: u8, limit: usize) -> Vec<Vec<TableCell>> {
    let mut reader = ::csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(false)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    // Text that is valid UTF-8 and rows that may have any length leave the reader nothing to refuse.
    for record in reader.records().flatten().take(limit) {
        rows.push(record.iter().map(plain_cell).collect());
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;

    #[test]
    fn delimiters_are_sniffed() {
        for (text, delimiter) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n1;2,5\n", b';'),
            ("a\tb,c\n1\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("alone\nrow\n", b','),
        ] {
            assert_eq!(sniff_delimiter(text, "x.csv"), delimiter, "{text:?}");
        }
    }

    #[test]
    fn quoted_cells_and_ragged_rows_are_kept() {
        let document = parse("name,note\n\"Smith, J\",\"two\nlines\"\nx,y,z\n", "x.csv");
        assert_eq!(document.text, "name | note\nSmith, J | two lines\nx | y | z");
        assert_eq!(document.coverage.warnings.len(), 1);
        let BlockKind::Table(table) = &document.blocks[0].kind else { panic!("no table") };
        assert_eq!((table.header_rows, table.rows.len()), (1, 3));
    }
}
