//! The files of TREC, as trec_eval reads them: fields separated by spaces or tabs, one line for each document
//! of a query. Nothing that could move a figure unseen is let through: see [`TrecProblem`].

mod judgments_file;
mod run_file;

use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;

use thiserror::Error;

pub use judgments_file::{read_trec_judgments, write_trec_judgments};
pub use run_file::{read_run, write_run};

use crate::EvalError;

/// What is wrong with a line of a TREC file, or with what shall become one.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TrecProblem {
    /// A line with too few or too many fields.
    #[error("{found} fields instead of {expected}")]
    FieldCount {
        /// Fields of the format.
        expected: usize,
        /// Fields of the line.
        found: usize,
    },
    /// A score that is not a finite number; NaN has no place in an order.
    #[error("the score {score:?} is not a finite number")]
    Score {
        /// As it stands in the file.
        score: String,
    },
    /// A grade that is not a whole number.
    #[error("the grade {grade:?} is not a whole number")]
    Grade {
        /// As it stands in the file.
        grade: String,
    },
    /// A document that a query's ranking holds twice, which could count twice.
    #[error("query {query:?} ranks document {document:?} a second time")]
    RankedTwice {
        /// Query id.
        query: String,
        /// Document id.
        document: String,
    },
    /// A document that is judged twice for the same query.
    #[error("query {query:?} judges document {document:?} a second time")]
    JudgedTwice {
        /// Query id.
        query: String,
        /// Document id.
        document: String,
    },
    /// An id or tag that would not come back as one field.
    #[error("{field:?} is empty or holds white space, so it cannot be a field of a TREC file")]
    NotAField {
        /// The id or tag.
        field: String,
    },
    /// Bytes that are not UTF-8.
    #[error("the line is not UTF-8 text")]
    NotText,
}

impl TrecProblem {
    /// What to do about it.
    pub(crate) fn hint(&self) -> &'static str {
        match self {
            Self::FieldCount { .. } => {
                "a run has 6 fields (query Q0 document rank score tag), judgments have 4 (query 0 document grade)"
            }
            Self::Score { .. } => "find out why the retriever gave such a score; the run cannot be ranked",
            Self::Grade { .. } => "grades are whole numbers: 0 or less is not relevant, above 0 relevant",
            Self::RankedTwice { .. } => "keep the best place of each document in a query",
            Self::JudgedTwice { .. } => "keep one judgment for each query and document",
            Self::NotAField { .. } => "use ids and a tag without spaces, tabs or line ends",
            Self::NotText => "save the file as UTF-8",
        }
    }
}

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

fn open(path: &Path) -> Result<BufReader<fs_err::File>, EvalError> {
    match fs_err::File::open(path) {
        Ok(file) => Ok(BufReader::new(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => {
            Err(EvalError::Missing { path: path.to_path_buf() })
        }
        Err(error) => Err(error.into()),
    }
}

/// Gives each line's `FIELDS` fields; empty lines are passed over.
fn for_each_line<const FIELDS: usize>(
    path: &Path,
    visit: &mut dyn FnMut([&str; FIELDS]) -> Result<(), TrecProblem>,
) -> Result<(), EvalError> {
    let mut reader = open(path)?;
    let mut line = Vec::new();
    let mut line_number = 0;
    loop {
        line.clear();
        line_number += 1;
        if reader.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        // The mark that some editors put before the text would make another query of the first one.
        let text = if line_number == 1 { line.strip_prefix(BYTE_ORDER_MARK).unwrap_or(&line) } else { &line };
        let result = fields_of(text).and_then(|fields| fields.map_or(Ok(()), &mut *visit));
        result.map_err(|problem| EvalError::Trec { path: path.to_path_buf(), line_number, problem })?;
    }
}

fn fields_of<const FIELDS: usize>(line: &[u8]) -> Result<Option<[&str; FIELDS]>, TrecProblem> {
    let text = str::from_utf8(line).map_err(|_| TrecProblem::NotText)?;
    let fields: Vec<&str> = text.split_ascii_whitespace().collect();
    if fields.is_empty() {
        return Ok(None);
    }
    let found = fields.len();
    fields.try_into().map(Some).map_err(|_| TrecProblem::FieldCount { expected: FIELDS, found })
}

/// Ids are split at ASCII white space; other white space is part of an id.
fn check_field(field: &str) -> Result<(), TrecProblem> {
    let is_field = !field.is_empty() && !field.contains(|letter: char| letter.is_ascii_whitespace());
    is_field.then_some(()).ok_or_else(|| TrecProblem::NotAField { field: field.to_owned() })
}
