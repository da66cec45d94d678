//! Files that hold other files: archives, mailboxes, messages with attachments.
//!
//! [`expand_level`] opens one container and hands its files over one at a time; [`nested::Nested`] opens
//! containers inside containers under limits on their number, bytes and depth.

mod archive;
pub(crate) mod attachments;
pub(crate) mod frames;
mod mbox;
pub(crate) mod names;
pub(crate) mod nested;

use std::ops::ControlFlow;

pub(crate) use self::mbox::is_mbox;
use adit_core::{ChildFile, ContainerLimit, Expansion, MediaType, ParseError, SourceFile};

use crate::{ParseLimits, detect_media_type, email, outlook};

/// Takes the files of a container one by one.
pub(crate) type Take<'a> = dyn FnMut(ChildFile) -> ControlFlow<()> + 'a;

/// Below this many unpacked bytes no ratio is a bomb.
const RATIO_FREE_BYTES: u64 = 16 << 20;

/// Whether a file that holds others also has words of its own: a message has, an archive has not.
#[must_use]
pub fn has_own_text(file: SourceFile<'_>) -> bool {
    matches!(detect_media_type(file), MediaType::Email | MediaType::Outlook)
}

/// Whether these bytes are an archive of files; Office documents, which are ZIP archives too, are told
/// apart before.
pub(crate) fn is_packed_files(bytes: &[u8]) -> bool {
    const SIGNATURES: [&[u8]; 3] = [b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b"];
    archive::is_tar(bytes) || SIGNATURES.iter().any(|signature| bytes.starts_with(signature))
}

/// Whether files of this type may hold others.
pub(crate) fn is_container(media_type: MediaType) -> bool {
    matches!(media_type, MediaType::Archive | MediaType::Mbox | MediaType::Email | MediaType::Outlook)
}

/// Opens one container and hands the files directly in it to `take`, in the order they are stored.
/// `None` for a file that is no container.
///
/// # Errors
/// [`ParseError::ContainerLimit`] and [`ParseError::Damaged`]; what was handed over before stays good.
pub(crate) fn expand_level(
    file: SourceFile<'_>,
    limits: &ParseLimits,
    take: &mut Take<'_>,
) -> Result<Option<Expansion>, ParseError> {
    let media_type = detect_media_type(file);
    let has_own_text = matches!(media_type, MediaType::Email | MediaType::Outlook);
    let mut names = names::UniqueNames::default();
    let mut children = 0;
    let mut take = |child: ChildFile| {
        children += 1;
        take(ChildFile { path: names.take(&child.path), ..child })
    };
    match media_type {
        MediaType::Archive => archive::expand(file, limits, &mut take)?,
        MediaType::Mbox => mbox::expand(file.bytes, limits, &mut take)?,
        MediaType::Email => email::expand(file.bytes, &mut take)?,
        MediaType::Outlook => outlook::expand(file.bytes, &mut take)?,
        _ => return Ok(None),
    }
    Ok(Some(Expansion { media_type, children, has_own_text }))
}

/// Counts what one container unpacks to.
pub(crate) struct Meter<'a> {
    limits: &'a ParseLimits,
    packed_bytes: u64,
    entries: u64,
    unpacked_bytes: u64,
}

impl<'a> Meter<'a> {
    /// For a container of `packed_bytes`.
    pub(crate) fn new(limits: &'a ParseLimits, packed_bytes: usize) -> Self {
        Self { limits, packed_bytes: (packed_bytes as u64).max(1), entries: 0, unpacked_bytes: 0 }
    }

    /// Counts one more file.
    pub(crate) fn entry(&mut self) -> Result<(), ParseError> {
        self.entries += 1;
        exceeded(self.entries, ContainerLimit::Entries, self.limits.max_container_entries)
    }

    /// Counts unpacked bytes, also those that are thrown away.
    pub(crate) fn bytes(&mut self, count: u64) -> Result<(), ParseError> {
        self.unpacked_bytes = self.unpacked_bytes.saturating_add(count);
        exceeded(self.unpacked_bytes, ContainerLimit::TotalBytes, self.limits.max_container_bytes)?;
        if self.unpacked_bytes > RATIO_FREE_BYTES {
            let ratio = self.unpacked_bytes / self.packed_bytes;
            exceeded(ratio, ContainerLimit::Ratio, self.limits.max_container_ratio)?;
        }
        Ok(())
    }

    /// Bytes that may still come out before a limit is passed.
    pub(crate) fn room_bytes(&self) -> u64 {
        let by_ratio = self.packed_bytes.saturating_mul(self.limits.max_container_ratio.saturating_add(1));
        let most = self.limits.max_container_bytes.min(by_ratio.max(RATIO_FREE_BYTES));
        most.saturating_sub(self.unpacked_bytes)
    }
}

pub(crate) fn exceeded(value: u64, limit: ContainerLimit, most: u64) -> Result<(), ParseError> {
    if value > most { Err(ParseError::ContainerLimit { limit, most }) } else { Ok(()) }
}

pub(crate) fn damaged(media_type: MediaType, detail: impl ToString) -> ParseError {
    ParseError::Damaged { media_type, detail: detail.to_string() }
}
