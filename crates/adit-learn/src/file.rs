//! The file of a ranker: 8 bytes magic, 4 bytes format version (little-endian), 32 bytes blake3 of the rest,
//! and the ranker as JSON.

use std::io::{Read, Write};
use std::path::Path;

use crate::{LearnError, Ranker};

/// The newest format that is read, and the one that is written.
pub const RANKER_FORMAT_VERSION: u32 = 1;

const MAGIC: &[u8; 8] = b"AditRank";
const HEADER_BYTES: usize = 8 + 4 + 32;
/// Ten thousand trees of 255 leaves would be larger; what training makes is below a megabyte.
const LIMIT_BYTES: u64 = 64 << 20;

impl Ranker {
    /// Writes the ranker to `path`: first beside it, then renamed, so that a crash leaves the old one.
    ///
    /// # Errors
    /// [`LearnError::Io`].
    pub fn store(&self, path: &Path) -> Result<(), LearnError> {
        let payload = serde_json::to_vec(self).map_err(std::io::Error::from)?;
        let mut beside = path.as_os_str().to_owned();
        beside.push(".new");
        let mut file = fs_err::File::create(&beside)?;
        file.write_all(MAGIC)?;
        file.write_all(&RANKER_FORMAT_VERSION.to_le_bytes())?;
        file.write_all(blake3::hash(&payload).as_bytes())?;
        file.write_all(&payload)?;
        file.sync_all()?;
        drop(file);
        fs_err::rename(&beside, path)?;
        Ok(())
    }

    /// Reads a ranker; `None` when there is no such file.
    ///
    /// # Errors
    /// [`LearnError::Format`] for a file that is none or damaged, [`LearnError::NewerFormat`], disk trouble.
    pub fn load(path: &Path) -> Result<Option<Self>, LearnError> {
        let file = match fs_err::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error.into()),
        };
        let mut bytes = Vec::new();
        file.take(LIMIT_BYTES + 1).read_to_end(&mut bytes)?;
        read(&bytes, path).map(Some)
    }
}

fn read(bytes: &[u8], path: &Path) -> Result<Ranker, LearnError> {
    let wrong = |detail: &str| LearnError::Format { path: path.to_path_buf(), detail: detail.to_owned() };
    if bytes.len() as u64 > LIMIT_BYTES {
        return Err(wrong("it is larger than any ranker"));
    }
    let (header, payload) = bytes.split_at_checked(HEADER_BYTES).ok_or_else(|| wrong("it is too short"))?;
    let rest = header.strip_prefix(MAGIC).ok_or_else(|| wrong("it does not begin as one"))?;
    let (version, hash) = rest.split_at_checked(4).ok_or_else(|| wrong("it is too short"))?;
    let found = version.try_into().map_or(0, u32::from_le_bytes);
    if found > RANKER_FORMAT_VERSION {
        let supported = RANKER_FORMAT_VERSION;
        return Err(LearnError::NewerFormat { path: path.to_path_buf(), found, supported });
    }
    if found == 0 {
        return Err(wrong("it has no format version"));
    }
    if blake3::hash(payload).as_bytes() != hash {
        return Err(wrong("it was changed or cut off after it was written"));
    }
    let ranker: Ranker = serde_json::from_slice(payload).map_err(|error| wrong(&error.to_string()))?;
    ranker.problem().map_or(Ok(ranker), |problem| Err(wrong(&problem)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Node, Tree};

    fn ranker() -> Ranker {
        let split = Node::Split { feature: 0, threshold: 0.5, left: 1, right: 2 };
        let tree = Tree { nodes: vec![split, Node::Leaf { value: -1.0 }, Node::Leaf { value: 0.1 + 0.2 }] };
        Ranker::new(&["one"], vec![tree]).described("print", "words")
    }

    #[test]
    fn a_stored_ranker_is_read_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ranker");
        assert_eq!(Ranker::load(&path).unwrap(), None);
        ranker().store(&path).unwrap();
        assert_eq!(Ranker::load(&path).unwrap(), Some(ranker()));
        assert_eq!(ranker().score(&[0.5]), -1.0);
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ranker");
        ranker().store(&path).unwrap();
        let good = fs_err::read(&path).unwrap();
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            assert!(read(&bad, &path).is_err(), "byte {at}");
        }
        for length in 0..good.len() {
            assert!(read(&good[..length], &path).is_err(), "cut to {length}");
        }
    }

    #[test]
    fn a_tree_that_walks_in_a_circle_is_refused() {
        let around = Node::Split { feature: 0, threshold: 0.5, left: 0, right: 0 };
        let ranker = Ranker::new(&["one"], vec![Tree { nodes: vec![around] }]);
        assert!(ranker.problem().is_some());
        assert_eq!(ranker.score(&[0.0]), 0.0);
    }
}
