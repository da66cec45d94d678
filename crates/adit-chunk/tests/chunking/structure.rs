//! What the structure chunker does beyond the common promises.

use std::sync::atomic::Ordering;

use adit_chunk::{ChunkSettings, StructureChunker};
use adit_core::{Chunk, Chunker, ParsedDocument};

use crate::documents::{Piece, document};
use crate::promises::check;
use crate::tokenizers::WordTokenizer;

fn cut(document: &ParsedDocument, size_tokens: usize, overlap_tokens: usize) -> Vec<Chunk> {
    let tokenizer = WordTokenizer::with_window(512);
    let chunker = StructureChunker::new(ChunkSettings { size_tokens, overlap_tokens });
    let chunks = chunker.chunk(document, &tokenizer).unwrap();
    check(document, &chunks, &tokenizer, size_tokens);
    chunks
}

fn heading(level: u8, words: &str) -> Piece {
    Piece::Heading(level, words.to_owned())
}

/// `count` sentences of five words, the number among them.
fn sentences(count: usize) -> Piece {
    Piece::Paragraph(
        (0..count)
            .map(|number| format!("Sentence number {number} stands here."))
            .collect::<Vec<_>>()
            .join(" "),
    )
}

fn numbered_rows(count: usize) -> Piece {
    let mut rows = vec![vec!["Zone".to_owned(), "Rate per kg".to_owned()]];
    rows.extend((0..count).map(|number| vec![format!("Z-{number}"), format!("{number} EUR")]));
    Piece::Table(rows)
}

#[test]
fn overlap_is_whole_sentences_as_near_as_they_allow() {
    let chunks = cut(&document(None, &[sentences(40)]), 52, 12);
    assert!(chunks.len() > 3);
    for pair in chunks.windows(2) {
        let shared = &pair[0].display[pair[1].range.start - pair[0].range.start..];
        assert_eq!(shared.split_whitespace().count(), 10, "two sentences of five words in 12 tokens");
        assert!(shared.starts_with("Sentence"));
    }
}

#[test]
fn no_overlap_across_sections() {
    let chunks =
        cut(&document(None, &[heading(1, "A"), sentences(8), heading(1, "B"), sentences(8)]), 52, 12);
    assert_eq!(chunks.len(), 2);
    assert_eq!(chunks[0].range.end, chunks[1].range.start);
    assert_eq!(chunks[1].heading_path, ["B"]);
}

#[test]
fn the_title_stands_outermost_once() {
    let pieces = [heading(1, "Travel Policy"), sentences(12), heading(2, "Meals"), sentences(12)];
    let chunks = cut(&document(Some("travel policy"), &pieces), 80, 0);
    assert_eq!(chunks[1].heading_path, ["Travel Policy", "Meals"]);
    assert!(chunks[1].indexed.starts_with("Travel Policy > Meals\nMeals\n"));
    let chunks = cut(&document(Some("Handbook"), &pieces), 80, 0);
    assert_eq!(chunks[1].heading_path, ["Handbook", "Travel Policy", "Meals"]);
}

#[test]
fn a_long_path_loses_its_outermost_headings_in_indexed_only() {
    let outer = "one two three four five six seven eight";
    let chunks = cut(&document(None, &[heading(1, outer), heading(2, "inner words"), sentences(2)]), 30, 0);
    assert_eq!(chunks[0].heading_path, [outer, "inner words"]);
    let chunks = cut(&document(None, &[heading(1, outer), heading(2, "inner words"), sentences(20)]), 24, 0);
    assert!(chunks[2].indexed.starts_with("inner words\nSentence"));
}

#[test]
fn a_table_that_fits_stays_whole_and_one_that_does_not_repeats_its_header() {
    let chunks = cut(&document(None, &[sentences(6), numbered_rows(6), sentences(6)]), 52, 10);
    let whole = chunks.iter().filter(|chunk| chunk.display.contains("Z-0")).collect::<Vec<_>>();
    assert!(whole.len() == 1 && whole[0].display.contains("Z-5 | 5 EUR"));
    assert!(chunks.iter().all(|chunk| chunk.repeated_header.is_none()));

    let long = document(Some("Rates"), &[heading(1, "Shipping"), numbered_rows(1000)]);
    let chunks = cut(&long, 100, 10);
    assert!(chunks.len() > 40);
    for chunk in &chunks[1..] {
        assert_eq!(chunk.repeated_header.unwrap().slice(&long.text), Some("Zone | Rate per kg"));
        assert!(chunk.indexed.starts_with("Rates > Shipping\nZone | Rate per kg\nZ-"));
        assert!(chunk.display.starts_with("Z-"), "cut between rows");
    }
}

#[test]
fn a_row_beyond_the_limit_is_cut_inside_its_cells() {
    let long_cell = (0..200).map(|number| format!("w{number}")).collect::<Vec<_>>().join(" ");
    let rows = vec![
        vec!["Code".to_owned(), "Meaning".to_owned()],
        vec!["E-1".to_owned(), "short".to_owned()],
        vec!["E-2".to_owned(), long_cell],
        vec!["E-3".to_owned(), "last".to_owned()],
    ];
    let chunks = cut(&document(None, &[Piece::Table(rows)]), 60, 0);
    assert!(chunks.len() >= 4);
    assert!(chunks[1..].iter().all(|chunk| chunk.indexed.starts_with("Code | Meaning\n")));
}

#[test]
fn code_is_cut_at_blank_lines() {
    let function = |name: usize| format!("fn f{name}() {{\n    one two three\n    four five six\n}}\n");
    let code = (0..8).map(function).collect::<Vec<_>>().join("\n");
    let chunks = cut(&document(None, &[Piece::Code(code)]), 30, 10);
    assert!(chunks.len() > 2);
    assert!(
        chunks
            .iter()
            .all(|chunk| chunk.display.starts_with("fn ") && chunk.display.trim_end().ends_with('}'))
    );
}

#[test]
fn tiny_siblings_share_a_chunk_under_their_parent() {
    let entry = |name: &str| [heading(2, name), Piece::Paragraph(format!("{name} means something."))];
    let mut pieces = vec![heading(1, "Glossary"), sentences(12)];
    pieces.extend(["SLA", "RPO", "RTO"].into_iter().flat_map(entry));
    pieces.extend([heading(2, "Long"), sentences(12)]);
    let chunks = cut(&document(None, &pieces), 80, 0);
    assert_eq!(chunks.len(), 3);
    assert_eq!(chunks[1].heading_path, ["Glossary"]);
    assert!(["SLA", "RPO", "RTO"].iter().all(|name| chunks[1].indexed.contains(name)));
    assert_eq!(chunks[2].heading_path, ["Glossary", "Long"]);
}

#[test]
fn pages_come_from_the_blocks() {
    let pieces = [sentences(8), Piece::PageBreak, sentences(8), Piece::PageBreak, sentences(8)];
    let chunks = cut(&document(None, &pieces), 52, 0);
    let pages: Vec<_> =
        chunks.iter().map(|chunk| (chunk.page_start.unwrap(), chunk.page_end.unwrap())).collect();
    assert_eq!(pages, [(1, 1), (2, 2), (3, 3)]);
}

#[test]
fn a_long_document_is_tokenised_about_twice() {
    let pieces: Vec<Piece> =
        (0..400).flat_map(|number| [heading(2, &format!("Section {number}")), sentences(80)]).collect();
    let document = document(Some("Long"), &pieces);
    assert!(document.text.len() > 1_000_000);
    let tokenizer = WordTokenizer::with_window(256);
    let chunks = StructureChunker::default().chunk(&document, &tokenizer).unwrap();
    let read = tokenizer.bytes_read.load(Ordering::Relaxed);
    let indexed: usize = chunks.iter().map(|chunk| chunk.indexed.len()).sum();
    assert!(read <= document.text.len() + indexed + indexed / 20, "{read} bytes for {}", document.text.len());
}
