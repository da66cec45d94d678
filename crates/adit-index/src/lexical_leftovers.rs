use std::collections::HashSet;
use std::path::Path;

use adit_core::IndexError;
use serde::Deserialize;

use crate::files::{names_in, remove};

/// What we read of tantivy's `meta.json`.
#[derive(Deserialize)]
struct CommittedState {
    segments: Vec<CommittedSegment>,
}

#[derive(Deserialize)]
struct CommittedSegment {
    segment_id: String,
    deletes: Option<Deletions>,
}

#[derive(Deserialize)]
struct Deletions {
    opstamp: u64,
}

/// Removes files of deletions that the last commit does not name.
///
/// tantivy calls them by segment and operation number, and a replay after a kill comes to the same
/// number again, where it refuses to overwrite what is there. Its other files have random names, and it
/// collects them itself.
pub(crate) fn sweep_deletion_files(folder: &Path) -> Result<(), IndexError> {
    let state = fs_err::read(folder.join("meta.json"))
        .ok()
        .and_then(|bytes| serde_json::from_slice::<CommittedState>(&bytes).ok());
    // An unreadable state is found, and mended, by whoever opens the index.
    let Some(state) = state else { return Ok(()) };
    let named: HashSet<String> = state
        .segments
        .into_iter()
        .filter_map(|segment| {
            let opstamp = segment.deletes?.opstamp;
            Some(format!("{}.{opstamp}.del", segment.segment_id.replace('-', "")))
        })
        .collect();
    for name in names_in(folder)?.iter().filter(|name| name.ends_with(".del") && !named.contains(*name)) {
        remove(&folder.join(name))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_uncommitted_deletions_go() {
        let folder = tempfile::tempdir().unwrap();
        let meta = r#"{"segments":[
            {"segment_id":"1de0e332-6aa7-4117-9c65-7503025d542c","max_doc":3,"deletes":{"num_deleted_docs":1,"opstamp":7}},
            {"segment_id":"2de0e332-6aa7-4117-9c65-7503025d542c","max_doc":3,"deletes":null}],"opstamp":9}"#;
        fs_err::write(folder.path().join("meta.json"), meta).unwrap();
        let files = [
            ("1de0e3326aa741179c657503025d542c.7.del", true),
            ("1de0e3326aa741179c657503025d542c.8.del", false),
            ("2de0e3326aa741179c657503025d542c.9.del", false),
            ("2de0e3326aa741179c657503025d542c.term", true),
        ];
        for (name, _) in files {
            fs_err::write(folder.path().join(name), "").unwrap();
        }
        sweep_deletion_files(folder.path()).unwrap();
        for (name, stays) in files {
            assert_eq!(folder.path().join(name).exists(), stays, "{name}");
        }
    }
}
