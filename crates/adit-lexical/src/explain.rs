use adit_core::{ChunkId, LexicalHit, ScoredChunk, TermContribution};
use tantivy::DocId;

use crate::group_cursor::GroupCursor;
use crate::query::{PreparedGroup, PreparedQuery};
use crate::segment::Segment;

/// Takes the score of the chunk that is `document` of `segment` (the one at `position`) apart, in the
/// order in which a search sums it; `None` when it has none of the words.
pub(crate) fn explain(
    query: &PreparedQuery,
    segment: &Segment,
    position: usize,
    document: DocId,
    chunk: ChunkId,
) -> std::io::Result<Option<LexicalHit>> {
    let mut terms = Vec::new();
    let mut score = 0.0;
    for group in &query.groups {
        let Some(mut cursor) = query.cursor(group, segment, position)? else { continue };
        let term_frequency = cursor.frequency_in(document);
        if term_frequency == 0 {
            continue;
        }
        let share = GroupCursor::score_in(&mut cursor, document, segment.lengths());
        score += share;
        terms.push(TermContribution {
            term: matched_terms(group, segment, position, document)?,
            term_frequency,
            document_frequency: group.document_frequency,
            inverse_document_frequency: group.inverse_document_frequency,
            score: share,
        });
    }
    Ok((!terms.is_empty()).then_some(LexicalHit { scored: ScoredChunk { chunk, score }, terms }))
}

/// The terms of a group that the document has, joined by `|` when there are several.
fn matched_terms(
    group: &PreparedGroup,
    segment: &Segment,
    position: usize,
    document: DocId,
) -> std::io::Result<String> {
    let mut found = Vec::new();
    for alternative in &group.alternatives {
        let Some(Some(info)) = alternative.infos.get(position) else { continue };
        if segment.postings(group.field, info)?.frequency_in(document).is_some() {
            found.push(alternative.term.as_str());
        }
    }
    Ok(found.join("|"))
}
