use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::item::{GoldenItem, GoldenSpan, default_golden_id};
use crate::EvalError;

/// Questions with their gold, one JSON object a line in a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GoldenSet {
    /// In the order of the file.
    pub items: Vec<GoldenItem>,
}

/// A line as it may be written: with `spans`, or with one span's fields at the top level.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: Option<String>,
    question: String,
    spans: Option<Vec<SpanFields>>,
    source: Option<String>,
    quote: Option<String>,
    char_start: Option<usize>,
    char_end: Option<usize>,
    category: Option<String>,
    answerable: Option<bool>,
    expected_answer: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SpanFields {
    source: String,
    quote: Option<String>,
    char_start: Option<usize>,
    char_end: Option<usize>,
}

impl GoldenSet {
    /// Reads a JSONL file; blank lines are skipped.
    ///
    /// # Errors
    /// [`EvalError::NoGoldenSet`]; [`EvalError::Golden`] with the line number for a line that is not JSON,
    /// has an unknown field, repeats an id, asks nothing, or whose spans and `answerable` contradict
    /// each other.
    pub fn read(path: &Path) -> Result<Self, EvalError> {
        let mut items = Vec::new();
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for_each_line(path, &mut |line_number, line| {
            let problem = |detail: String| golden_error(path, line_number, detail);
            let item = read_item(line).map_err(problem)?;
            if let Some(earlier) = seen.insert(item.id.clone(), line_number) {
                return Err(problem(format!(
                    "the id `{}` is already on line {earlier} (without an `id`, the same question about the \
                     same document has the same one: put both quotes into one item's `spans`)",
                    item.id
                )));
            }
            items.push(item);
            Ok(())
        })?;
        Ok(Self { items })
    }

    /// Writes all items, each on a line, replacing the file in one step: a reader sees the old or the new.
    ///
    /// # Errors
    /// [`EvalError::Golden`] for an item that [`GoldenSet::read`] would refuse; [`EvalError::Io`]. In
    /// either case the file is as it was.
    pub fn write(&self, path: &Path) -> Result<(), EvalError> {
        let mut text = String::new();
        let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, item) in self.items.iter().enumerate() {
            let problem = |detail: String| golden_error(path, index + 1, detail);
            if let Some(detail) = item.problem() {
                return Err(problem(detail));
            }
            if let Some(earlier) = seen.insert(&item.id, index + 1) {
                return Err(problem(format!("the id `{}` is already on line {earlier}", item.id)));
            }
            text += &to_line(item).map_err(problem)?;
            text.push('\n');
        }
        replace_file(path, text.as_bytes())
    }
}

fn read_item(line: &str) -> Result<GoldenItem, String> {
    let line: Line = serde_json::from_str(line).map_err(|error| without_line(&error))?;
    let has_top_level_span =
        line.source.is_some() || line.quote.is_some() || line.char_start.is_some() || line.char_end.is_some();
    let spans = match (line.spans, line.source) {
        (Some(_), _) if has_top_level_span => {
            return Err("`spans` and a span at the top level are given; use one of them".to_owned());
        }
        (Some(spans), _) => spans.into_iter().map(GoldenSpan::from).collect(),
        (None, Some(source)) => vec![GoldenSpan {
            source,
            quote: line.quote,
            char_start: line.char_start,
            char_end: line.char_end,
        }],
        (None, None) if has_top_level_span => {
            return Err("a `quote` or a range needs the `source` it stands in".to_owned());
        }
        (None, None) => Vec::new(),
    };
    let item = GoldenItem {
        id: line.id.unwrap_or_else(|| default_golden_id(&line.question, &spans)),
        question: line.question,
        spans,
        category: line.category,
        answerable: line.answerable.unwrap_or(true),
        expected_answer: line.expected_answer,
    };
    item.problem().map_or(Ok(item), Err)
}

impl From<SpanFields> for GoldenSpan {
    fn from(fields: SpanFields) -> Self {
        Self {
            source: fields.source,
            quote: fields.quote,
            char_start: fields.char_start,
            char_end: fields.char_end,
        }
    }
}

/// One span is written at the top level, which is easier to read and to write by hand.
fn to_line(item: &GoldenItem) -> Result<String, String> {
    #[derive(Serialize)]
    struct Short<'a> {
        id: &'a str,
        question: &'a str,
        #[serde(flatten)]
        span: &'a GoldenSpan,
        #[serde(skip_serializing_if = "Option::is_none")]
        category: &'a Option<String>,
        answerable: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        expected_answer: &'a Option<String>,
    }
    let line = match item.spans.as_slice() {
        [span] => serde_json::to_string(&Short {
            id: &item.id,
            question: &item.question,
            span,
            category: &item.category,
            answerable: item.answerable,
            expected_answer: &item.expected_answer,
        }),
        _ => serde_json::to_string(item),
    };
    line.map_err(|error| error.to_string())
}

/// Shows every line that is not blank, with its number from 1.
pub(super) fn for_each_line(
    path: &Path,
    visit: &mut dyn FnMut(usize, &str) -> Result<(), EvalError>,
) -> Result<(), EvalError> {
    let file = match fs_err::File::open(path) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Err(EvalError::NoGoldenSet { path: path.to_path_buf() });
        }
        other => other?,
    };
    for (index, bytes) in BufReader::new(file).split(b'\n').enumerate() {
        let bytes = bytes?;
        let line = str::from_utf8(&bytes)
            .map_err(|error| golden_error(path, index + 1, format!("not UTF-8: {error}")))?;
        let line = line.trim_start_matches('\u{feff}').trim();
        if !line.is_empty() {
            visit(index + 1, line)?;
        }
    }
    Ok(())
}

pub(super) fn golden_error(path: &Path, line_number: usize, detail: String) -> EvalError {
    EvalError::Golden { path: path.to_path_buf(), line_number, detail }
}

/// The parser counts lines within the one line it was given, which would mislead.
pub(super) fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let tail = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&tail) {
        Some(bare) => format!("{bare} (column {})", error.column()),
        None => text,
    }
}

/// Writes beside the file and renames over it, so that no reader and no crash leaves half a file.
fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), EvalError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    let part = path.with_file_name(name);
    let written = (|| {
        use std::io::Write;
        let mut file = fs_err::File::create(&part)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        fs_err::rename(&part, path)
    })();
    written.map_err(|error| {
        // What went wrong is told; a left-over part that cannot be removed adds nothing to that.
        let _ = fs_err::remove_file(&part);
        EvalError::Io(error)
    })
}
