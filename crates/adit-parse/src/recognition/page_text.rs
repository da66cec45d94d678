use adit_core::{Block, BlockKind, ParsedDocument, TextRange};

const GAP: &str = "\n\n";

/// The paragraphs of a recognised page: blank lines part them; lines without a letter or digit, which are
/// rules and specks, go.
pub(crate) fn paragraphs(text: &str) -> Vec<String> {
    let mut paragraphs = Vec::new();
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines().chain([""]) {
        let line = line.trim_matches(|one: char| one.is_whitespace() || one == '\u{c}');
        if !line.is_empty() {
            lines.push(line);
            continue;
        }
        let paragraph = lines.join("\n");
        lines.clear();
        if paragraph.chars().any(char::is_alphanumeric) {
            paragraphs.push(paragraph);
        }
    }
    paragraphs
}

/// Puts the paragraphs of `page` where that page belongs, and moves what comes after.
pub(crate) fn insert(page: u32, paragraphs: &[String], document: &mut ParsedDocument) {
    let place = document
        .blocks
        .iter()
        .position(|block| block.page.is_some_and(|other| other > page))
        .unwrap_or(document.blocks.len());
    let next_start = document.blocks.get(place).map(|block| block.range.start);
    let before = place.checked_sub(1).and_then(|index| document.blocks.get(index));
    let section = before.and_then(|block| block.section);
    let (at, mut added) = match (before, next_start) {
        // After the last block in front; what stood between stays in front of the next one.
        (Some(before), _) => (before.range.end, GAP.to_owned()),
        (None, _) => (0, String::new()),
    };
    let mut blocks = Vec::with_capacity(paragraphs.len());
    for (index, paragraph) in paragraphs.iter().enumerate() {
        if index > 0 {
            added.push_str(GAP);
        }
        let start = at + added.len();
        added.push_str(paragraph);
        let range = TextRange::new(start, at + added.len());
        blocks.push(Block { kind: BlockKind::Paragraph, range, section, page: Some(page) });
    }
    if before.is_none() && next_start.is_some() {
        added.push_str(GAP);
    }
    let moved = |range: TextRange| TextRange::new(range.start + added.len(), range.end + added.len());
    for block in document.blocks.iter_mut().skip(place) {
        block.range = moved(block.range);
        match &mut block.kind {
            BlockKind::List { items } => items.iter_mut().for_each(|item| *item = moved(*item)),
            BlockKind::Table(table) => table.rows.iter_mut().for_each(|row| row.range = moved(row.range)),
            _ => {}
        }
    }
    for finding in document.coverage.findings.iter_mut().filter(|finding| finding.range.start >= at) {
        finding.range = moved(finding.range);
    }
    document.blocks.splice(place..place, blocks);
    document.text.insert_str(at, &added);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::builder::{DocumentBuilder, plain_cell};
    use adit_core::MediaType;

    fn document(pages: &[u32]) -> ParsedDocument {
        let mut builder = DocumentBuilder::new();
        for page in pages {
            builder.set_page(*page);
            builder.paragraph(&format!("page {page}"));
            builder.table(vec![vec![plain_cell("a"), plain_cell("b")]], 0, None);
        }
        builder.finish(MediaType::Pdf)
    }

    #[test]
    fn a_page_goes_where_it_belongs() {
        for (pages, page, expected) in [
            (&[1, 3][..], 2, "page 1\n\na | b\n\none\n\ntwo\n\npage 3\n\na | b"),
            (&[2], 1, "one\n\ntwo\n\npage 2\n\na | b"),
            (&[1], 2, "page 1\n\na | b\n\none\n\ntwo"),
            (&[], 1, "one\n\ntwo"),
        ] {
            let mut document = document(pages);
            insert(page, &["one".to_owned(), "two".to_owned()], &mut document);
            assert_eq!(document.text, expected);
            let mut end = 0;
            for block in &document.blocks {
                assert!(block.range.start >= end && block.range.slice(&document.text).is_some());
                end = block.range.end;
                if let BlockKind::Table(table) = &block.kind {
                    assert_eq!(table.rows[0].range.slice(&document.text), Some("a | b"));
                }
            }
            assert_eq!(document.blocks.iter().filter(|block| block.page == Some(page)).count(), 2);
        }
    }

    #[test]
    fn specks_are_no_paragraph() {
        assert_eq!(paragraphs("one\ntwo\n\n- ~ |\n\n three \n\u{c}"), ["one\ntwo", "three"]);
    }
}
