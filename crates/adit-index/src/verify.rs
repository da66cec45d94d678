use std::path::Path;

use adit_core::IndexError;
use adit_lexical::LexicalIndex;

use crate::files::damaged;
use crate::generation::{Generation, current_file};
use crate::manifest::Manifest;
use crate::segment::Segment;
use crate::statistics::Damage;
use crate::token_segment::OpenTokenSegment;

/// How often everything is read again because a merge replaced files meanwhile.
const ATTEMPTS: usize = 5;

/// Reads every derived file that belongs to the live generation.
///
/// A merge, of this process or another, may replace files while they are read. What was found then is of a state
/// that no longer counts, and the newer one is read.
pub(crate) fn damages(collection: &Path) -> Vec<Damage> {
    let mut attempt = 1;
    loop {
        let before = live(collection);
        let found = damages_of(&before);
        let is_settled = || match (&before, &live(collection)) {
            (Ok((manifest, generation)), Ok((now, current))) => {
                manifest == now && generation.manifest() == current.manifest()
            }
            (Err(_), Err(_)) => true,
            _ => false,
        };
        if found.is_empty() || attempt == ATTEMPTS || is_settled() {
            return found;
        }
        attempt += 1;
    }
}

type Live = Result<(Manifest, Generation), IndexError>;

fn live(collection: &Path) -> Live {
    Generation::current(collection)
        .and_then(|generation| generation.ok_or_else(|| damaged(&current_file(collection), "it is missing")))
        .and_then(|generation| Ok((Manifest::load(&generation.manifest())?, generation)))
}

fn damages_of(live: &Live) -> Vec<Damage> {
    let mut found = Vec::new();
    match live {
        Ok((manifest, generation)) => {
            let folder = generation.lexical(manifest);
            if !folder.is_dir() {
                found.push(Damage { path: folder.display().to_string(), detail: "it is missing".to_owned() });
            } else if let Err(error) = LexicalIndex::verify(&folder) {
                found.push(Damage { path: folder.display().to_string(), detail: error.to_string() });
            }
            let segments = manifest.segments.iter();
            found.extend(
                segments.filter_map(|entry| Segment::open(generation, entry, true).err()).map(damage),
            );
            let token_segments = manifest.token_segments.iter();
            found.extend(
                token_segments
                    .filter_map(|entry| OpenTokenSegment::open(generation, entry, true).err())
                    .map(damage),
            );
        }
        Err(IndexError::Damaged { path, detail }) => {
            found.push(Damage { path: path.clone(), detail: detail.clone() });
        }
        Err(error) => found.push(Damage { path: String::new(), detail: error.to_string() }),
    }
    found
}

fn damage(error: IndexError) -> Damage {
    match error {
        IndexError::Damaged { path, detail } => Damage { path, detail },
        IndexError::Io { path, source } => Damage { path, detail: source.to_string() },
        other => Damage { path: String::new(), detail: other.to_string() },
    }
}
