use std::path::Path;

use adit_core::IndexError;
use adit_lexical::LexicalIndex;

use crate::files::damaged;
use crate::generation::{Generation, current_file};
use crate::manifest::Manifest;
use crate::segment::Segment;
use crate::statistics::Damage;
use crate::token_segment::OpenTokenSegment;

/// Reads every derived file that belongs to the live generation.
pub(crate) fn damages(collection: &Path) -> Vec<Damage> {
    let mut found = Vec::new();
    let live = Generation::current(collection)
        .and_then(|generation| generation.ok_or_else(|| damaged(&current_file(collection), "it is missing")))
        .and_then(|generation| Ok((Manifest::load(&generation.manifest())?, generation)));
    match live {
        Ok((manifest, generation)) => {
            let folder = generation.lexical(&manifest);
            if !folder.is_dir() {
                found.push(Damage { path: folder.display().to_string(), detail: "it is missing".to_owned() });
            } else if let Err(error) = LexicalIndex::verify(&folder) {
                found.push(Damage { path: folder.display().to_string(), detail: error.to_string() });
            }
            let segments = manifest.segments.iter();
            found.extend(
                segments.filter_map(|entry| Segment::open(&generation, entry, true).err()).map(damage),
            );
            let token_segments = manifest.token_segments.iter();
            found.extend(
                token_segments
                    .filter_map(|entry| OpenTokenSegment::open(&generation, entry, true).err())
                    .map(damage),
            );
        }
        Err(error) => found.push(damage(error)),
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
