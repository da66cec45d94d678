use std::io::{BufWriter, Write};
use std::path::Path;

use super::{TrecProblem, check_field, for_each_line};
use crate::{EvalError, Judgments};

/// Judgments of a qrels file: `query iteration document grade`; the iteration is not looked at.
///
/// # Errors
/// [`EvalError::Trec`] with file and line for a wrong number of fields, a grade that is no whole number or a
/// document judged twice for a query; [`EvalError::EmptyJudgments`] for a file without a line,
/// [`EvalError::NothingRelevant`] for one in which no grade is above 0: both would make every figure 0
/// of 0. [`EvalError::Missing`] and [`EvalError::Io`] for the file itself.
pub fn read_trec_judgments(path: &Path) -> Result<Judgments, EvalError> {
    let mut judgments = Judgments::new();
    for_each_line(path, &mut |[query, _, document, grade]| {
        let grade = grade.parse().map_err(|_| TrecProblem::Grade { grade: grade.to_owned() })?;
        let grades = judgments.entry(query.to_owned()).or_default();
        match grades.insert(document.to_owned(), grade) {
            None => Ok(()),
            Some(_) => {
                Err(TrecProblem::JudgedTwice { query: query.to_owned(), document: document.to_owned() })
            }
        }
    })?;
    if judgments.is_empty() {
        return Err(EvalError::EmptyJudgments { path: path.to_path_buf() });
    }
    if !judgments.values().flat_map(|grades| grades.values()).any(|grade| *grade > 0) {
        return Err(EvalError::NothingRelevant { path: path.to_path_buf() });
    }
    Ok(judgments)
}

/// Writes judgments in TREC's format: `query 0 document grade`.
///
/// # Errors
/// [`EvalError::NotWritable`], before the file is touched, for an id that is empty or holds white space.
/// [`EvalError::Io`].
pub fn write_trec_judgments(path: &Path, judgments: &Judgments) -> Result<(), EvalError> {
    check_judgments(judgments)
        .map_err(|problem| EvalError::NotWritable { path: path.to_path_buf(), problem })?;
    let mut writer = BufWriter::new(fs_err::File::create(path)?);
    for (query, grades) in judgments {
        for (document, grade) in grades {
            writeln!(writer, "{query} 0 {document} {grade}")?;
        }
    }
    writer.flush()?;
    Ok(())
}

fn check_judgments(judgments: &Judgments) -> Result<(), TrecProblem> {
    for (query, grades) in judgments {
        check_field(query)?;
        grades.keys().try_for_each(|document| check_field(document))?;
    }
    Ok(())
}
