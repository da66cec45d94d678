//! Format 4 of the tables: links. The documents of an older catalog have none until they are read again.

/// What a document points to, by name and not by id, so that a target which comes later is found then. `kind`
/// is `path` or `citation`.
pub(crate) const LINKS: &str = "
CREATE TABLE links (
    version_row INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE,
    kind TEXT NOT NULL,
    target TEXT NOT NULL,
    occurrences INTEGER NOT NULL,
    PRIMARY KEY (version_row, kind, target)
) STRICT, WITHOUT ROWID;
";
