use std::collections::BTreeMap;
use std::io::{BufWriter, Write};
use std::path::Path;

use crate::{EvalError, Ranking};

/// Writes a run in TREC's format: `query Q0 document rank score tag`.
///
/// # Errors
/// [`EvalError::Io`].
pub fn write_run(path: &Path, rankings: &BTreeMap<String, Ranking>, tag: &str) -> Result<(), EvalError> {
    let mut writer = BufWriter::new(fs_err::File::create(path)?);
    for (query, ranking) in rankings {
        for (index, place) in ranking.places().iter().enumerate() {
            writeln!(writer, "{query} Q0 {} {} {} {tag}", place.document, index + 1, place.score)?;
        }
    }
    writer.flush()?;
    Ok(())
}
