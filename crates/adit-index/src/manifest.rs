use std::path::Path;

use adit_core::{Fingerprint, IndexError, SequenceNumber};
use adit_token_vector::TokenSegmentInfo;
use adit_vector::SegmentInfo;
use serde::{Deserialize, Serialize};

use crate::files::{damaged, io_error, write_atomically};

/// Newest form of the derived files that this program reads and the one it writes.
pub const FORMAT_VERSION: u32 = 1;

const MAGIC: &str = "adit-manifest";
/// No manifest is near this size: a segment takes about a kilobyte.
const LONGEST_MANIFEST_BYTES: u64 = 64 << 20;

/// What belongs to a generation. Whatever it does not name is left over and may be removed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    /// What vectors and terms were made with.
    pub(crate) fingerprint: Fingerprint,
    /// Random name of the catalog this is derived from: another catalog has other chunks under the
    /// same numbers.
    pub(crate) catalog: String,
    /// When the manifest was written, the segments held every vector up to here but those of the tail.
    pub(crate) sequence: SequenceNumber,
    /// Folder of the lexical index inside the generation.
    pub(crate) lexical: String,
    /// Vector segments.
    pub(crate) segments: Vec<SegmentEntry>,
    /// Number the next segment gets.
    pub(crate) next_segment: u64,
    /// Segments of token codes, beside the vectors' and with numbers from the same counter. Older manifests
    /// have none: the codes are then taken from the catalog.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) token_segments: Vec<TokenSegmentEntry>,
    /// Candidates the graphs must keep to reach the recall target; `None` until measured.
    pub(crate) tuned_ef: Option<usize>,
}

/// One segment and its files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SegmentEntry {
    /// Name its files begin with.
    pub(crate) name: String,
    /// Files with sizes and checksums, as `adit-vector` wrote them.
    pub(crate) info: SegmentInfo,
}

/// One segment of token codes and its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TokenSegmentEntry {
    /// Name its file begins with.
    pub(crate) name: String,
    /// The file with its size and checksum, as `adit-token-vector` wrote it.
    pub(crate) info: TokenSegmentInfo,
}

impl Manifest {
    /// Writes the manifest so that a reader finds the old one or this one, whole.
    pub(crate) fn store(&self, path: &Path) -> Result<(), IndexError> {
        let body = serde_json::to_string_pretty(self).map_err(|error| IndexError::Io {
            path: path.display().to_string(),
            source: std::io::Error::other(error),
        })?;
        let text = format!("{MAGIC} {FORMAT_VERSION} {}\n{body}\n", checksum(FORMAT_VERSION, &body));
        write_atomically(path, text.as_bytes())
    }

    pub(crate) fn load(path: &Path) -> Result<Self, IndexError> {
        let size = fs_err::metadata(path).map_err(|error| missing_or_io(path, error))?.len();
        if size > LONGEST_MANIFEST_BYTES {
            return Err(damaged(path, format!("{size} bytes are more than a manifest has")));
        }
        let bytes = fs_err::read(path).map_err(|error| missing_or_io(path, error))?;
        let text = std::str::from_utf8(&bytes).map_err(|error| damaged(path, error.to_string()))?;
        let (header, body) = text.split_once('\n').ok_or_else(|| damaged(path, "it has no header"))?;
        let mut words = header.split(' ');
        if words.next() != Some(MAGIC) {
            return Err(damaged(path, "it does not begin like a manifest"));
        }
        let found: u32 = words
            .next()
            .and_then(|version| version.parse().ok())
            .ok_or_else(|| damaged(path, "it has no format version"))?;
        // The rest of a newer format may look different, so the version is judged first.
        if found > FORMAT_VERSION {
            return Err(IndexError::NewerFormat {
                path: path.display().to_string(),
                found,
                supported: FORMAT_VERSION,
            });
        }
        let body = body.strip_suffix('\n').unwrap_or(body);
        if words.next() != Some(checksum(found, body).as_str()) {
            return Err(damaged(path, "its checksum does not fit"));
        }
        serde_json::from_str(body).map_err(|error| damaged(path, error.to_string()))
    }
}

/// A missing derived file is damage, which a rebuild mends; other trouble is the disk's.
pub(crate) fn missing_or_io(path: &Path, error: std::io::Error) -> IndexError {
    if error.kind() == std::io::ErrorKind::NotFound {
        damaged(path, "it is missing")
    } else {
        io_error(path, error)
    }
}

fn checksum(version: u32, body: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&version.to_le_bytes());
    hasher.update(body.as_bytes());
    hasher.finalize().to_hex().to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::EmbedderDescription;

    fn manifest() -> Manifest {
        Manifest {
            fingerprint: Fingerprint {
                embedder: EmbedderDescription {
                    model: "m".into(),
                    revision: "r".into(),
                    dimension: 4,
                    precision: "f32".into(),
                    pooling: "mean".into(),
                    max_input_tokens: 8,
                    query_template: "{text}".into(),
                    document_template: "{text}".into(),
                },
                chunker: "c".into(),
                enrichment: "e".into(),
                analyser: "a".into(),
            },
            catalog: "0011".into(),
            sequence: SequenceNumber(7),
            lexical: "lexical".into(),
            segments: Vec::new(),
            next_segment: 3,
            token_segments: Vec::new(),
            tuned_ef: Some(80),
        }
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.json");
        manifest().store(&path).unwrap();
        assert_eq!(Manifest::load(&path).unwrap(), manifest());
        let good = fs_err::read(&path).unwrap();
        for position in 0..good.len() - 1 {
            let mut bad = good.clone();
            bad[position] ^= 1;
            fs_err::write(&path, &bad).unwrap();
            assert!(Manifest::load(&path).is_err(), "byte {position}");
            fs_err::write(&path, &good[..position]).unwrap();
            assert!(Manifest::load(&path).is_err(), "cut at {position}");
        }
    }

    #[test]
    fn a_newer_format_is_refused_by_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("manifest.json");
        fs_err::write(&path, "adit-manifest 2 something else\nentirely").unwrap();
        match Manifest::load(&path) {
            Err(IndexError::NewerFormat { found: 2, supported: 1, .. }) => {}
            other => panic!("{other:?}"),
        }
    }
}
