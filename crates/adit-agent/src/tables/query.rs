use std::time::{Duration, Instant};

use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode};

use super::Loaded;
use super::literals::brings_literals;
use crate::{TableLimits, ToolFailure};

/// What a statement gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct QueryResult {
    /// Names of the columns, between ` | `.
    pub(crate) header: String,
    /// Rows, one a line.
    pub(crate) rows: String,
    /// Sources of the tables that were read.
    pub(crate) sources: Vec<String>,
    /// What was cut.
    pub(crate) notes: Vec<String>,
    /// Whether everything in it comes from the tables.
    pub(crate) is_citable: bool,
}

/// Steps of SQLite's machine between two looks at the clock.
const STEPS_BETWEEN_LOOKS: i32 = 1_000;
/// The longest value and the longest statement in bytes.
const MAX_VALUE_BYTES: i32 = 1 << 20;
const MAX_STATEMENT_BYTES: i32 = 8 << 10;
/// The deepest expression.
const MAX_DEPTH: i32 = 100;

/// Closes a database for everything but reading: SQLite asks the authorizer about every action of a statement
/// when it compiles it.
pub(super) fn protect(connection: &mut Connection) -> Result<(), rusqlite::Error> {
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, MAX_STATEMENT_BYTES)?;
    connection.set_limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, MAX_DEPTH)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.execute_batch("PRAGMA query_only = ON; PRAGMA trusted_schema = OFF")?;
    connection.authorizer(Some(allowed))
}

/// Functions that read, compute and compare. None makes words or bytes out of nothing, as `char`, `printf` or
/// `zeroblob` do, and none reaches outside the database.
const FUNCTIONS: &[&str] = &[
    "abs",
    "avg",
    "coalesce",
    "count",
    "date",
    "dense_rank",
    "glob",
    "group_concat",
    "ifnull",
    "iif",
    "instr",
    "julianday",
    "like",
    "length",
    "lower",
    "max",
    "min",
    "nullif",
    "rank",
    "round",
    "row_number",
    "strftime",
    "string_agg",
    "substr",
    "substring",
    "sum",
    "total",
    "trim",
    "typeof",
    "upper",
];

fn allowed(context: AuthContext<'_>) -> Authorization {
    match context.action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => Authorization::Allow,
        AuthAction::Function { function_name } if FUNCTIONS.contains(&function_name) => Authorization::Allow,
        _ => Authorization::Deny,
    }
}

/// Runs one statement within the limits.
pub(crate) fn run(
    loaded: &mut Loaded,
    statement: &str,
    limits: &TableLimits,
) -> Result<QueryResult, ToolFailure> {
    let deadline = Instant::now() + Duration::from_millis(limits.max_time_ms);
    loaded
        .connection
        .progress_handler(STEPS_BETWEEN_LOOKS, Some(move || Instant::now() >= deadline))
        .map_err(|error| sql_failure(&error))?;
    let result = read(loaded, statement, limits);
    loaded.connection.progress_handler(0, None::<fn() -> bool>).map_err(|error| sql_failure(&error))?;
    result.map_err(|error| sql_failure(&error))
}

fn read(loaded: &Loaded, statement: &str, limits: &TableLimits) -> Result<QueryResult, rusqlite::Error> {
    let mut statement_read = loaded.connection.prepare(statement)?;
    // The authorizer is not asked about EXPLAIN, which shows the machine and no table.
    if statement_read.is_explain() != 0 || !statement_read.readonly() {
        return Err(rusqlite::Error::MultipleStatement);
    }
    let names: Vec<String> = statement_read.column_names().map(str::to_owned).collect();
    let mut result = QueryResult {
        header: header(loaded, &names).join(" | "),
        rows: String::new(),
        sources: Vec::new(),
        notes: loaded.notes.clone(),
        is_citable: !brings_literals(statement),
    };
    let mut rows = statement_read.query([])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        let mut line = String::new();
        for column in 0..names.len() {
            if column > 0 {
                line += " | ";
            }
            line += &shown(row.get_ref(column)?);
        }
        if count == limits.max_rows || result.rows.len() + line.len() + 1 > limits.max_result_bytes {
            result.notes.push(format!("only the first {count} rows are shown; there are more"));
            break;
        }
        count += 1;
        result.rows += &line;
        result.rows.push('\n');
    }
    let lowered = statement.to_lowercase();
    for (name, source) in &loaded.sources {
        if lowered.contains(name.as_str()) && !result.sources.contains(source) {
            result.sources.push(source.clone());
        }
    }
    // What reads no table comes from the statement alone.
    result.is_citable &= !result.sources.is_empty();
    if count == 0 {
        result.notes.push("the statement gave no row".to_owned());
    }
    Ok(result)
}

/// Words of a column's name that say how it was computed.
const COMPUTED: &[&str] = &[
    "average", "avg", "count", "largest", "max", "maximum", "mean", "min", "minimum", "number", "of",
    "percent", "rank", "share", "smallest", "sum", "total",
];

/// The names of a result's columns. A name that has other words than the tables' own and those of computing is the
/// statement's invention, and no claim may rest on it.
fn header(loaded: &Loaded, names: &[String]) -> Vec<String> {
    let words_of = |name: &str| -> Vec<String> {
        let lowered = name.to_lowercase();
        let words = lowered.split(|one: char| !one.is_alphanumeric()).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    };
    let named = (1..).zip(names).map(|(place, name)| {
        let is_known = words_of(name)
            .iter()
            .all(|word| COMPUTED.contains(&word.as_str()) || loaded.words.contains(word));
        if is_known { name.clone() } else { format!("column {place}") }
    });
    named.collect()
}

/// On one line. Real numbers are rounded to what a reader can compare.
fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Null => String::new(),
        ValueRef::Integer(number) => number.to_string(),
        ValueRef::Real(number) => {
            let text = format!("{number:.6}");
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        }
        ValueRef::Text(bytes) => {
            String::from_utf8_lossy(bytes).split_whitespace().collect::<Vec<_>>().join(" ")
        }
        ValueRef::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}

/// What the model is told of a statement that was not run to its end.
pub(super) fn sql_failure(error: &rusqlite::Error) -> ToolFailure {
    let code = error.sqlite_error_code();
    if code == Some(ErrorCode::OperationInterrupted) {
        return ToolFailure::new(
            "the statement took too long",
            "ask for less: fewer joins, a WHERE or a LIMIT",
        );
    }
    if code == Some(ErrorCode::AuthorizationForStatementDenied)
        || matches!(error, rusqlite::Error::MultipleStatement)
    {
        return ToolFailure::new("only one SELECT statement is allowed", "write one SELECT");
    }
    ToolFailure::new(error.to_string(), "SELECT * FROM adit_tables lists the tables and their columns")
}
