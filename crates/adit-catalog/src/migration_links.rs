//! Format 2 of the tables: links.

use rusqlite::Connection;

/// What a document points to, by name and not by id, so that a target which comes later is found then. `kind`
/// is `path` or `citation`.
const LINKS: &str = "
CREATE TABLE links (
    version_row INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    occurrences INTEGER NOT NULL,
    PRIMARY KEY (version_row, kind, target)
) STRICT, WITHOUT ROWID;
";

/// Adds the table to a catalog that has none; the documents in it have no links until they are read again.
pub(crate) fn migrate(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.execute_batch(LINKS)
}
