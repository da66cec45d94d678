//! Is it in the extracted text, and if not, where was it lost?

use std::path::Path;

use adit_core::{DocumentRecord, DocumentState, ReadScope, TextRange};
use adit_eval::{GoldenSpan, Placement, place_span};

use super::report::{Diagnosis, Findings, Stage};
use super::{Case, QualityError};

/// Documents that have the words which are followed further.
const FOLLOWED: usize = 5;
/// Bytes of a file that are searched for the words.
const READ_BYTES: u64 = 64 << 20;

/// Where the expected words stand in a document.
#[derive(Debug, Clone)]
pub(super) struct ExpectedPlace {
    pub(super) record: DocumentRecord,
    pub(super) range: TextRange,
    pub(super) char_start: usize,
    pub(super) char_end: usize,
}

impl Case<'_> {
    /// The documents that have the words; or, where none has, what that says.
    pub(super) fn find_in_texts(
        &self,
        findings: &mut Findings,
    ) -> Result<Result<Vec<ExpectedPlace>, Diagnosis>, QualityError> {
        let everybody = ReadScope::Administrator(self.administrator);
        let records = self.view.documents(everybody)?;
        let is_named = |record: &DocumentRecord| {
            self.request.source.is_none_or(|source| {
                record.source == source || record.source.ends_with(&format!("/{source}"))
            })
        };
        let named: Vec<DocumentRecord> = records.into_iter().filter(is_named).collect();
        if let (true, Some(source)) = (named.is_empty(), self.request.source) {
            findings.add("text", false, format!("no document `{source}` is in the catalog"));
            return Ok(Err(findings.blame(
                Stage::Parser,
                format!("`{source}` was never indexed, or was removed"),
                "run `adit index` on the folder it lies in; look for it in `adit status --documents --all`",
            )));
        }
        let mut places = Vec::new();
        let mut nearest = 0.0_f64;
        for record in &named {
            let Some(text) = self.view.document_text(&record.id, everybody)? else { continue };
            match place_span(&text, &self.expected_span(record)) {
                Placement::Exact(range) | Placement::Moved { range, .. } => {
                    places.push(place(record.clone(), range, &text));
                }
                Placement::NotFound { best_similarity } => nearest = nearest.max(best_similarity),
            }
            if places.len() >= FOLLOWED {
                break;
            }
        }
        if places.is_empty() {
            return Ok(Err(self.blame_for_missing_text(&named, nearest, findings)));
        }
        let sources: Vec<&str> = places.iter().map(|place| place.record.source.as_str()).collect();
        findings.add("text", true, format!("the extracted text of {} has the words", sources.join(", ")));
        Ok(Ok(places))
    }

    fn expected_span(&self, record: &DocumentRecord) -> GoldenSpan {
        GoldenSpan {
            source: record.source.clone(),
            quote: Some(self.request.expected.to_owned()),
            char_start: None,
            char_end: None,
        }
    }

    /// The words are in no text: a file that failed, a parser that lost them, a file that changed, or words
    /// that are nowhere.
    fn blame_for_missing_text(
        &self,
        records: &[DocumentRecord],
        nearest: f64,
        findings: &mut Findings,
    ) -> Diagnosis {
        for record in records {
            let Some(in_file) = self.is_in_file(record) else { continue };
            if !in_file {
                continue;
            }
            if self.has_changed(record) {
                findings.add(
                    "version",
                    false,
                    format!("{} has the words and changed after it was indexed", record.source),
                );
                return findings.blame(
                    Stage::Version,
                    format!("the index holds an older version of {}", record.source),
                    "run `adit index` again",
                );
            }
            findings.add(
                "text",
                false,
                format!("{} has the words, its extracted text does not", record.source),
            );
            return findings.blame(
                Stage::Parser,
                lost_in(record),
                format!(
                    "look at what was read with `adit status --documents`; convert {} to another format",
                    record.source
                ),
            );
        }
        let unread: Vec<&DocumentRecord> = records.iter().filter(|record| is_unread(record)).collect();
        if let Some(first) = unread.first() {
            let evidence = format!(
                "{} of {} documents were not read whole, such as {}",
                unread.len(),
                records.len(),
                first.source
            );
            findings.add("text", false, evidence);
            return findings.blame(
                Stage::Parser,
                format!("no extracted text has the words, and {}", lost_in(first)),
                "mend the files that `adit status --failed` lists; name the file with --source to be sure",
            );
        }
        let evidence =
            format!("no extracted text has the words; the nearest are {:.0}% alike", 100.0 * nearest);
        findings.add("text", false, evidence);
        findings.blame(
            Stage::Parser,
            "the words came out of no file: they are in none, or their file was never indexed",
            "check the words, and with `adit status` that their file is indexed; name it with --source",
        )
    }

    /// Whether the file's own bytes have the words; `None` when it cannot be read here.
    fn is_in_file(&self, record: &DocumentRecord) -> Option<bool> {
        let path = self.file_of(record)?;
        let size = fs_err::metadata(&path).ok()?.len();
        if size > READ_BYTES {
            return None;
        }
        let bytes = fs_err::read(&path).ok()?;
        let text = readable(&bytes);
        let span = self.expected_span(record);
        Some(!matches!(place_span(&text, &span), Placement::NotFound { .. }))
    }

    pub(super) fn file_of(&self, record: &DocumentRecord) -> Option<std::path::PathBuf> {
        let path = self.request.base_folder?.join(Path::new(&record.source));
        path.is_file().then_some(path)
    }

    /// Whether the file was written after it was indexed.
    pub(super) fn has_changed(&self, record: &DocumentRecord) -> bool {
        let Some(metadata) = self.file_of(record).and_then(|path| fs_err::metadata(path).ok()) else {
            return false;
        };
        let modified = metadata.modified().ok().and_then(|time| {
            let since = time.duration_since(std::time::UNIX_EPOCH).ok()?;
            i64::try_from(since.as_millis()).ok()
        });
        metadata.len() != record.size_bytes || modified > record.modified_unix_ms
    }
}

fn is_unread(record: &DocumentRecord) -> bool {
    !matches!(record.state, DocumentState::Searchable)
}

fn lost_in(record: &DocumentRecord) -> String {
    match &record.state {
        DocumentState::Searchable => format!("reading {} lost the words", record.source),
        DocumentState::Partial { reason, .. } => format!("{} was read in part: {reason}", record.source),
        DocumentState::Failed { stage, cause, .. } => {
            format!("{} failed at {stage}: {cause}", record.source)
        }
        DocumentState::Skipped { reason } => format!("{} was skipped: {reason}", record.source),
    }
}

/// The bytes as text in the encoding they look like: enough to find words in, never shown.
fn readable(bytes: &[u8]) -> String {
    let wide = |first: usize| -> String {
        let units = bytes.get(2..).unwrap_or_default().chunks_exact(2);
        let unit = |pair: &[u8]| match pair {
            [low, high] if first == 0 => u16::from_le_bytes([*low, *high]),
            [high, low] => u16::from_be_bytes([*high, *low]),
            _ => 0,
        };
        String::from_utf16_lossy(&units.map(unit).collect::<Vec<_>>())
    };
    match bytes {
        [0xFF, 0xFE, ..] => wide(0),
        [0xFE, 0xFF, ..] => wide(1),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => bytes.iter().map(|byte| char::from(*byte)).collect(),
        },
    }
}

fn place(record: DocumentRecord, range: TextRange, text: &str) -> ExpectedPlace {
    let before = text.get(..range.start).unwrap_or_default().chars().count();
    let inside = range.slice(text).unwrap_or_default().chars().count();
    ExpectedPlace { record, range, char_start: before, char_end: before + inside }
}

/// Numbers, codes and names of the expected words that the answer lacks. Where there are none, the words of
/// four letters and more, of which half must be there.
pub(super) fn facts_missing(expected: &str, answer: &str) -> Vec<String> {
    let answer = answer.to_lowercase();
    let words = |text: &str| -> Vec<String> {
        let trimmed = text.split_whitespace().map(|word| word.trim_matches(|c: char| !c.is_alphanumeric()));
        trimmed.filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let is_fact = |word: &&String| word.chars().any(|character| character.is_ascii_digit());
    let all = words(expected);
    let facts: Vec<&String> = all.iter().filter(is_fact).collect();
    let is_missing = |word: &&&String| !answer.contains(&word.to_lowercase());
    if !facts.is_empty() {
        return facts.iter().filter(is_missing).map(|word| format!("`{word}`")).collect();
    }
    let content: Vec<&String> = all.iter().filter(|word| word.chars().count() >= 4).collect();
    let missing: Vec<String> = content.iter().filter(is_missing).map(|word| format!("`{word}`")).collect();
    if missing.len() * 2 <= content.len() { Vec::new() } else { missing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_must_have_the_numbers_and_codes() {
        assert!(facts_missing("Refunds within 30 days, rule R-17.", "By R-17 it is 30 days.").is_empty());
        assert_eq!(facts_missing("Refunds within 30 days.", "Refunds within 14 days."), ["`30`"]);
        assert!(facts_missing("dogs are welcome on Thursdays", "On Thursdays dogs are welcome").is_empty());
        assert!(!facts_missing("dogs are welcome on Thursdays", "I do not know").is_empty());
    }

    #[test]
    fn files_are_read_in_the_encoding_they_look_like() {
        assert_eq!(readable("caf\u{e9}".as_bytes()), "café");
        assert_eq!(readable(b"caf\xe9"), "café");
        assert_eq!(readable(b"\xff\xfeh\x00i\x00"), "hi");
        assert_eq!(readable(b"\xfe\xff\x00h\x00i"), "hi");
    }
}
