use std::collections::HashSet;

use adit_core::{DocumentRecord, ReadScope, TextRange};
use adit_retrieve::RetrieveError;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::Loaded;
use super::find::{FoundTable, column_name, find_tables, number};
use super::query::{protect, sql_failure};
use crate::reader::{Reader, failure};
use crate::{TableLimits, ToolFailure};

/// The table that lists the others.
pub(super) const DIRECTORY: &str = "adit_tables";

/// Reads the documents of `reader` for tables and loads them, then closes the database for writing.
pub(super) fn load(reader: &Reader<'_>, limits: &TableLimits) -> Result<Loaded, ToolFailure> {
    let connection = Connection::open_in_memory().map_err(|error| sql_failure(&error))?;
    connection
        .execute_batch(&format!(
            "CREATE TABLE {DIRECTORY} (table_name TEXT, columns TEXT, row_count INTEGER, document TEXT, source TEXT)"
        ))
        .map_err(|error| sql_failure(&error))?;
    let mut loaded =
        Loaded { connection, sources: directory_source(), words: directory_words(), notes: Vec::new() };
    let mut room = Room { bytes: limits.max_source_bytes, rows: limits.max_loaded_rows, hidden_rows: 0 };
    let documents = reader.documents()?;
    let mut read = 0;
    for record in &documents {
        if read == limits.max_documents || room.bytes == 0 || room.rows == 0 {
            break;
        }
        read += 1;
        load_document(reader, record, &mut loaded, &mut room)?;
    }
    if read < documents.len() {
        loaded.notes.push(format!("tables of the first {read} of {} documents only", documents.len()));
    }
    if room.hidden_rows > 0 {
        loaded.notes.push(format!("{} rows that must not be cited were left out", room.hidden_rows));
    }
    if room.rows == 0 || room.bytes == 0 {
        loaded.notes.push("not all rows were loaded: a limit was reached".to_owned());
    }
    protect(&mut loaded.connection).map_err(|error| sql_failure(&error))?;
    Ok(loaded)
}

fn directory_source() -> Vec<(String, String)> {
    vec![(DIRECTORY.to_owned(), "the list of tables".to_owned())]
}

/// Of the names of the directory's columns.
fn directory_words() -> HashSet<String> {
    ["table", "name", "columns", "row", "document", "source"].map(str::to_owned).into()
}

/// What the limits leave.
struct Room {
    bytes: usize,
    rows: usize,
    hidden_rows: usize,
}

fn load_document(
    reader: &Reader<'_>,
    record: &DocumentRecord,
    loaded: &mut Loaded,
    room: &mut Room,
) -> Result<(), ToolFailure> {
    let view = reader.retriever.catalog().view().map_err(RetrieveError::from).map_err(failure)?;
    let scope = ReadScope::Reader(reader.search.scope);
    let text = view.document_text(&record.id, scope).map_err(RetrieveError::from).map_err(failure)?;
    // Removed since it was listed: it has no tables any more.
    let Some(text) = text else { return Ok(()) };
    if text.len() > room.bytes {
        room.bytes = 0;
        return Ok(());
    }
    room.bytes -= text.len();
    let findings = record.coverage.findings.iter().filter(|finding| finding.kind.forbids_citing());
    let forbidden: Vec<TextRange> = findings.map(|finding| finding.range).collect();
    let (tables, left_out) = find_tables(&text, &forbidden);
    room.hidden_rows += left_out;
    for mut table in tables {
        table.rows.truncate(room.rows);
        room.rows -= table.rows.len();
        let name = table_name(loaded.sources.len(), &record.source);
        insert(&loaded.connection, &name, &table, record).map_err(|error| sql_failure(&error))?;
        let names = table.columns.iter().chain([&name]);
        loaded.words.extend(names.flat_map(|name| name.split('_')).map(str::to_owned));
        loaded.sources.push((name, record.source.clone()));
    }
    Ok(())
}

/// `t3_orders` for the third table, of `archive/orders.csv`.
fn table_name(number: usize, source: &str) -> String {
    let file = source.rsplit(['/', '\\']).next().unwrap_or(source);
    let stem = file.split_once('.').map_or(file, |(stem, _)| stem);
    let stem: String = column_name(stem)
        .chars()
        .filter(|character| character.is_ascii_alphanumeric() || *character == '_')
        .collect();
    format!("t{number}_{stem}").trim_end_matches('_').to_owned()
}

fn insert(
    connection: &Connection,
    name: &str,
    table: &FoundTable,
    record: &DocumentRecord,
) -> Result<(), rusqlite::Error> {
    // Names hold letters, digits and underscores only, see `column_name`; quoted since `order` is a word of SQL.
    let columns: Vec<String> = table.columns.iter().map(|column| format!("\"{column}\"")).collect();
    let transaction = connection.unchecked_transaction()?;
    transaction.execute_batch(&format!("CREATE TABLE \"{name}\" ({})", columns.join(", ")))?;
    let places = vec!["?"; columns.len()].join(", ");
    {
        let mut row_statement = transaction.prepare(&format!("INSERT INTO \"{name}\" VALUES ({places})"))?;
        for row in &table.rows {
            row_statement.execute(params_from_iter(row.iter().map(|cell| value(cell))))?;
        }
    }
    transaction.execute(
        &format!("INSERT INTO {DIRECTORY} VALUES (?, ?, ?, ?, ?)"),
        (name, table.columns.join(", "), table.rows.len() as i64, record.id.as_str(), &record.source),
    )?;
    transaction.commit()
}

fn value(cell: &str) -> Value {
    if cell.is_empty() {
        return Value::Null;
    }
    match (cell.parse::<i64>(), number(cell)) {
        (Ok(whole), Some(_)) => Value::Integer(whole),
        (_, Some(real)) => Value::Real(real),
        _ => Value::Text(cell.to_owned()),
    }
}
