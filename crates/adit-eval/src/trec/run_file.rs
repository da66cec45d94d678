use std::collections::{BTreeMap, HashMap, HashSet};
use std::io::{BufWriter, Write};
use std::path::Path;

use super::{TrecProblem, check_field, for_each_line};
use crate::{EvalError, RankedDocument, Ranking};

/// Rankings by query id of a run file: `query Q0 document rank score tag`. As in trec_eval the score alone
/// decides the order; rank and tag are not looked at. An empty file is a run that found nothing, and every
/// query of it will count 0.
///
/// # Errors
/// [`EvalError::Trec`] with file and line for a wrong number of fields, a score that is no finite number or a
/// document that stands twice in a query; [`EvalError::Missing`] and [`EvalError::Io`] for the file itself.
pub fn read_run(path: &Path) -> Result<BTreeMap<String, Ranking>, EvalError> {
    let mut scores: BTreeMap<String, HashMap<String, f64>> = BTreeMap::new();
    for_each_line(path, &mut |[query, _, document, _, score, _]| {
        let ranked = scores.entry(query.to_owned()).or_default();
        match ranked.insert(document.to_owned(), read_score(score)?) {
            None => Ok(()),
            Some(_) => {
                Err(TrecProblem::RankedTwice { query: query.to_owned(), document: document.to_owned() })
            }
        }
    })?;
    Ok(scores.into_iter().map(|(query, ranked)| (query, ranking_of(ranked))).collect())
}

fn ranking_of(scores: HashMap<String, f64>) -> Ranking {
    Ranking::new(scores.into_iter().map(|(document, score)| RankedDocument { document, score }).collect())
}

fn read_score(text: &str) -> Result<f64, TrecProblem> {
    let number = text.parse().ok().filter(|score: &f64| score.is_finite());
    number.ok_or_else(|| TrecProblem::Score { score: text.to_owned() })
}

/// Writes a run in TREC's format: `query Q0 document rank score tag`. Scores are written to their last digit.
/// A query whose ranking is empty has no line.
///
/// # Errors
/// [`EvalError::NotWritable`], before the file is touched, for what [`read_run`] would not give back: a
/// document twice in a query, a score that is not finite, an id or tag that is empty or holds white space.
/// [`EvalError::Io`].
pub fn write_run(path: &Path, rankings: &BTreeMap<String, Ranking>, tag: &str) -> Result<(), EvalError> {
    check_run(rankings, tag)
        .map_err(|problem| EvalError::NotWritable { path: path.to_path_buf(), problem })?;
    let mut writer = BufWriter::new(fs_err::File::create(path)?);
    for (query, ranking) in rankings {
        for (index, place) in ranking.places().iter().enumerate() {
            writeln!(writer, "{query} Q0 {} {} {} {tag}", place.document, index + 1, place.score)?;
        }
    }
    writer.flush()?;
    Ok(())
}

fn check_run(rankings: &BTreeMap<String, Ranking>, tag: &str) -> Result<(), TrecProblem> {
    check_field(tag)?;
    for (query, ranking) in rankings {
        check_field(query)?;
        let mut seen = HashSet::new();
        for RankedDocument { document, score } in ranking.places() {
            check_field(document)?;
            if !score.is_finite() {
                return Err(TrecProblem::Score { score: score.to_string() });
            }
            if !seen.insert(document) {
                return Err(TrecProblem::RankedTwice { query: query.clone(), document: document.clone() });
            }
        }
    }
    Ok(())
}
