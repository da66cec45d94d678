use adit_core::{TableRow, TextRange};
use unicode_segmentation::UnicodeSegmentation;

use crate::token_map::TokenMap;

/// Sentences of `range` by UAX 29, tiling it. A line end inside a sentence (text wrapped by hand) is no
/// sentence end, although UAX 29 takes it for one.
pub(crate) fn sentences(text: &str, range: TextRange) -> Vec<TextRange> {
    let mut sentences: Vec<TextRange> = Vec::new();
    let mut is_open = false;
    for (offset, words) in range.slice(text).unwrap_or_default().split_sentence_bound_indices() {
        let start = range.start + offset;
        let end = start + words.len();
        let is_blank = words.trim().is_empty();
        match sentences.last_mut() {
            // A blank line closes what stands before it and belongs to it.
            Some(last) if is_open || is_blank => {
                last.end = end;
                is_open = !is_blank && ends_inside_sentence(words);
            }
            _ => {
                sentences.push(TextRange::new(start, end));
                is_open = is_blank || ends_inside_sentence(words);
            }
        }
    }
    sentences
}

fn ends_inside_sentence(words: &str) -> bool {
    words.ends_with(['\n', '\r'])
        && words.trim_end().chars().next_back().is_some_and(|last| {
            last.is_alphanumeric() || matches!(last, ',' | ';' | '-' | '\u{2013}' | '\u{2014}' | '(' | '/')
        })
}

/// Pieces of at most `most_tokens` tokens, tiling `range`: cut between words by UAX 29, inside a word
/// between its tokens.
pub(crate) fn words(text: &str, range: TextRange, tokens: &TokenMap, most_tokens: usize) -> Vec<TextRange> {
    let most_tokens = most_tokens.max(1);
    let mut pieces = Vec::new();
    let mut piece = TextRange::new(range.start, range.start);
    for (offset, word) in range.slice(text).unwrap_or_default().split_word_bound_indices() {
        let word = TextRange::new(range.start + offset, range.start + offset + word.len());
        let grown = TextRange::new(piece.start, word.end);
        if tokens.count(grown) <= most_tokens {
            piece = grown;
            continue;
        }
        if !piece.is_empty() {
            pieces.push(piece);
        }
        piece = word;
        while let Some(cut) = tokens.cut_after(piece.start, most_tokens).filter(|cut| *cut < piece.end) {
            pieces.push(TextRange::new(piece.start, cut));
            piece.start = cut;
        }
    }
    if !piece.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// Turns rising starts into ranges that tile `range`; starts outside it or out of order are ignored.
pub(crate) fn tile_at(range: TextRange, starts: impl Iterator<Item = usize>) -> Vec<TextRange> {
    let mut tiles = Vec::new();
    let mut open = range.start;
    for start in starts.filter(|start| *start < range.end) {
        if start > open {
            tiles.push(TextRange::new(open, start));
            open = start;
        }
    }
    tiles.push(TextRange::new(open, range.end));
    tiles
}

/// Cells of one row, tiling `range`; each separator belongs to the cell before it.
pub(crate) fn cells(text: &str, range: TextRange, row: &TableRow) -> Vec<TextRange> {
    let mut cursor = range.start;
    let mut starts = Vec::with_capacity(row.cells.len());
    for cell in row.cells.iter().filter(|cell| !cell.text.is_empty()) {
        let found = TextRange::new(cursor, range.end).slice(text).and_then(|rest| rest.find(&cell.text));
        if let Some(offset) = found {
            starts.push(cursor + offset);
            cursor += offset + cell.text.len();
        }
    }
    // What stands before the first cell is not a piece of its own.
    tile_at(range, starts.into_iter().skip(1))
}

/// Lines of code with whether a blank line stands before each, tiling `range`.
pub(crate) fn code_lines(text: &str, range: TextRange) -> Vec<(TextRange, bool)> {
    let mut lines: Vec<(TextRange, bool)> = Vec::new();
    let mut start = range.start;
    let mut after_blank = false;
    for line in range.slice(text).unwrap_or_default().split_inclusive('\n') {
        let end = start + line.len();
        if line.trim().is_empty() && !lines.is_empty() {
            if let Some((last, _)) = lines.last_mut() {
                last.end = end;
            }
            after_blank = true;
        } else {
            lines.push((TextRange::new(start, end), after_blank));
            after_blank = false;
        }
        start = end;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(text: &str) -> TextRange {
        TextRange::new(0, text.len())
    }

    #[test]
    fn wrapped_lines_stay_in_their_sentence() {
        let text = "The first sentence is wrapped\nby hand. The second,\nas well! A third\n\nNew start.";
        let found: Vec<&str> =
            sentences(text, whole(text)).into_iter().map(|range| range.slice(text).unwrap()).collect();
        assert_eq!(
            found,
            [
                "The first sentence is wrapped\nby hand. ",
                "The second,\nas well! ",
                "A third\n\n",
                "New start."
            ]
        );
    }

    #[test]
    fn code_is_cut_at_lines_and_knows_blank_ones() {
        let text = "a\nb\n\n\nc";
        let found: Vec<(&str, bool)> = code_lines(text, whole(text))
            .into_iter()
            .map(|(line, blank)| (line.slice(text).unwrap(), blank))
            .collect();
        assert_eq!(found, [("a\n", false), ("b\n\n\n", false), ("c", true)]);
    }
}
