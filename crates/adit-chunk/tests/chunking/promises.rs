//! Promises of all chunkers, as properties.

use adit_chunk::{
    ChunkSettings, FixedWindowChunker, RecursiveChunker, StructureChunker, WholeDocumentChunker,
};
use adit_core::{Block, BlockKind, Chunk, ChunkError, Chunker, ParsedDocument, TextRange, Tokenizer};
use proptest::prelude::*;

use crate::documents::{Piece, any_document, document};
use crate::tokenizers::{NastyTokenizer, WordTokenizer};

/// Ranges tile the text, both texts are what they claim to be, and nothing exceeds the limit.
pub(crate) fn check(
    document: &ParsedDocument,
    chunks: &[Chunk],
    tokenizer: &dyn Tokenizer,
    limit_tokens: usize,
) {
    let text = &document.text;
    assert_eq!(chunks.is_empty(), text.is_empty());
    let mut covered = 0;
    let mut last_start = None;
    for (index, chunk) in chunks.iter().enumerate() {
        assert_eq!(chunk.index as usize, index);
        assert!(chunk.range.start <= covered, "hole before {:?}", chunk.range);
        assert!(chunk.range.end > covered, "no progress at {:?}", chunk.range);
        assert!(last_start < Some(chunk.range.start), "a chunk begins where the one before it does");
        assert_eq!(Some(chunk.display.as_str()), chunk.range.slice(text));
        assert_eq!(chunk.char_start, text[..chunk.range.start].chars().count());
        assert_eq!(chunk.char_end, text[..chunk.range.end].chars().count());
        assert!(chunk.indexed.ends_with(chunk.display.trim()));
        assert_eq!(chunk.token_count as usize, tokenizer.count_tokens(&chunk.indexed).unwrap());
        assert!(chunk.token_count as usize <= limit_tokens, "{} > {limit_tokens}", chunk.token_count);
        assert!(chunk.page_start <= chunk.page_end);
        if let Some(header) = chunk.repeated_header {
            assert!(header.end <= chunk.range.start);
            assert!(chunk.indexed.contains(header.slice(text).unwrap().trim()));
        }
        covered = chunk.range.end;
        last_start = Some(chunk.range.start);
    }
    assert_eq!(covered, text.len());
}

fn settings(size_tokens: usize, overlap_tokens: usize) -> ChunkSettings {
    ChunkSettings { size_tokens, overlap_tokens }
}

/// The table that byte `offset` lies in, behind its header.
fn table_around(document: &ParsedDocument, offset: usize) -> Option<&Block> {
    document.blocks.iter().find(|block| match &block.kind {
        BlockKind::Table(table) => table.rows[0].range.end < offset && offset < block.range.end,
        _ => false,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn structure_keeps_them_with_words(document in any_document(), limit in 12usize..120, overlap in 0usize..6) {
        let tokenizer = WordTokenizer::with_window(limit);
        let chunks = StructureChunker::new(settings(400, overlap)).chunk(&document, &tokenizer).unwrap();
        check(&document, &chunks, &tokenizer, limit);
    }

    #[test]
    fn structure_keeps_them_with_a_nasty_tokenizer(document in any_document(), size in 16usize..200, overlap in 0usize..8) {
        let tokenizer = NastyTokenizer { window_tokens: 180 };
        let chunks = StructureChunker::new(settings(size, overlap)).chunk(&document, &tokenizer).unwrap();
        check(&document, &chunks, &tokenizer, size.min(180));
    }

    #[test]
    fn fixed_keeps_them(document in any_document(), size in 6usize..120, overlap in 0usize..3) {
        let words = WordTokenizer::with_window(100);
        let chunks = FixedWindowChunker::new(settings(size, overlap)).chunk(&document, &words).unwrap();
        check(&document, &chunks, &words, size.min(100));
        let nasty = NastyTokenizer { window_tokens: 100 };
        let chunks = FixedWindowChunker::new(settings(size, overlap)).chunk(&document, &nasty).unwrap();
        check(&document, &chunks, &nasty, size.min(100));
    }

    #[test]
    fn recursive_keeps_them(document in any_document(), size in 6usize..120, overlap in 0usize..3) {
        let words = WordTokenizer::with_window(100);
        let chunks = RecursiveChunker::new(settings(size, overlap)).chunk(&document, &words).unwrap();
        check(&document, &chunks, &words, size.min(100));
        let nasty = NastyTokenizer { window_tokens: 100 };
        let chunks = RecursiveChunker::new(settings(size, overlap)).chunk(&document, &nasty).unwrap();
        check(&document, &chunks, &nasty, size.min(100));
    }

    #[test]
    fn neighbours_share_prose_only_and_at_most_what_was_asked(document in any_document(), overlap in 0usize..20) {
        let tokenizer = WordTokenizer::with_window(100);
        let chunks = StructureChunker::new(settings(60, overlap)).chunk(&document, &tokenizer).unwrap();
        for pair in chunks.windows(2) {
            let shared = TextRange::new(pair[1].range.start, pair[0].range.end);
            prop_assert!(shared.slice(&document.text).unwrap().split_whitespace().count() <= overlap);
            for block in document.blocks.iter().filter(|block| !shared.is_empty() && block.range.overlaps(shared)) {
                prop_assert!(matches!(block.kind, BlockKind::Paragraph | BlockKind::PageBreak));
            }
        }
    }

    #[test]
    fn a_chunk_that_begins_inside_a_table_repeats_its_header(document in any_document(), limit in 48usize..90) {
        let tokenizer = WordTokenizer::with_window(limit);
        let chunks = StructureChunker::new(settings(400, 8)).chunk(&document, &tokenizer).unwrap();
        for chunk in &chunks {
            let table = table_around(&document, chunk.range.start);
            prop_assert_eq!(chunk.repeated_header.is_some(), table.is_some());
            if let Some(Block { kind: BlockKind::Table(table), .. }) = table {
                // Headers have at most nine words here, so none is cut short.
                prop_assert_eq!(chunk.repeated_header, Some(table.rows[0].range));
            }
        }
    }

    #[test]
    fn a_table_list_or_code_block_that_fits_stays_whole(document in any_document()) {
        let tokenizer = WordTokenizer::with_window(100);
        let chunks = StructureChunker::new(settings(80, 8)).chunk(&document, &tokenizer).unwrap();
        for (index, block) in document.blocks.iter().enumerate() {
            let headings = document.blocks[..index].iter().rev().take_while(|above| above.kind == BlockKind::Heading);
            let lead: usize = headings.map(|heading| heading.range.slice(&document.text).unwrap().split(' ').count()).sum();
            let size = block.range.slice(&document.text).unwrap().split_whitespace().count();
            // A third of the chunk is the most that its context takes, special tokens included.
            let may_be_cut = matches!(block.kind, BlockKind::Paragraph | BlockKind::PageBreak) || lead + size > 80 - 27;
            prop_assert!(may_be_cut || chunks.iter().any(|chunk| chunk.range.contains(block.range)), "{block:?}");
        }
    }

    #[test]
    fn a_heading_stays_with_what_follows(document in any_document()) {
        let tokenizer = WordTokenizer::with_window(100);
        let chunks = StructureChunker::new(settings(80, 8)).chunk(&document, &tokenizer).unwrap();
        for chunk in chunks.iter().filter(|chunk| chunk.range.end < document.text.trim_end().len()) {
            let ends_at = chunk.range.start + chunk.display.trim_end().len();
            let last = document.blocks.iter().rfind(|block| !block.range.is_empty() && block.range.start < ends_at);
            prop_assert!(!matches!(last.map(|block| &block.kind), Some(BlockKind::Heading)), "{:?}", chunk.display);
        }
    }
}

#[test]
fn the_fixed_window_moves_by_size_minus_overlap() {
    let words: Vec<String> = (0..1000).map(|number| format!("w{number}")).collect();
    let document = document(None, &[Piece::Paragraph(words.join(" "))]);
    let chunks = FixedWindowChunker::new(settings(102, 20))
        .chunk(&document, &WordTokenizer::with_window(512))
        .unwrap();
    let starts: Vec<String> =
        chunks.iter().map(|chunk| chunk.display.split_whitespace().next().unwrap().to_owned()).collect();
    let expected: Vec<String> = (0..13).map(|index| format!("w{}", index * 80)).collect();
    assert_eq!(starts, expected);
    assert!(chunks[..12].iter().all(|chunk| chunk.token_count == 102));
}

#[test]
fn awkward_texts_are_cut_by_every_chunker() {
    let giant = "x".repeat(5_000);
    let cjk = "工程师在夜里修复了数据库的错误。".repeat(300);
    for words in [giant.as_str(), cjk.as_str(), "a", "\u{1f469}\u{200d}\u{1f469}\u{200d}\u{1f467}"] {
        let document = document(Some("Awkward"), &[Piece::Paragraph(words.to_owned())]);
        let tokenizer = NastyTokenizer { window_tokens: 64 };
        for chunker in [
            &StructureChunker::new(settings(400, 10)) as &dyn Chunker,
            &FixedWindowChunker::new(settings(400, 10)) as &dyn Chunker,
        ] {
            check(&document, &chunker.chunk(&document, &tokenizer).unwrap(), &tokenizer, 64);
        }
    }
}

#[test]
fn words_outside_all_blocks_are_not_lost() {
    let mut document = document(None, &[Piece::Paragraph("inside".into())]);
    document.text = format!("  before {} after", document.text);
    document.blocks[0].range = TextRange::new(9, 15);
    let tokenizer = WordTokenizer::with_window(16);
    let chunks = StructureChunker::default().chunk(&document, &tokenizer).unwrap();
    check(&document, &chunks, &tokenizer, 16);
}

#[test]
fn without_a_chunker_a_text_fits_or_is_refused() {
    let document = document(Some("Title"), &[Piece::Paragraph("one two three".into())]);
    let chunks = WholeDocumentChunker::new().chunk(&document, &WordTokenizer::with_window(6)).unwrap();
    assert_eq!(chunks[0].indexed, "Title\none two three");
    check(&document, &chunks, &WordTokenizer::with_window(6), 6);
    let chunks = WholeDocumentChunker::new().chunk(&document, &WordTokenizer::with_window(5)).unwrap();
    assert_eq!(chunks[0].indexed, "one two three");
    let refused = WholeDocumentChunker::new().chunk(&document, &WordTokenizer::with_window(4)).unwrap_err();
    assert!(
        matches!(&refused, ChunkError::Settings { detail } if detail.contains("5 tokens") && detail.contains('4'))
    );
}

#[test]
fn a_limit_below_one_character_is_an_error() {
    let document = document(None, &[Piece::Paragraph("数".into())]);
    let refused =
        StructureChunker::new(settings(4, 0)).chunk(&document, &NastyTokenizer { window_tokens: 3 });
    assert!(matches!(refused, Err(ChunkError::NothingFits { byte_offset: 0, limit_tokens: 3 })));
}
