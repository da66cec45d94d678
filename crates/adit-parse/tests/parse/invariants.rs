use adit_core::{BlockKind, ParsedDocument, Parser, SourceFile, TextRange};
use adit_parse::DocumentParser;
use proptest::prelude::*;

/// Checks what every parsed document must keep.
pub(crate) fn check(document: &ParsedDocument) {
    let text = &document.text;
    let mut end = 0;
    for block in &document.blocks {
        assert!(block.range.start >= end, "blocks overlap or are out of order");
        assert!(text.get(end..block.range.start).unwrap().trim().is_empty(), "words between blocks");
        let words = block.range.slice(text).unwrap();
        assert!(!words.trim().is_empty());
        match &block.kind {
            BlockKind::List { items } => check_parts(text, block.range, items),
            BlockKind::Table(table) => {
                let rows: Vec<TextRange> = table.rows.iter().map(|row| row.range).collect();
                check_parts(text, block.range, &rows);
                assert!(table.header_rows <= table.rows.len());
                for row in &table.rows {
                    let cells: Vec<&str> = row.cells.iter().map(|cell| cell.text.as_str()).collect();
                    assert_eq!(row.range.slice(text), Some(cells.join(" | ").as_str()));
                }
            }
            _ => {}
        }
        assert!(block.section.is_none_or(|section| section < document.sections.len()));
        end = block.range.end;
    }
    assert!(text.get(end..).unwrap().trim().is_empty(), "words after the last block");
    for (index, section) in document.sections.iter().enumerate() {
        assert!(section.parent.is_none_or(|parent| parent < index));
    }
    assert_eq!(document.coverage.characters_out, text.chars().count() as u64);
}

fn check_parts(text: &str, whole: TextRange, parts: &[TextRange]) {
    let mut end = whole.start;
    for part in parts {
        assert!(whole.contains(*part) && part.start >= end && part.slice(text).is_some());
        assert!(text.get(end..part.start).unwrap().trim().is_empty(), "words between items");
        end = part.end;
    }
    assert!(parts.is_empty() || text.get(end..whole.end).unwrap().trim().is_empty());
}

pub(crate) fn parse_and_check(name: &str, bytes: &[u8]) {
    if let Ok(document) = DocumentParser::default().parse(SourceFile { name, bytes }) {
        check(&document);
    }
}

const NAMES: [&str; 7] = ["a.md", "a.html", "a.txt", "a.csv", "a.tsv", "a.rs", "noname"];

/// Text that is dense in the marks parsers react to.
fn marked_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-zäß0-9 ]{0,8}",
        prop::sample::select(vec![
            "\n",
            "\n\n",
            "# ",
            "## ",
            "- ",
            "1. ",
            "> ",
            "    ",
            "```\n",
            "| a | b |\n|---|---|\n| c |",
            "***",
            "_",
            "[x](y)",
            "[^1]",
            "[^1]: ",
            "<div>",
            "</div>",
            "<table><tr><td>",
            "<th colspan=9>",
            "</table>",
            "<ul>",
            "<li>",
            "</ul>",
            "<pre>",
            "</pre>",
            "<blockquote>",
            "</blockquote>",
            "<h2>",
            "</h2>",
            "<br>",
            "<!--",
            "-->",
            "---\n",
            "===\n",
            "&shy;",
            "\u{c}",
            "\t",
            "\r\n",
            ",",
            ";",
            "\"",
            "fn x() {\n",
            "}\n",
            "漢字",
            "\u{301}",
            "<caption>",
            "<thead>",
            "<nav>",
            "- [ ] ",
            "\\",
            "`",
            "<T>",
            "\u{0}",
            "\u{a0}",
            "\u{2028}",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_keeps_the_invariants(text in marked_text(), name in prop::sample::select(&NAMES[..])) {
        parse_and_check(name, text.as_bytes());
    }

    #[test]
    fn any_bytes_keep_the_invariants(bytes in prop::collection::vec(any::<u8>(), 0..300), name in prop::sample::select(&NAMES[..])) {
        parse_and_check(name, &bytes);
    }

    #[test]
    fn any_bytes_after_a_pdf_header_are_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        parse_and_check("a.pdf", &[b"%PDF-1.5\n", &bytes[..]].concat());
    }

    #[test]
    fn a_bitten_pdf_is_no_panic(position in 0usize..700, byte: u8) {
        let mut file = super::pdf_bytes::pdf_with_pages(&[&["some words"]]);
        if let Some(at) = file.get_mut(position) { *at = byte; }
        parse_and_check("a.pdf", &file);
    }

    #[test]
    fn plain_words_come_out_once_in_order(words in prop::collection::vec("[a-z]{1,8}", 1..30)) {
        let bytes = words.join(" \n");
        for name in ["a.md", "a.html", "a.txt"] {
            let bytes = if name == "a.html" { format!("<html><p>{bytes}") } else { bytes.clone() };
            let document = DocumentParser::default().parse(SourceFile { name, bytes: bytes.as_bytes() }).unwrap();
            prop_assert_eq!(document.text.split_whitespace().collect::<Vec<_>>(), words.iter().map(String::as_str).collect::<Vec<_>>());
        }
    }
}
