//! Random and hand-made block trees.

use adit_core::{
    Block, BlockKind, Coverage, MediaType, Metadata, ParsedDocument, Section, Table, TableCell, TableRow,
    TextRange,
};
use proptest::collection::vec;
use proptest::prelude::*;

/// What a document is made of, before it has a text.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Heading(u8, String),
    Paragraph(String),
    List(Vec<String>),
    Table(Vec<Vec<String>>),
    Code(String),
    PageBreak,
}

pub(crate) fn document(title: Option<&str>, pieces: &[Piece]) -> ParsedDocument {
    let mut builder =
        Builder { text: String::new(), sections: Vec::new(), open: Vec::new(), blocks: Vec::new(), page: 1 };
    for piece in pieces {
        builder.add(piece);
    }
    ParsedDocument {
        media_type: MediaType::Markdown,
        title: title.map(str::to_owned),
        text: builder.text,
        sections: builder.sections,
        blocks: builder.blocks,
        metadata: Metadata::new(),
        coverage: Coverage::default(),
    }
}

struct Builder {
    text: String,
    sections: Vec<Section>,
    open: Vec<usize>,
    blocks: Vec<Block>,
    page: u32,
}

impl Builder {
    fn add(&mut self, piece: &Piece) {
        if !self.text.is_empty() {
            self.text.push_str("\n\n");
        }
        let start = self.text.len();
        let kind = match piece {
            Piece::Heading(level, words) => {
                self.open_section(*level, words);
                self.text.push_str(words);
                BlockKind::Heading
            }
            Piece::Paragraph(words) => {
                self.text.push_str(words);
                BlockKind::Paragraph
            }
            Piece::List(items) => {
                BlockKind::List { items: items.iter().map(|item| self.line(item)).collect() }
            }
            Piece::Table(rows) => BlockKind::Table(self.table(rows)),
            Piece::Code(words) => {
                self.text.push_str(words);
                BlockKind::Code { language: None }
            }
            Piece::PageBreak => {
                self.page += 1;
                BlockKind::PageBreak
            }
        };
        self.blocks.push(Block {
            kind,
            range: TextRange::new(start, self.text.len()),
            section: self.open.last().copied(),
            page: Some(self.page),
        });
    }

    fn open_section(&mut self, level: u8, words: &str) {
        while self.open.last().is_some_and(|index| self.sections[*index].level >= level) {
            self.open.pop();
        }
        self.sections.push(Section { heading: words.to_owned(), level, parent: self.open.last().copied() });
        self.open.push(self.sections.len() - 1);
    }

    fn line(&mut self, words: &str) -> TextRange {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push('\n');
        }
        let start = self.text.len();
        self.text.push_str(words);
        TextRange::new(start, self.text.len())
    }

    fn table(&mut self, rows: &[Vec<String>]) -> Table {
        let rows = rows
            .iter()
            .map(|cells| TableRow {
                range: self.line(&cells.join(" | ")),
                cells: cells
                    .iter()
                    .map(|text| TableCell { text: text.clone(), column_span: 1, row_span: 1 })
                    .collect(),
            })
            .collect();
        Table { header_rows: 1, rows, caption: None }
    }
}

fn words(range: std::ops::Range<usize>) -> impl Strategy<Value = String> {
    vec("[a-z]{1,7}", range).prop_map(|words| words.join(" "))
}

fn prose() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => vec(words(1..14).prop_map(|words| format!("S{words}.")), 1..25).prop_map(|sentences| sentences.join(" ")),
        1 => "[a-zé]{1,400}",
        1 => "[\u{4e00}-\u{4eff}。]{1,120}",
        1 => "[\\PC ]{1,80}",
    ]
}

fn piece() -> impl Strategy<Value = Piece> {
    prop_oneof![
        3 => (1u8..5, words(1..4)).prop_map(|(level, words)| Piece::Heading(level, words)),
        5 => prose().prop_map(Piece::Paragraph),
        1 => vec(words(1..30), 1..8).prop_map(Piece::List),
        2 => (1usize..4, 1usize..20).prop_flat_map(|(columns, rows)| vec(vec(words(1..4), columns), rows + 1))
            .prop_map(Piece::Table),
        1 => vec(prop_oneof![words(1..8), Just(String::new())], 1..15)
            .prop_map(|lines| Piece::Code(format!("fn {}", lines.join("\n")))),
        1 => Just(Piece::PageBreak),
    ]
}

/// Random documents, with and without a title, the empty one included.
pub(crate) fn any_document() -> impl Strategy<Value = ParsedDocument> {
    (proptest::option::of(words(1..5)), vec(piece(), 0..14))
        .prop_map(|(title, pieces)| document(title.as_deref(), &pieces))
}
