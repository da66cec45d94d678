use std::path::Path;
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use crate::{LogError, schema};

/// How long a line waits for other processes' lines. A search waits with it, so not for long.
const BUSY_TIMEOUT: Duration = Duration::from_millis(1500);
/// The write-ahead log is cut back to this size after a checkpoint.
const WRITE_AHEAD_LIMIT_BYTES: i64 = 4 << 20;
/// How often opening is tried again: SQLite does not wait while two processes switch one new file to a
/// write-ahead log.
const OPEN_ATTEMPTS: u32 = 40;
const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(25);

/// Opens, and if needed creates, the log.
pub(crate) fn open(path: &Path) -> Result<Connection, LogError> {
    let mut attempt = 1;
    loop {
        match open_once(path) {
            Err(LogError::Busy) if attempt < OPEN_ATTEMPTS => {
                attempt += 1;
                std::thread::sleep(BETWEEN_ATTEMPTS);
            }
            outcome => return outcome,
        }
    }
}

/// Opens a log that must be there.
pub(crate) fn open_existing(path: &Path) -> Result<Connection, LogError> {
    match path.try_exists() {
        Ok(true) => open(path),
        Ok(false) => Err(LogError::Missing { path: path.display().to_string() }),
        Err(error) => Err(LogError::Io { detail: error.to_string() }),
    }
}

fn open_once(path: &Path) -> Result<Connection, LogError> {
    let shown = path.display().to_string();
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // Look before touching: another program's database must not even be switched to another journal. One
    // transaction, so that the look does not straddle another process's making of the tables.
    let looking = connection.transaction()?;
    let is_blank = schema::is_blank(&looking, &shown)?;
    looking.commit()?;
    if is_blank {
        // Only a file without tables takes it; it lets the size limit give pages back.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
    }
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0))?;
    // A line of the log may be lost with the power; the file stays whole.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "journal_size_limit", WRITE_AHEAD_LIMIT_BYTES)?;
    schema::create(&mut connection, &shown)?;
    Ok(connection)
}
