//! Tables of documents as tables of SQLite, in memory, for one question and its reader.

mod find;
mod literals;
mod load;
mod query;

use std::collections::HashSet;
use std::sync::Mutex;

use rusqlite::Connection;

pub(crate) use query::{QueryResult, run};

use crate::reader::Reader;
use crate::{TableLimits, ToolFailure};

/// The tables that a reader may see; loaded when they are first asked for.
pub(crate) struct Tables<'a> {
    reader: Reader<'a>,
    limits: TableLimits,
    loaded: Mutex<Option<Loaded>>,
}

/// A database with every table, read-only from here on.
pub(crate) struct Loaded {
    pub(crate) connection: Connection,
    /// Names of the tables, with the source of each.
    pub(crate) sources: Vec<(String, String)>,
    /// Words of the names of tables and columns.
    pub(crate) words: HashSet<String>,
    /// What the limits cut.
    pub(crate) notes: Vec<String>,
}

impl<'a> Tables<'a> {
    pub(crate) fn new(reader: Reader<'a>, limits: TableLimits) -> Self {
        Self { reader, limits, loaded: Mutex::new(None) }
    }

    /// Runs one statement that reads.
    pub(crate) fn query(&self, statement: &str) -> Result<QueryResult, ToolFailure> {
        // A poisoned lock means that an earlier call panicked half way: load again.
        let mut loaded = self.loaded.lock().unwrap_or_else(|poisoned| {
            let mut inner = poisoned.into_inner();
            *inner = None;
            inner
        });
        if loaded.is_none() {
            *loaded = Some(load::load(&self.reader, &self.limits)?);
        }
        match loaded.as_mut() {
            Some(loaded) => run(loaded, statement, &self.limits),
            None => Err(ToolFailure::new("the tables could not be loaded", "go on without them")),
        }
    }
}
