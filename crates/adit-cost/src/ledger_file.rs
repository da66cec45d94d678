use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use fs_err::{File, OpenOptions};

use crate::error::{CostError, checked_amount};
use crate::{Ledger, LedgerEntry};

/// A ledger that is read into memory to be summed has at most this many bytes (some 700,000 calls).
const MAX_LEDGER_BYTES: u64 = 256 << 20;

/// A ledger on disk to which calls are only added, one JSON object a line. What [`LedgerFile::append`] has
/// returned from survives a crash of the process and of the machine.
#[derive(Debug)]
pub struct LedgerFile {
    file: File,
    /// The end of the last whole line; a write that failed half way is cut off again from here.
    whole_bytes: u64,
}

/// What was cut off when a ledger was opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TornLine {
    /// How many bytes were lost.
    pub bytes: u64,
    /// Their beginning, for people.
    pub beginning: String,
}

impl LedgerFile {
    /// Opens the ledger at `path`, or begins it. A last line that a crash left half written is cut off and
    /// told: it never returned to the one who wrote it.
    ///
    /// # Errors
    /// [`CostError::Io`], also where another process has the ledger open to add to it.
    pub fn open(path: &Path) -> Result<(Self, Option<TornLine>), CostError> {
        let existed = path.exists();
        let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)?;
        file.file().try_lock().map_err(|error| {
            std::io::Error::other(format!("{} is in use by another process: {error}", path.display()))
        })?;
        if !existed && let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            // The name of a new file survives a crash only when its folder is written too.
            File::open(folder)?.sync_all()?;
        }
        let torn = repair(&mut file)?;
        let whole_bytes = file.seek(SeekFrom::End(0))?;
        Ok((Self { file, whole_bytes }, torn))
    }

    /// Adds one call; it is on disk when this returns.
    ///
    /// # Errors
    /// [`CostError::InvalidAmount`] as [`Ledger::record`], and [`CostError::Io`]; then nothing was added.
    pub fn append(&mut self, entry: &LedgerEntry) -> Result<(), CostError> {
        checked_amount("cost_usd of a ledger entry", entry.cost_usd)?;
        let mut line = serde_json::to_vec(entry).map_err(std::io::Error::other)?;
        line.push(b'\n');
        let written = self.write(&line);
        if written.is_err() {
            self.file.set_len(self.whole_bytes)?;
        }
        written?;
        self.whole_bytes += line.len() as u64;
        Ok(())
    }

    /// Every call so far.
    ///
    /// # Errors
    /// As [`LedgerFile::read`].
    pub fn ledger(&mut self) -> Result<Ledger, CostError> {
        self.file.seek(SeekFrom::Start(0))?;
        parse(&mut self.file, self.whole_bytes)
    }

    /// Every call of the ledger at `path`, without opening it to add to it: another process may. What that
    /// one is writing just now is left out.
    ///
    /// # Errors
    /// [`CostError::Io`], also for a ledger above 256 MiB, and [`CostError::LedgerLine`].
    pub fn read(path: &Path) -> Result<Ledger, CostError> {
        let mut file = File::open(path)?;
        let length = file.metadata()?.len();
        parse(&mut file, length)
    }

    fn write(&mut self, line: &[u8]) -> std::io::Result<()> {
        self.file.seek(SeekFrom::Start(self.whole_bytes))?;
        self.file.write_all(line)?;
        self.file.sync_data()
    }
}

fn parse(file: &mut File, length: u64) -> Result<Ledger, CostError> {
    if length > MAX_LEDGER_BYTES {
        return Err(
            std::io::Error::other(format!("a ledger of {length} bytes is too long to be summed")).into()
        );
    }
    let mut bytes = Vec::new();
    file.take(length).read_to_end(&mut bytes)?;
    let whole = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    bytes.truncate(whole);
    Ledger::parse_jsonl(&String::from_utf8(bytes).map_err(std::io::Error::other)?)
}

/// Cuts off what follows the last line feed.
fn repair(file: &mut File) -> Result<Option<TornLine>, CostError> {
    let length = file.metadata()?.len();
    let mut tail: Vec<u8> = Vec::new();
    let mut start = length;
    let mut block = [0_u8; 4096];
    while start > 0 {
        let step = start.min(block.len() as u64);
        start -= step;
        file.seek(SeekFrom::Start(start))?;
        let block = block.get_mut(..usize::try_from(step).unwrap_or(0)).unwrap_or_default();
        file.read_exact(block)?;
        if let Some(last) = block.iter().rposition(|byte| *byte == b'\n') {
            start += last as u64 + 1;
            tail.splice(0..0, block.get(last + 1..).unwrap_or_default().iter().copied());
            break;
        }
        // Only the beginning of what is lost is shown, so no more of it is kept.
        tail.splice(0..0, block.iter().copied());
        tail.truncate(block.len());
    }
    if start == length {
        return Ok(None);
    }
    file.set_len(start)?;
    file.sync_all()?;
    let beginning = String::from_utf8_lossy(&tail).chars().take(200).collect();
    Ok(Some(TornLine { bytes: length - start, beginning }))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{Purpose, Usage};

    fn entry(output_tokens: u64) -> LedgerEntry {
        LedgerEntry {
            time: "2026-01-31T23:59:59Z".parse().unwrap(),
            purpose: Purpose::Answer,
            model: "m".to_owned(),
            usage: Usage::plain(10, output_tokens),
            cost_usd: 0.5,
            trace_id: None,
        }
    }

    #[test]
    fn calls_are_there_after_opening_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        for round in 1..=3 {
            let (mut file, torn) = LedgerFile::open(&path).unwrap();
            assert_eq!(torn, None);
            file.append(&entry(round)).unwrap();
            assert_eq!(file.ledger().unwrap().entries().len() as u64, round);
            assert_eq!(LedgerFile::read(&path).unwrap(), file.ledger().unwrap());
        }
    }

    #[test]
    fn a_ledger_has_one_writer() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        let first = LedgerFile::open(&path).unwrap();
        assert!(matches!(LedgerFile::open(&path), Err(CostError::Io(_))));
        drop(first);
        assert!(LedgerFile::open(&path).is_ok());
    }

    #[test]
    fn what_would_spoil_the_sums_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.jsonl");
        let (mut file, _) = LedgerFile::open(&path).unwrap();
        let wrong = LedgerEntry { cost_usd: f64::NAN, ..entry(1) };
        assert!(matches!(file.append(&wrong), Err(CostError::InvalidAmount { .. })));
        assert_eq!(fs_err::read(&path).unwrap(), b"");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Wherever a crash cut the file, the whole lines before the cut are kept, the rest is told, and the
        /// ledger goes on.
        #[test]
        fn a_cut_anywhere_loses_the_last_line_only(calls in 1_u64..6, share in 0.0..1.0_f64, long in 1_usize..9000) {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("ledger.jsonl");
            let (mut file, _) = LedgerFile::open(&path).unwrap();
            for call in 0..calls {
                file.append(&LedgerEntry { model: "m".repeat(long), ..entry(call) }).unwrap();
            }
            drop(file);
            let bytes = fs_err::read(&path).unwrap();
            let cut = (bytes.len() as f64 * share) as usize;
            fs_err::write(&path, &bytes[..cut]).unwrap();
            let whole = bytes[..cut].iter().filter(|byte| **byte == b'\n').count();
            let kept = bytes[..cut].iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
            let (mut file, torn) = LedgerFile::open(&path).unwrap();
            let lost = (cut - kept) as u64;
            prop_assert_eq!(torn.as_ref().map_or(0, |torn| torn.bytes), lost);
            if let Some(torn) = torn {
                let text = String::from_utf8_lossy(&bytes[kept..cut]).into_owned();
                prop_assert!(text.starts_with(&torn.beginning) && !torn.beginning.is_empty());
            }
            prop_assert_eq!(file.ledger().unwrap().entries().len(), whole);
            file.append(&entry(99)).unwrap();
            prop_assert_eq!(LedgerFile::read(&path).unwrap().entries().len(), whole + 1);
        }
    }
}
