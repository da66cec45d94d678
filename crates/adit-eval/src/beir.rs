use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::EvalError;

/// Relevance grades by query id, then document id. Absent means not judged, which counts as 0.
pub type Judgments = BTreeMap<String, BTreeMap<String, i64>>;

/// One document of a labelled set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct BeirDocument {
    /// Its id in the judgments.
    #[serde(rename = "_id")]
    pub id: String,
    /// Title, may be empty.
    #[serde(default)]
    pub title: String,
    /// Text.
    pub text: String,
}

/// One query of a labelled set.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct BeirQuery {
    /// Its id in the judgments.
    #[serde(rename = "_id")]
    pub id: String,
    /// The question.
    pub text: String,
}

/// A folder in the layout of BEIR (Thakur et al. 2021): `corpus.jsonl`, `queries.jsonl`, `qrels/test.tsv`.
#[derive(Debug, Clone)]
pub struct BeirSet {
    folder: PathBuf,
    /// Queries that have at least one judgment, in file order.
    pub queries: Vec<BeirQuery>,
    /// The judgments.
    pub judgments: Judgments,
}

impl BeirSet {
    /// Reads queries and judgments; documents are streamed by [`BeirSet::for_each_document`].
    ///
    /// # Errors
    /// [`EvalError`] with file and line.
    pub fn open(folder: &Path) -> Result<Self, EvalError> {
        let judgments = read_judgments(&folder.join("qrels/test.tsv"))?;
        let mut queries = Vec::new();
        for_each_line(&folder.join("queries.jsonl"), &mut |query: BeirQuery| {
            if judgments.contains_key(&query.id) {
                queries.push(query);
            }
        })?;
        if queries.is_empty() {
            return Err(EvalError::NoJudgedQuery { path: folder.to_path_buf() });
        }
        Ok(Self { folder: folder.to_path_buf(), queries, judgments })
    }

    /// Gives every document in file order, one in memory at a time.
    ///
    /// # Errors
    /// [`EvalError`] with file and line.
    pub fn for_each_document(&self, visit: &mut dyn FnMut(BeirDocument)) -> Result<(), EvalError> {
        for_each_line(&self.folder.join("corpus.jsonl"), visit)
    }
}

fn open(path: &Path) -> Result<BufReader<fs_err::File>, EvalError> {
    match fs_err::File::open(path) {
        Ok(file) => Ok(BufReader::new(file)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(EvalError::Missing { path: path.to_path_buf() })
        }
        Err(error) => Err(error.into()),
    }
}

fn for_each_line<T: for<'de> Deserialize<'de>>(
    path: &Path,
    visit: &mut dyn FnMut(T),
) -> Result<(), EvalError> {
    for (index, line) in open(path)?.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        let value = serde_json::from_str(&line).map_err(|error| EvalError::Line {
            path: path.to_path_buf(),
            line_number: index + 1,
            detail: error.to_string(),
        })?;
        visit(value);
    }
    Ok(())
}

/// Reads `query-id TAB corpus-id TAB score`, with or without that header line.
fn read_judgments(path: &Path) -> Result<Judgments, EvalError> {
    let mut judgments = Judgments::new();
    for (index, line) in open(path)?.lines().enumerate() {
        let line = line?;
        if line.trim().is_empty() || index == 0 && line.starts_with("query") {
            continue;
        }
        let problem = |detail: &str| EvalError::Line {
            path: path.to_path_buf(),
            line_number: index + 1,
            detail: detail.to_owned(),
        };
        let mut fields = line.split('\t');
        let (Some(query), Some(document), Some(grade)) = (fields.next(), fields.next(), fields.next()) else {
            return Err(problem("expected query id, document id and grade, separated by tabs"));
        };
        let grade = grade.trim().parse().map_err(|_| problem("the grade is not a whole number"))?;
        let earlier = judgments.entry(query.to_owned()).or_default().insert(document.to_owned(), grade);
        if earlier.is_some() {
            return Err(problem(&format!("query {query} judges document {document} a second time")));
        }
    }
    if !judgments.values().flat_map(BTreeMap::values).any(|grade| *grade > 0) {
        return Err(EvalError::NothingRelevant { path: path.to_path_buf() });
    }
    Ok(judgments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(corpus: &str, queries: &str, judgments: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs_err::create_dir(folder.path().join("qrels")).unwrap();
        fs_err::write(folder.path().join("corpus.jsonl"), corpus).unwrap();
        fs_err::write(folder.path().join("queries.jsonl"), queries).unwrap();
        fs_err::write(folder.path().join("qrels/test.tsv"), judgments).unwrap();
        folder
    }

    #[test]
    fn reads_documents_and_only_the_judged_queries() {
        let folder = folder(
            "{\"_id\":\"d1\",\"title\":\"T\",\"text\":\"x\"}\n{\"_id\":\"d2\",\"text\":\"y\"}\n",
            "{\"_id\":\"q1\",\"text\":\"a\"}\n{\"_id\":\"q2\",\"text\":\"b\"}\n",
            "query-id\tcorpus-id\tscore\nq1\td1\t2\n",
        );
        let set = BeirSet::open(folder.path()).unwrap();
        assert_eq!(set.queries.len(), 1);
        assert_eq!(set.judgments["q1"]["d1"], 2);
        let mut ids = Vec::new();
        set.for_each_document(&mut |document| ids.push(document.id)).unwrap();
        assert_eq!(ids, ["d1", "d2"]);
    }

    #[test]
    fn says_which_file_and_line_is_wrong() {
        let bad = folder("{\n", "{\"_id\":\"q1\",\"text\":\"a\"}\n", "q1\td1\tone\n");
        assert!(BeirSet::open(bad.path()).unwrap_err().to_string().contains("test.tsv, line 1"));
        let query = "{\"_id\":\"q1\",\"text\":\"a\"}\n";
        let twice = folder("{\n", query, "q1\td1\t1\nq1\td1\t0\n");
        assert!(BeirSet::open(twice.path()).unwrap_err().to_string().contains("line 2"));
        let nothing = folder("{\n", query, "q1\td1\t0\n");
        assert!(matches!(BeirSet::open(nothing.path()), Err(EvalError::NothingRelevant { .. })));
        let bad = folder("{\n", "{\"_id\":\"q1\",\"text\":\"a\"}\n", "q1\td1\t1\n");
        let set = BeirSet::open(bad.path()).unwrap();
        let error = set.for_each_document(&mut |_| ()).unwrap_err();
        assert!(error.to_string().contains("corpus.jsonl, line 1"));
        assert!(matches!(BeirSet::open(Path::new("/nonexistent")), Err(EvalError::Missing { .. })));
    }
}
