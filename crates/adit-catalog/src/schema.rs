use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use crate::CatalogError;
use crate::migration_links::LINKS;

/// The newest layout of the tables this program reads and the one it writes; SQLite's `user_version`.
pub const FORMAT_VERSION: u32 = 4;

/// SQLite's `application_id`, the file's magic number: `Adit` in ASCII.
const APPLICATION_ID: u32 = u32::from_be_bytes(*b"Adit");

/// Two vectors of 384 dimensions waste a quarter of a page of 4096 bytes; five fit well into 8192.
const PAGE_SIZE_BYTES: u32 = 8192;

/// The tables of format 1; every later format is made of it by [`MIGRATIONS`], so that old files and new ones are
/// the same. `catalog_state` has one row. `versions` is one row a document version, `rights` one row for each
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

/// Format 2 keeps the findings that overlap a chunk beside it, as JSON; NULL when there are none.
const CHUNK_WARNINGS: &str = "ALTER TABLE chunks ADD COLUMN warnings TEXT";

/// The first format with `chunks.warnings`.
const FORMAT_WITH_WARNINGS: u32 = 2;

/// Format 3: token codes for late interaction, beside the vectors; those of texts that are in no committed
/// version yet wait as vectors do. How they are made stands in `settings`, so a chunk's row is its codes only.
const TOKEN_CODES: &str = "
CREATE TABLE token_codes (
    chunk_id INTEGER PRIMARY KEY REFERENCES chunks ON DELETE CASCADE,
    codes BLOB NOT NULL
) STRICT;

CREATE TABLE pending_token_codes (
    pending_row INTEGER PRIMARY KEY,
    text_key BLOB NOT NULL UNIQUE,
    codes BLOB NOT NULL
) STRICT;
";

/// What makes format N + 1 of format N, from format 1 on; each runs in one transaction with the change of
/// the number.
const MIGRATIONS: &[&str] = &[CHUNK_WARNINGS, TOKEN_CODES, LINKS];

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
        transaction.execute_batch(migration)?;
        transaction.pragma_update(None, "user_version", format)?;
    }
    transaction.commit()?;
    Ok(())
}

/// Whether a file keeps warnings beside its chunks. A reader may meet one that no writer has brought up
/// to date yet.
pub(crate) fn has_chunk_warnings(connection: &Connection) -> Result<bool, rusqlite::Error> {
    Ok(pragma(connection, "user_version")? >= FORMAT_WITH_WARNINGS)
}

fn pragma(connection: &Connection, name: &str) -> Result<u32, rusqlite::Error> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}

#[cfg(test)]
mod tests {
    use adit_core::{ChunkId, SequenceNumber};

    use super::*;
    use crate::{Catalog, ChunkSpan, TokenCodeRow};

    /// A catalog as the first format was written, with one document of two chunks.
    fn first_format(path: &Path) {
        let connection = Connection::open(path).unwrap();
        set_page_size(&connection).unwrap();
        connection.pragma_update(None, "journal_mode", "WAL").unwrap();
        connection.execute_batch(TABLES).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION_ID).unwrap();
        connection.pragma_update(None, "user_version", 1).unwrap();
        connection
            .execute_batch(
                "UPDATE catalog_state SET last_sequence = 1, next_chunk = 3;
                 INSERT INTO versions VALUES (1, 'd', 1, 'default', 'd.md', 'D', 'markdown', 'en', 7, NULL, 0,
                    'searchable', '\"searchable\"', '{}', 1, 2, 1, NULL);
                 INSERT INTO rights VALUES (1, 1, NULL, NULL, '{}', 'h');
                 INSERT INTO texts VALUES (1, 1, 0, 'one two');
                 INSERT INTO chunks VALUES (1, 1, 0, 0, 3, 0, 3, '[]', NULL, NULL, NULL, NULL, 3, x'01', 'one'),
                    (2, 1, 1, 4, 7, 4, 7, '[]', NULL, NULL, NULL, NULL, 3, x'02', 'two');
                 INSERT INTO vectors VALUES (1, x'0000803f'), (2, x'0000803f');
                 INSERT INTO changes VALUES (1, 'committed', 'd', 1, 2, NULL, NULL);",
            )
            .unwrap();
    }

    #[test]
    fn an_older_format_is_read_as_it_is_and_brought_up_by_a_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        first_format(&path);
        let span = ChunkSpan { first: ChunkId(1), count: 2 };
        let codes = |catalog: &Catalog| {
            let mut codes = Vec::new();
            catalog
                .view()
                .unwrap()
                .for_each_token_codes(span, &mut |id, row| codes.push((id, row.to_vec())))
                .unwrap();
            codes
        };
        let reader = Catalog::open_read_only(&path).unwrap();
        assert!(codes(&reader).is_empty());
        assert_eq!(reader.view().unwrap().token_code_coverage().unwrap().chunks, 2);
        drop(reader);

        let catalog = Catalog::create_or_open(&path).unwrap();
        assert_eq!(catalog.last_sequence().unwrap(), SequenceNumber(1));
        catalog.verify().unwrap();
        assert!(codes(&catalog).is_empty());
        let missing = catalog.view().unwrap().chunks_without_token_codes(ChunkId(0), 10).unwrap();
        assert_eq!(missing, [(ChunkId(1), "one".to_owned()), (ChunkId(2), "two".to_owned())]);
        catalog.start_token_codes("make").unwrap();
        catalog.store_token_codes(&[TokenCodeRow { chunk: ChunkId(2), codes: vec![5, 6] }]).unwrap();
        assert_eq!(codes(&Catalog::create_or_open(&path).unwrap()), [(ChunkId(2), vec![5, 6])]);
        let found: u32 = pragma(&Connection::open(&path).unwrap(), "user_version").unwrap();
        assert_eq!(found, FORMAT_VERSION);
    }
}
