use rusqlite::Transaction;

use crate::LogError;

/// When the limit is reached, the oldest go until this share of it is left, so that not every search has to
/// drop one.
const KEPT_PERCENT: u64 = 90;
/// Searches dropped before the size is looked at again.
const DROPPED_AT_ONCE: u32 = 32;

/// Drops the oldest searches, never `newest_row`, while the pages in use exceed `max_bytes`.
pub(crate) fn drop_oldest(
    transaction: &Transaction<'_>,
    max_bytes: u64,
    newest_row: i64,
) -> Result<u64, LogError> {
    if used_bytes(transaction)? <= max_bytes {
        return Ok(0);
    }
    let kept_bytes = max_bytes.saturating_mul(KEPT_PERCENT) / 100;
    let mut dropped = 0;
    let mut oldest = transaction.prepare_cached(
        "DELETE FROM searches WHERE search_row IN (
             SELECT search_row FROM searches WHERE search_row <> ?1 ORDER BY search_row LIMIT ?2)",
    )?;
    while used_bytes(transaction)? > kept_bytes {
        let gone = oldest.execute((newest_row, DROPPED_AT_ONCE))?;
        if gone == 0 {
            break;
        }
        dropped += gone as u64;
    }
    Ok(dropped)
}

/// Bytes of the pages that hold something.
pub(crate) fn used_bytes(connection: &rusqlite::Connection) -> Result<u64, LogError> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let pages = number("page_count")?.saturating_sub(number("freelist_count")?);
    Ok(pages.saturating_mul(number("page_size")?).unsigned_abs())
}
