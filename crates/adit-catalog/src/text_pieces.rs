use adit_core::TextRange;
use rusqlite::Connection;

use crate::CatalogError;
use crate::record::{signed_size, size, text};

/// Most bytes of extracted text in one row: two rows fit a page, and none needs an overflow page.
const PIECE_BYTES: usize = 4000;

/// Stores a text in rows that end on character boundaries.
pub(crate) fn insert(connection: &Connection, version_row: i64, whole: &str) -> Result<(), CatalogError> {
    let mut statement =
        connection.prepare_cached("INSERT INTO texts (version_row, start_byte, text) VALUES (?1, ?2, ?3)")?;
    let mut start = 0;
    while let Some(rest) = whole.get(start..)
        && !rest.is_empty()
    {
        let length = rest.floor_char_boundary(PIECE_BYTES);
        let piece = rest.get(..length).unwrap_or(rest);
        statement.execute((version_row, signed_size(start), piece))?;
        start += piece.len();
    }
    Ok(())
}

/// The whole text; empty when the version has none.
pub(crate) fn read_all(connection: &Connection, version_row: i64) -> Result<String, CatalogError> {
    let mut statement =
        connection.prepare_cached("SELECT text FROM texts WHERE version_row = ?1 ORDER BY start_byte")?;
    let mut rows = statement.query([version_row])?;
    let mut whole = String::new();
    while let Some(row) = rows.next()? {
        whole.push_str(text(row, 0)?);
    }
    Ok(whole)
}

/// The part of a text at `range`, reading only the rows it touches.
pub(crate) fn read_range(
    connection: &Connection,
    version_row: i64,
    range: TextRange,
) -> Result<String, CatalogError> {
    let mut statement = connection.prepare_cached(
        "SELECT start_byte, text FROM texts
         WHERE version_row = ?1 AND start_byte > ?2 AND start_byte < ?3 ORDER BY start_byte",
    )?;
    // A row holds at most PIECE_BYTES, so no row that starts earlier can reach into the range.
    let earliest = signed_size(range.start) - signed_size(PIECE_BYTES);
    let mut rows = statement.query((version_row, earliest, signed_size(range.end)))?;
    let mut part = String::with_capacity(range.len());
    while let Some(row) = rows.next()? {
        let start = size(row.get(0)?);
        let piece = text(row, 1)?;
        let from = range.start.saturating_sub(start).min(piece.len());
        let to = range.end.saturating_sub(start).min(piece.len());
        part.push_str(piece.get(from..to).unwrap_or_default());
    }
    if part.len() == range.len() {
        Ok(part)
    } else {
        Err(CatalogError::unreadable("text", format!("bytes {}..{} are not there", range.start, range.end)))
    }
}
