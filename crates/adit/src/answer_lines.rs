//! What was measured of one question, as a line of a file: made by `eval answers`, read by `eval fit-evidence`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;

use adit_retrieve::{Evidence, EvidenceFeatures, Sufficiency};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// One question.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct AnswerLine {
    /// The set it is from.
    pub(crate) set: String,
    /// Its id there.
    pub(crate) id: String,
    /// Whether the index holds what answers it.
    pub(crate) answerable: bool,
    /// What was weighed for the question as it was asked.
    pub(crate) features: EvidenceFeatures,
    /// By the calibration of the program that wrote the line.
    pub(crate) probability: Option<f32>,
    /// As above.
    pub(crate) sufficiency: Option<Sufficiency>,
    /// Content words, and those that stand in no passage.
    pub(crate) content_terms: usize,
    /// See `content_terms`.
    pub(crate) missing_terms: usize,
    /// Whether the question was refused; none where no answer was asked for.
    pub(crate) refused: Option<bool>,
    /// Whether the answer cites a judged document, or holds the golden quote.
    pub(crate) is_right: Option<bool>,
    /// Whether a judged document is among the passages.
    pub(crate) is_found: bool,
}

impl AnswerLine {
    /// Without an answer yet.
    pub(crate) fn weighed(
        set: &str,
        id: &str,
        answerable: bool,
        evidence: &Evidence,
        is_found: bool,
    ) -> Self {
        Self {
            set: set.to_owned(),
            id: id.to_owned(),
            answerable,
            features: evidence.features,
            probability: evidence.probability,
            sufficiency: evidence.sufficiency,
            content_terms: evidence.content_terms,
            missing_terms: evidence.missing_terms.len(),
            refused: None,
            is_right: None,
            is_found,
        }
    }
}

/// Appends `lines` to `file`.
pub(crate) fn append(file: &Path, lines: &[AnswerLine]) -> Result<(), Failure> {
    let world = |error: std::io::Error| Failure::world(format!("cannot write {}: {error}", file.display()));
    let mut text = String::new();
    for line in lines {
        text += &serde_json::to_string(line).map_err(|error| Failure::world(error.to_string()))?;
        text.push('\n');
    }
    let mut opened = std::fs::OpenOptions::new().create(true).append(true).open(file).map_err(world)?;
    opened.write_all(text.as_bytes()).map_err(world)
}

/// Reads what [`append`] wrote.
pub(crate) fn read(file: &Path) -> Result<Vec<AnswerLine>, Failure> {
    let unreadable = |number: usize, detail: String| {
        Failure::usage(
            format!("{} line {number}: {detail}", file.display()),
            "make it with `adit eval answers --features`",
        )
    };
    let opened = fs_err::File::open(file).map_err(|error| unreadable(0, error.to_string()))?;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(BufReader::new(opened).lines()) {
        let line = line.map_err(|error| unreadable(number, error.to_string()))?;
        if !line.trim().is_empty() {
            lines.push(serde_json::from_str(&line).map_err(|error| unreadable(number, error.to_string()))?);
        }
    }
    Ok(lines)
}
