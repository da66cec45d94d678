use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::{CatalogError, migration_links};

/// The newest layout of the tables this program reads and the one it writes; SQLite's `user_version`.
pub const FORMAT_VERSION: u32 = 2;

/// SQLite's `application_id`, the file's magic number: `Adit` in ASCII.
const APPLICATION_ID: u32 = u32::from_be_bytes(*b"Adit");

/// Two vectors of 384 dimensions waste a quarter of a page of 4096 bytes; five fit well into 8192.
const PAGE_SIZE_BYTES: u32 = 8192;

/// `catalog_state` has one row. `versions` is one row a document version, `rights` one row for each
/// time its rights changed, `texts` the extracted text in pieces of at most 4000 bytes so that a passage
/// does not read a whole book. `vectors` stands apart from `chunks` so that a scan of the texts reads
/// no vectors. `changes` is never purged: it keeps the spans, so a replay may begin anywhere.
const TABLES: &str = "
CREATE TABLE catalog_state (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    last_sequence INTEGER NOT NULL,
    next_chunk INTEGER NOT NULL,
    purged_up_to INTEGER NOT NULL,
    fingerprint TEXT
) STRICT;
INSERT INTO catalog_state VALUES (1, 0, 1, 0, NULL);

CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE versions (
    version_row INTEGER PRIMARY KEY,
    document_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    tenant TEXT NOT NULL,
    source TEXT NOT NULL,
    title TEXT NOT NULL,
    media_type TEXT NOT NULL,
    language TEXT NOT NULL,
    size_bytes INTEGER NOT NULL,
    modified_unix_ms INTEGER,
    committed_unix_ms INTEGER NOT NULL,
    state_name TEXT NOT NULL,
    state TEXT NOT NULL,
    coverage TEXT NOT NULL,
    first_chunk INTEGER,
    chunk_count INTEGER NOT NULL,
    born_sequence INTEGER NOT NULL,
    dead_sequence INTEGER
) STRICT;
CREATE UNIQUE INDEX living_version ON versions (document_id) WHERE dead_sequence IS NULL;
CREATE INDEX living_source ON versions (tenant, source) WHERE dead_sequence IS NULL;
CREATE INDEX dead_version ON versions (dead_sequence) WHERE dead_sequence IS NOT NULL;

CREATE TABLE rights (
    version_row INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE,
    born_sequence INTEGER NOT NULL,
    dead_sequence INTEGER,
    access TEXT,
    metadata TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    PRIMARY KEY (version_row, born_sequence)
) STRICT, WITHOUT ROWID;
CREATE INDEX dead_rights ON rights (dead_sequence) WHERE dead_sequence IS NOT NULL;

CREATE TABLE texts (
    piece_row INTEGER PRIMARY KEY,
    version_row INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE,
    start_byte INTEGER NOT NULL,
    text TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX text_order ON texts (version_row, start_byte);

CREATE TABLE chunks (
    chunk_id INTEGER PRIMARY KEY,
    version_row INTEGER NOT NULL REFERENCES versions ON DELETE CASCADE,
    chunk_index INTEGER NOT NULL,
    range_start INTEGER NOT NULL,
    range_end INTEGER NOT NULL,
    char_start INTEGER NOT NULL,
    char_end INTEGER NOT NULL,
    heading_path TEXT NOT NULL,
    page_start INTEGER,
    page_end INTEGER,
    header_start INTEGER,
    header_end INTEGER,
    token_count INTEGER NOT NULL,
    text_key BLOB NOT NULL,
    indexed TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX chunk_order ON chunks (version_row, chunk_index);
CREATE INDEX chunk_text_key ON chunks (text_key);

CREATE TABLE vectors (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;

CREATE TABLE pending_vectors (
    pending_row INTEGER PRIMARY KEY,
    text_key BLOB NOT NULL UNIQUE,
    vector BLOB NOT NULL
) STRICT;

CREATE TABLE changes (
    sequence INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    document_id TEXT NOT NULL,
    born_first INTEGER,
    born_count INTEGER,
    dead_first INTEGER,
    dead_count INTEGER
) STRICT;
";

/// Makes format N + 1 of format N; runs in one transaction with the change of the number.
type Migration = fn(&Connection) -> Result<(), rusqlite::Error>;

/// From format 1 on.
const MIGRATIONS: &[Migration] = &[migration_links::migrate];

/// What a database file turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum FileKind {
    /// No tables and no magic number: new, or created by a process that died before the first commit.
    Blank,
    /// A catalog of a format we read.
    Catalog,
}

/// Reads the magic number and the format version without writing anything.
pub(crate) fn examine(connection: &Connection, path: &Path) -> Result<FileKind, CatalogError> {
    let opening = |error| CatalogError::opening(path, error);
    let magic: u32 = pragma(connection, "application_id").map_err(opening)?;
    let found: u32 = pragma(connection, "user_version").map_err(opening)?;
    let tables: u32 =
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0)).map_err(opening)?;
    let path = path.display().to_string();
    match magic {
        0 if tables == 0 && found == 0 => Ok(FileKind::Blank),
        APPLICATION_ID if found > FORMAT_VERSION => {
            Err(CatalogError::NewerFormat { path, found, supported: FORMAT_VERSION })
        }
        APPLICATION_ID if found == 0 || tables == 0 => {
            Err(CatalogError::Damaged { path, detail: "it has no tables".to_owned() })
        }
        APPLICATION_ID => Ok(FileKind::Catalog),
        _ => Err(CatalogError::NotACatalog { path }),
    }
}

/// Must run before the first write to a new file.
pub(crate) fn set_page_size(connection: &Connection) -> Result<(), rusqlite::Error> {
    connection.pragma_update(None, "page_size", PAGE_SIZE_BYTES)
}

/// Makes the tables, or brings those of an older format up to this one, in one transaction; does nothing
/// when another process was faster.
pub(crate) fn create(connection: &mut Connection, path: &Path) -> Result<(), CatalogError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if examine(&transaction, path)? == FileKind::Blank {
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", 1)?;
    }
    let found: u32 = pragma(&transaction, "user_version")?;
    for (format, migration) in (2_u32..).zip(MIGRATIONS).filter(|(format, _)| *format > found) {
        migration(&transaction)?;
        transaction.pragma_update(None, "user_version", format)?;
    }
    transaction.commit()?;
    Ok(())
}

fn pragma(connection: &Connection, name: &str) -> Result<u32, rusqlite::Error> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
