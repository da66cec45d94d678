use std::io::{Cursor, Read};

use adit_core::{ChildFile, ContainerLimit, MediaType, ParseError, SourceFile};
use flate2::bufread::MultiGzDecoder;
use zip::ZipArchive;
use zip::result::ZipError;

use super::{Meter, Take, damaged, exceeded};
use crate::ParseLimits;

/// The largest block of a tar archive's own bookkeeping that is looked at for its mark.
const TAR_BLOCK_BYTES: usize = 512;

/// Whether these bytes begin a tar archive: the mark of POSIX 1003.1 (`ustar`) or GNU at its place.
pub(crate) fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

/// Hands over the files of a ZIP, tar, gzip or gzipped tar archive.
pub(crate) fn expand(
    file: SourceFile<'_>,
    limits: &ParseLimits,
    take: &mut Take<'_>,
) -> Result<(), ParseError> {
    let meter = Meter::new(limits, file.bytes.len());
    if file.bytes.starts_with(b"\x1f\x8b") {
        return expand_gzip(file, meter, take);
    }
    if is_tar(file.bytes) {
        return expand_tar(file.bytes, meter, take);
    }
    expand_zip(file.bytes, meter, take)
}

fn expand_zip(bytes: &[u8], mut meter: Meter<'_>, take: &mut Take<'_>) -> Result<(), ParseError> {
    let limits = meter.limits;
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(archive_damaged)?;
    refuse_declared_bomb(&mut archive, bytes.len(), limits)?;
    for index in 0..archive.len() {
        let name = archive.name_for_index(index).and_then(Result::ok);
        let path = name.map_or_else(|| "unnamed".to_owned(), |name| name.to_string());
        let content = match archive.by_index(index) {
            Ok(entry) if entry.is_dir() => continue,
            Ok(entry) => {
                meter.entry()?;
                read_entry(entry, &mut meter)?
            }
            Err(error) => {
                meter.entry()?;
                Err(zip_error(error))
            }
        };
        if take(ChildFile { path, modified_unix_ms: None, content }).is_break() {
            return Ok(());
        }
    }
    Ok(())
}

/// An honest bomb says in its list what it unpacks to: it is refused before a byte of it is unpacked.
fn refuse_declared_bomb(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    packed_bytes: usize,
    limits: &ParseLimits,
) -> Result<(), ParseError> {
    exceeded(archive.len() as u64, ContainerLimit::Entries, limits.max_container_entries)?;
    let mut declared = Meter::new(limits, packed_bytes);
    for index in 0..archive.len() {
        // Entries that cannot be opened are reported one by one later.
        if let Ok(entry) = archive.by_index_raw(index) {
            declared.bytes(entry.size())?;
        }
    }
    Ok(())
}

fn expand_tar(bytes: impl Read, mut meter: Meter<'_>, take: &mut Take<'_>) -> Result<(), ParseError> {
    let mut archive = tar::Archive::new(bytes);
    for entry in archive.entries().map_err(archive_damaged)? {
        let entry = entry.map_err(archive_damaged)?;
        if !entry.header().entry_type().is_file() {
            continue;
        }
        meter.entry()?;
        let path = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let seconds = entry.header().mtime().ok().and_then(|seconds| i64::try_from(seconds).ok());
        let modified_unix_ms = seconds.and_then(|seconds| seconds.checked_mul(1000));
        let content = read_entry(entry, &mut meter)?;
        if take(ChildFile { path, modified_unix_ms, content }).is_break() {
            return Ok(());
        }
    }
    Ok(())
}

fn expand_gzip(file: SourceFile<'_>, mut meter: Meter<'_>, take: &mut Take<'_>) -> Result<(), ParseError> {
    let mut head = Vec::new();
    // What cannot be unpacked here is reported below.
    let _ = MultiGzDecoder::new(file.bytes).take(TAR_BLOCK_BYTES as u64).read_to_end(&mut head);
    let decoder = MultiGzDecoder::new(file.bytes);
    if is_tar(&head) {
        // The unpacked bytes of skipped entries cost time too, so the ratio is held while reading.
        let most = meter.room_bytes();
        return expand_tar(Metered { inner: decoder, left_bytes: most, most }, meter, take)
            .map_err(unwrap_limit);
    }
    meter.entry()?;
    let path = gzip_name(file);
    let content = read_entry(decoder, &mut meter)?;
    let _ = take(ChildFile { path, modified_unix_ms: None, content });
    Ok(())
}

/// The name of the file without `.gz`; what gzip itself stores is the name at the time of packing.
fn gzip_name(file: SourceFile<'_>) -> String {
    let name = file.name.rsplit(['/', '\\']).next().unwrap_or(file.name);
    let lower = name.to_ascii_lowercase();
    let cut = [(".tgz", ".tar"), (".gz", ""), (".gzip", "")]
        .iter()
        .find(|(ending, _)| lower.ends_with(ending) && lower.len() > ending.len());
    match cut {
        Some((ending, instead)) => {
            format!("{}{instead}", name.get(..name.len() - ending.len()).unwrap_or(name))
        }
        None => format!("{name} unpacked"),
    }
}

/// One file's bytes. Its own trouble is the inner result; a limit of the whole container the outer one.
fn read_entry(entry: impl Read, meter: &mut Meter<'_>) -> Result<Result<Vec<u8>, ParseError>, ParseError> {
    let limit_bytes = meter.limits.max_file_bytes;
    let most = limit_bytes.min(meter.room_bytes());
    let mut bytes = Vec::new();
    let mut entry = entry.take(most.saturating_add(1));
    let result = entry.read_to_end(&mut bytes);
    meter.bytes(bytes.len() as u64)?;
    if bytes.len() as u64 > limit_bytes {
        // The rest of a file that is too large counts as well: unpacking it is work.
        let size_bytes = bytes.len() as u64;
        return Ok(Err(ParseError::TooLarge { size_bytes, limit_bytes }));
    }
    match result {
        Ok(_) => Ok(Ok(bytes)),
        Err(error) => match limit_of(&error) {
            Some(limit) => Err(limit),
            None => Ok(Err(archive_damaged(error))),
        },
    }
}

/// A reader that fails with [`LIMIT_WORDS`] when more comes out than may.
struct Metered<R> {
    inner: R,
    left_bytes: u64,
    most: u64,
}

const LIMIT_WORDS: &str = "the archive unpacks to more than it may";

impl<R: Read> Read for Metered<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.inner.read(buffer)?;
        match self.left_bytes.checked_sub(count as u64) {
            Some(left) => self.left_bytes = left,
            None => return Err(std::io::Error::other(format!("{LIMIT_WORDS}: {}", self.most))),
        }
        Ok(count)
    }
}

fn limit_of(error: &std::io::Error) -> Option<ParseError> {
    limit_in(&error.to_string())
}

fn limit_in(words: &str) -> Option<ParseError> {
    let (_, most) = words.split_once(LIMIT_WORDS)?;
    let most = most.trim_start_matches(": ").trim().parse().unwrap_or(0);
    Some(ParseError::ContainerLimit { limit: ContainerLimit::TotalBytes, most })
}

/// The tar reader wraps the errors of the reader under it in words of its own.
fn unwrap_limit(error: ParseError) -> ParseError {
    match &error {
        ParseError::Damaged { detail, .. } => limit_in(detail).unwrap_or(error),
        _ => error,
    }
}

fn zip_error(error: ZipError) -> ParseError {
    match error {
        ZipError::UnsupportedArchive(ZipError::PASSWORD_REQUIRED) => ParseError::PasswordNeeded,
        ZipError::UnsupportedArchive(detail) => ParseError::Unsupported { detail: detail.to_string() },
        error => archive_damaged(error),
    }
}

fn archive_damaged(error: impl ToString) -> ParseError {
    damaged(MediaType::Archive, error)
}
