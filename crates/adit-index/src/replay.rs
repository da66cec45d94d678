use adit_catalog::{CatalogView, Change};
use adit_core::{IndexError, SequenceNumber};
use adit_lexical::LexicalIndex;
use roaring::RoaringBitmap;

use crate::document_table::insert_span;
use crate::engine_errors::lexical_error;

/// Changes read from the log at once.
const CHANGES_AT_ONCE: u64 = 1_000;

/// Applies the log after the lexical index's own sequence number up to `target`, in one commit.
pub(crate) fn replay(
    lexical: &LexicalIndex,
    view: &CatalogView,
    target: SequenceNumber,
) -> Result<(), IndexError> {
    let mut done = lexical.sequence();
    while done < target {
        let up_to = SequenceNumber(done.0.saturating_add(CHANGES_AT_ONCE).min(target.0));
        apply(lexical, view, &view.changes(done, up_to)?)?;
        done = up_to;
    }
    lexical.commit(target).map_err(lexical_error)
}

fn apply(lexical: &LexicalIndex, view: &CatalogView, changes: &[Change]) -> Result<(), IndexError> {
    // A document that was replaced five times in a row needs only its last version.
    let mut dead = RoaringBitmap::new();
    changes.iter().filter_map(|change| change.dead).for_each(|span| insert_span(&mut dead, span));
    for change in changes {
        if let Some(span) = change.dead {
            lexical.delete_chunks(span.first, span.count);
        }
        if let Some(span) = change.born.filter(|span| !dead.contains(span.first.0)) {
            view.for_each_indexed_chunk(span, &mut |chunk, language, indexed| {
                lexical.add(chunk, language, indexed).map_err(lexical_error)
            })?;
        }
    }
    Ok(())
}
