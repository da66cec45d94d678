use adit_core::{ParseError, ParsedDocument, Parser, SourceFile};
use adit_parse::DocumentParser;

use crate::pdf_bytes::pdf_with_pages;

fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    DocumentParser::default().parse(SourceFile { name: "a.pdf", bytes })
}

#[test]
fn one_page_gives_its_words() {
    let document = parse(&pdf_with_pages(&[&["The fee is 12 EUR", "and falls due in May."]])).unwrap();
    let words: Vec<_> = document.text.split_whitespace().collect();
    assert_eq!(words.join(" "), "The fee is 12 EUR and falls due in May.");
    assert_eq!(document.coverage.pages_in, 1);
    assert!(document.blocks.iter().all(|block| block.page == Some(1)));
}

#[test]
fn an_empty_page_is_listed() {
    let document = parse(&pdf_with_pages(&[&["first page words"], &[], &["third page words"]])).unwrap();
    assert_eq!(document.coverage.pages_without_text, [2]);
    assert_eq!(document.blocks.last().unwrap().page, Some(3));
}

#[test]
fn pages_without_any_text_are_an_error() {
    assert_eq!(parse(&pdf_with_pages(&[&[], &[]])), Err(ParseError::NoText { pages: 2 }));
}

#[test]
fn half_a_file_is_damaged_or_read_but_never_empty() {
    let whole = pdf_with_pages(&[&["some words on a page"]]);
    for length in (9..whole.len()).step_by(37) {
        match parse(&whole[..length]) {
            Ok(document) => assert!(!document.text.trim().is_empty()),
            Err(error) => {
                assert!(!matches!(error, ParseError::Crashed { .. } | ParseError::Unsupported { .. }));
            }
        }
    }
}
