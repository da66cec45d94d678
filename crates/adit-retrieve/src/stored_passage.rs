use adit_catalog::StoredChunk;
use adit_core::{Passage, PassageScores, TextFinding, TextRange};

/// A stored chunk as a passage that no search has ranked, for those who read instead of search.
#[must_use]
pub fn passage_of(stored: StoredChunk) -> Passage {
    let id = stored.passage_id();
    let StoredChunk { chunk_id, source, title, chunk, header_text, warnings, .. } = stored;
    let warnings = warnings.into_iter().map(|finding| in_passage(finding, chunk.range)).collect();
    Passage {
        id,
        chunk: chunk_id,
        source,
        title,
        heading_path: chunk.heading_path,
        page_start: chunk.page_start,
        page_end: chunk.page_end,
        char_start: chunk.char_start,
        char_end: chunk.char_end,
        table_header: header_text,
        text: chunk.display,
        also_in: Vec::new(),
        warnings,
        scores: PassageScores::default(),
        token_count: 0,
    }
}

/// The finding with its range counted from the passage's beginning; one in the header rows has an empty range.
fn in_passage(finding: TextFinding, chunk: TextRange) -> TextFinding {
    let range = if finding.range.overlaps(chunk) {
        let start = finding.range.start.saturating_sub(chunk.start);
        TextRange::new(start, finding.range.end.min(chunk.end).saturating_sub(chunk.start))
    } else {
        TextRange::new(0, 0)
    };
    TextFinding { range, ..finding }
}
