use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Mutex, ReentrantMutex};
use rusqlite::{Connection, OpenFlags};

use crate::CatalogError;
use crate::schema::{self, FileKind};

/// How long a writer waits for another process's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// Connections kept for the next view; more than this many views at once open and close their own.
const IDLE_CONNECTIONS: usize = 8;
/// Statements one connection keeps prepared.
const PREPARED_STATEMENTS: usize = 64;
/// Pages one read connection keeps; negative numbers are KiB.
const READ_CACHE_KIB: i64 = -4096;
/// The write-ahead log is cut back to this size after a checkpoint.
const LOG_LIMIT_BYTES: i64 = 64 << 20;

/// Shared between a view and the pool. Reentrant, so that a callback of one read may make another.
pub(crate) type ReadConnection = Arc<ReentrantMutex<Connection>>;

/// Opens, and if needed creates, the file for the one writer of this process.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, CatalogError> {
    let opening = |error| CatalogError::opening(path, error);
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags).map_err(opening)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(opening)?;
    // Look before touching: another program's database must not even be switched to another journal.
    if schema::examine(&connection, path)? == FileKind::Blank {
        schema::set_page_size(&connection).map_err(opening)?;
    }
    let journal: String =
        connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get(0)).map_err(opening)?;
    if !journal.eq_ignore_ascii_case("wal") {
        let detail = format!("its file system allows no write-ahead log (journal mode is {journal})");
        return Err(CatalogError::Open { path: path.display().to_string(), detail });
    }
    connection.pragma_update(None, "synchronous", "FULL").map_err(opening)?;
    connection.pragma_update(None, "foreign_keys", true).map_err(opening)?;
    connection.pragma_update(None, "journal_size_limit", LOG_LIMIT_BYTES).map_err(opening)?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    schema::create(&mut connection, path)?;
    Ok(connection)
}

/// Read connections to one file.
#[derive(Debug)]
pub(crate) struct ReadPool {
    path: PathBuf,
    idle: Mutex<Vec<ReadConnection>>,
}

impl ReadPool {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned(), idle: Mutex::new(Vec::new()) }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// A connection nobody else uses, and whether it may be handed back afterwards.
    pub(crate) fn take(&self) -> Result<(ReadConnection, bool), CatalogError> {
        if let Some(connection) = self.idle.lock().pop() {
            return Ok((connection, true));
        }
        let (connection, reusable) = open_reader(&self.path)?;
        Ok((Arc::new(ReentrantMutex::new(connection)), reusable))
    }

    pub(crate) fn give_back(&self, connection: ReadConnection) {
        let mut idle = self.idle.lock();
        if idle.len() < IDLE_CONNECTIONS {
            idle.push(connection);
        }
    }
}

/// Opens for reading. Where the folder cannot be written to, SQLite cannot make the shared-memory file
/// a write-ahead log needs; if there is no log either, nobody is writing and the file can be read as it
/// stands. Such a connection is not reused: the next one looks again whether a writer has come.
fn open_reader(path: &Path) -> Result<(Connection, bool), CatalogError> {
    match open_read_only(path, false) {
        Ok(connection) => Ok((connection, true)),
        Err(error) if is_unopenable(&error) && !has_log(path) => {
            let connection =
                open_read_only(path, true).map_err(|error| CatalogError::opening(path, error))?;
            Ok((connection, false))
        }
        Err(error) if is_unopenable(&error) => Err(CatalogError::Open {
            path: path.display().to_string(),
            detail: format!("{error}; its folder must be writable until a writer has ended in order"),
        }),
        Err(error) => Err(CatalogError::opening(path, error)),
    }
}

fn open_read_only(path: &Path, immutable: bool) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if immutable {
        Connection::open_with_flags(immutable_uri(path), flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(path, flags)?
    };
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(PREPARED_STATEMENTS);
    connection.pragma_update(None, "cache_size", READ_CACHE_KIB)?;
    // SQLite opens files when they are first read.
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(connection)
}

fn is_unopenable(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(
            rusqlite::ErrorCode::CannotOpen
                | rusqlite::ErrorCode::ReadOnly
                | rusqlite::ErrorCode::PermissionDenied
        )
    )
}

fn has_log(path: &Path) -> bool {
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    fs_err::metadata(PathBuf::from(log)).is_ok_and(|file| file.len() > 0)
}

/// <https://www.sqlite.org/uri.html>: `?`, `#` and `%` of the path must be escaped.
fn immutable_uri(path: &Path) -> String {
    let path = path.display().to_string().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
    format!("file:{path}?immutable=1")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_writer_is_durable() {
        let folder = tempfile::tempdir().unwrap();
        let writer = open_writer(&folder.path().join("catalog.db")).unwrap();
        let number = |name: &str| writer.pragma_query_value(None, name, |row| row.get::<_, u32>(0)).unwrap();
        // 2 is FULL: https://www.sqlite.org/pragma.html#pragma_synchronous
        assert_eq!(["synchronous", "foreign_keys", "page_size"].map(number), [2, 1, 8192]);
        let journal: String = writer.pragma_query_value(None, "journal_mode", |row| row.get(0)).unwrap();
        assert_eq!(journal, "wal");
    }

    #[test]
    fn a_path_with_marks_of_a_uri_stays_a_path() {
        assert_eq!(immutable_uri(Path::new("/a b/50%?#/c.db")), "file:/a b/50%25%3f%23/c.db?immutable=1");
    }

    #[test]
    fn idle_connections_are_bounded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("catalog.db");
        drop(open_writer(&path).unwrap());
        let pool = ReadPool::new(&path);
        let taken: Vec<_> = (0..IDLE_CONNECTIONS + 5).map(|_| pool.take().unwrap()).collect();
        taken.into_iter().for_each(|(connection, _)| pool.give_back(connection));
        assert_eq!(pool.idle.lock().len(), IDLE_CONNECTIONS);
    }
}
