//! How a format's reader says that a piece of text is hidden, without knowing where in the extracted text
//! it will end: it writes marks around the words, and [`take_marks`] turns them into ranges once the text
//! stands. The marks are noncharacters, which Unicode reserves for such use inside a program (Unicode 16,
//! 23.7); they are taken out of what is read, so that a document cannot bring its own.

use adit_core::{BlockKind, FindingKind, ParsedDocument, TextFinding, TextRange};

use crate::findings::excerpt;

const END: char = '\u{fdd1}';
const KINDS: [(char, FindingKind); 5] = [
    ('\u{fdd2}', FindingKind::NearBackground),
    ('\u{fdd3}', FindingKind::TinyFont),
    ('\u{fdd4}', FindingKind::NotDisplayed),
    ('\u{fdd5}', FindingKind::OffPage),
    ('\u{fdd6}', FindingKind::AlternativeText),
];

fn is_mark(character: char) -> bool {
    matches!(character, '\u{fdd0}'..='\u{fdef}')
}

/// `text` with marks around its words; white space at its ends stays outside.
pub(crate) fn marked(kind: FindingKind, text: &str) -> String {
    let words = text.trim();
    let Some((start, _)) = KINDS.iter().find(|(_, marked)| *marked == kind).filter(|_| !words.is_empty())
    else {
        return text.to_owned();
    };
    let lead = text.get(..text.len() - text.trim_start().len()).unwrap_or_default();
    let trail = text.get(text.trim_end().len()..).unwrap_or_default();
    format!("{lead}{start}{words}{END}{trail}")
}

/// Text from outside, without characters that would be taken for marks.
pub(crate) fn without_marks(text: String) -> String {
    if text.contains(is_mark) { text.replace(is_mark, "") } else { text }
}

/// Takes the marks out of a document, moves every range accordingly and records what was between them.
pub(crate) fn take_marks(document: &mut ParsedDocument) {
    if !document.text.contains(is_mark) {
        return;
    }
    let (text, removed, marked) = strip(&document.text);
    let moved = |range: TextRange| TextRange::new(shift(range.start, &removed), shift(range.end, &removed));
    for block in &mut document.blocks {
        block.range = moved(block.range);
        match &mut block.kind {
            BlockKind::List { items } => items.iter_mut().for_each(|item| *item = moved(*item)),
            BlockKind::Table(table) => {
                for row in &mut table.rows {
                    row.range = moved(row.range);
                    row.cells.iter_mut().for_each(|cell| clean(&mut cell.text));
                }
                table.caption.iter_mut().for_each(clean);
            }
            _ => {}
        }
    }
    document.sections.iter_mut().for_each(|section| clean(&mut section.heading));
    document.title.iter_mut().for_each(clean);
    document.coverage.findings.extend(joined(&text, marked));
    document.coverage.characters_out = text.chars().count() as u64;
    document.text = text;
}

fn clean(text: &mut String) {
    if text.contains(is_mark) {
        *text = text.replace(is_mark, "");
    }
}

type Marked = Vec<(FindingKind, TextRange)>;

/// The text without marks, where marks were (by offset in the old text, with the bytes removed up to
/// there), and what they enclosed.
fn strip(text: &str) -> (String, Vec<(usize, usize)>, Marked) {
    let mut clean = String::with_capacity(text.len());
    let (mut removed, mut marked) = (Vec::new(), Vec::new());
    let mut bytes = 0;
    let mut open: Option<(FindingKind, usize)> = None;
    for (at, character) in text.char_indices() {
        if !is_mark(character) {
            clean.push(character);
            continue;
        }
        bytes += character.len_utf8();
        removed.push((at, bytes));
        if let Some((kind, start)) = open.take() {
            marked.push((kind, TextRange::new(start, clean.len())));
        }
        open = KINDS.iter().find(|(start, _)| *start == character).map(|(_, kind)| (*kind, clean.len()));
    }
    marked.extend(open.map(|(kind, start)| (kind, TextRange::new(start, clean.len()))));
    (clean, removed, marked)
}

fn shift(offset: usize, removed: &[(usize, usize)]) -> usize {
    let before = removed.partition_point(|(at, _)| *at < offset);
    let bytes = before.checked_sub(1).and_then(|index| removed.get(index)).map_or(0, |(_, bytes)| *bytes);
    offset - bytes.min(offset)
}

/// Pieces of one kind with nothing but white space between them are one finding.
fn joined(text: &str, marked: Marked) -> Vec<TextFinding> {
    let mut ranges: Marked = Vec::new();
    for (kind, range) in marked.into_iter().filter(|(_, range)| !range.is_empty()) {
        match ranges.last_mut() {
            Some((last, before)) if *last == kind && is_blank(text, before.end, range.start) => {
                before.end = range.end;
            }
            _ => ranges.push((kind, range)),
        }
    }
    let finding = |(kind, range): (FindingKind, TextRange)| TextFinding {
        kind,
        range,
        excerpt: excerpt(range.slice(text).unwrap_or_default()),
    };
    ranges.into_iter().map(finding).collect()
}

fn is_blank(text: &str, start: usize, end: usize) -> bool {
    text.get(start..end).is_some_and(|between| between.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{DocumentBuilder, plain_cell};
    use adit_core::MediaType;

    #[test]
    fn marks_become_ranges_and_everything_after_them_moves() {
        let mut builder = DocumentBuilder::new();
        builder.heading(1, &format!("Seen {}", marked(FindingKind::TinyFont, " small ")));
        builder.paragraph(&format!("a {} b", marked(FindingKind::NotDisplayed, "hidden words")));
        let cell = plain_cell(&marked(FindingKind::NearBackground, "white"));
        builder.table(vec![vec![plain_cell("x"), cell]], 0, None);
        builder.paragraph("end");
        let document = builder.finish(MediaType::Html);
        assert_eq!(document.text, "Seen small\n\na hidden words b\n\nx | white\n\nend");
        assert_eq!(document.sections[0].heading, "Seen small");
        let found: Vec<_> = document
            .coverage
            .findings
            .iter()
            .map(|finding| (finding.kind, finding.range.slice(&document.text).unwrap()))
            .collect();
        assert_eq!(
            found,
            [
                (FindingKind::TinyFont, "small"),
                (FindingKind::NotDisplayed, "hidden words"),
                (FindingKind::NearBackground, "white")
            ]
        );
        assert_eq!(document.blocks[3].range.slice(&document.text), Some("end"));
        let BlockKind::Table(table) = &document.blocks[2].kind else { panic!("no table") };
        assert_eq!(table.rows[0].range.slice(&document.text), Some("x | white"));
        assert_eq!(table.rows[0].cells[1].text, "white");
    }

    #[test]
    fn neighbouring_pieces_are_one_finding_and_an_open_mark_ends_with_the_text() {
        let mut builder = DocumentBuilder::new();
        builder.paragraph(&marked(FindingKind::OffPage, "one"));
        builder.paragraph(&marked(FindingKind::OffPage, "two"));
        builder.paragraph("\u{fdd4}never closed");
        let document = builder.finish(MediaType::Html);
        let excerpts: Vec<_> = document.coverage.findings.iter().map(|one| one.excerpt.as_str()).collect();
        assert_eq!(excerpts, ["one two", "never closed"]);
    }
}
