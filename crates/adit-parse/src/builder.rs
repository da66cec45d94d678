use adit_core::{
    Block, BlockKind, Coverage, MediaType, Metadata, ParsedDocument, Section, Table, TableCell, TableRow,
    TextRange,
};

use crate::hidden_marks::take_marks;

/// Writes the extracted text and the blocks over it, so that the two cannot disagree: blocks come in
/// order, never overlap and have only white space between them.
pub(crate) struct DocumentBuilder {
    text: String,
    gap: String,
    sections: Vec<Section>,
    blocks: Vec<Block>,
    section: Option<usize>,
    page: Option<u32>,
    title: Option<String>,
    metadata: Metadata,
    coverage: Coverage,
}

const PARAGRAPH_GAP: &str = "\n\n";

impl DocumentBuilder {
    pub(crate) fn new() -> Self {
        Self {
            text: String::new(),
            gap: String::new(),
            sections: Vec::new(),
            blocks: Vec::new(),
            section: None,
            page: None,
            title: None,
            metadata: Metadata::new(),
            coverage: Coverage::default(),
        }
    }

    /// All following blocks start on `page`, from 1.
    pub(crate) fn set_page(&mut self, page: u32) {
        self.page = Some(page);
    }

    pub(crate) fn set_title(&mut self, title: &str) {
        let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
        if !title.is_empty() {
            self.title = Some(title);
        }
    }

    pub(crate) fn has_title(&self) -> bool {
        self.title.is_some()
    }

    pub(crate) fn metadata(&mut self) -> &mut Metadata {
        &mut self.metadata
    }

    pub(crate) fn coverage(&mut self) -> &mut Coverage {
        &mut self.coverage
    }

    pub(crate) fn warn(&mut self, sentence: String) {
        self.coverage.warnings.push(sentence);
    }

    /// White space that replaces the blank line before the next block, for formats that keep their
    /// lines as they are. Anything else in `gap` is left out.
    pub(crate) fn set_gap(&mut self, gap: &str) {
        self.gap = gap.chars().filter(|character| character.is_whitespace()).collect();
    }

    /// Opens a section and writes its heading. Line breaks inside become spaces.
    pub(crate) fn heading(&mut self, level: u8, words: &str) {
        let heading = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if heading.is_empty() {
            return;
        }
        let level = level.clamp(1, 9);
        let mut parent = self.section;
        while let Some(section) = parent.and_then(|index| self.sections.get(index))
            && section.level >= level
        {
            parent = section.parent;
        }
        self.sections.push(Section { heading: heading.clone(), level, parent });
        self.section = Some(self.sections.len() - 1);
        self.write(BlockKind::Heading, &heading);
    }

    /// Opens a section under `parent` without writing its heading, for formats whose headings are no words
    /// of the text, such as the name of a function. All following blocks are in it.
    pub(crate) fn open_section(&mut self, heading: &str, parent: Option<usize>) -> usize {
        let level = parent.and_then(|parent| self.sections.get(parent)).map_or(1, |outer| outer.level + 1);
        self.sections.push(Section { heading: heading.to_owned(), level, parent });
        self.section = Some(self.sections.len() - 1);
        self.sections.len() - 1
    }

    /// All following blocks are in a section that was opened before, or in none.
    pub(crate) fn return_to_section(&mut self, section: Option<usize>) {
        self.section = section;
    }

    pub(crate) fn paragraph(&mut self, words: &str) {
        self.write(BlockKind::Paragraph, words.trim());
    }

    pub(crate) fn quote(&mut self, words: &str) {
        self.write(BlockKind::Quote, words.trim());
    }

    /// Keeps the text exactly, except blank lines at both ends.
    pub(crate) fn code(&mut self, text: &str, language: Option<String>) {
        self.write(BlockKind::Code { language }, trim_blank_lines(text));
    }

    /// Writes `words` as a list; `items` are ranges relative to `words`, which must not begin with
    /// white space.
    pub(crate) fn list(&mut self, words: &str, items: &[TextRange]) {
        let words = words.trim_end();
        if words.is_empty() {
            return;
        }
        let start = self.begin_block();
        let items = items
            .iter()
            .map(|item| {
                TextRange::new(start + item.start.min(words.len()), start + item.end.min(words.len()))
            })
            .filter(|item| !item.is_empty())
            .collect();
        self.end_block(BlockKind::List { items }, start, words);
    }

    /// Writes a table one line a row, its caption as a paragraph before it. Rows without a word are
    /// left out.
    pub(crate) fn table(&mut self, rows: Vec<Vec<TableCell>>, header_rows: usize, caption: Option<String>) {
        let mut lines = String::new();
        let mut placed = Vec::with_capacity(rows.len());
        let mut headers = 0;
        for (number, cells) in rows.into_iter().enumerate() {
            if cells.iter().all(|cell| cell.text.is_empty()) {
                continue;
            }
            if !lines.is_empty() {
                lines.push('\n');
            }
            let start = lines.len();
            push_row_line(&mut lines, &cells);
            placed.push((start, lines.len(), cells));
            headers += usize::from(number < header_rows);
        }
        let caption = caption.filter(|caption| !caption.is_empty());
        if let Some(caption) = &caption {
            self.paragraph(caption);
        }
        if placed.is_empty() {
            return;
        }
        let start = self.begin_block();
        let rows = placed
            .into_iter()
            .map(|(from, to, cells)| TableRow { range: TextRange::new(start + from, start + to), cells })
            .collect();
        self.end_block(BlockKind::Table(Table { header_rows: headers, rows, caption }), start, &lines);
    }

    pub(crate) fn finish(mut self, media_type: MediaType) -> ParsedDocument {
        if self.title.is_none() {
            self.title =
                self.sections.iter().find(|section| section.level == 1).map(|top| top.heading.clone());
        }
        self.coverage.characters_out = self.text.chars().count() as u64;
        let mut document = ParsedDocument {
            media_type,
            title: self.title,
            text: self.text,
            sections: self.sections,
            blocks: self.blocks,
            metadata: self.metadata,
            coverage: self.coverage,
        };
        take_marks(&mut document);
        document
    }

    fn write(&mut self, kind: BlockKind, words: &str) {
        if words.trim().is_empty() {
            return;
        }
        let start = self.begin_block();
        self.end_block(kind, start, words);
    }

    fn begin_block(&mut self) -> usize {
        if !self.gap.is_empty() {
            self.text.push_str(&std::mem::take(&mut self.gap));
        } else if !self.text.is_empty() {
            self.text.push_str(PARAGRAPH_GAP);
        }
        self.text.len()
    }

    fn end_block(&mut self, kind: BlockKind, start: usize, words: &str) {
        self.text.push_str(words);
        let range = TextRange::new(start, self.text.len());
        self.blocks.push(Block { kind, range, section: self.section, page: self.page });
    }
}

/// One row as it stands in the text: cells joined by ` | `.
pub(crate) fn push_row_line(line: &mut String, cells: &[TableCell]) {
    for (column, cell) in cells.iter().enumerate() {
        if column > 0 {
            line.push_str(" | ");
        }
        line.push_str(&cell.text);
    }
}

/// A cell's words on one line, spanning one column and one row.
pub(crate) fn plain_cell(words: &str) -> TableCell {
    TableCell { text: words.split_whitespace().collect::<Vec<_>>().join(" "), column_span: 1, row_span: 1 }
}

fn trim_blank_lines(text: &str) -> &str {
    let text = text.trim_end();
    let indented = text.trim_start();
    let first_line = text.get(..text.len() - indented.len()).and_then(|blank| blank.rfind('\n'));
    first_line.and_then(|end| text.get(end + 1..)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_nest_by_level_even_when_levels_are_skipped() {
        let mut builder = DocumentBuilder::new();
        for (level, words) in [(1, "a"), (3, "b"), (2, "c"), (2, "d"), (1, "e")] {
            builder.heading(level, words);
        }
        let document = builder.finish(MediaType::Markdown);
        let parents: Vec<_> = document.sections.iter().map(|section| section.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(0), Some(0), None]);
        assert_eq!(document.title.as_deref(), Some("a"));
    }

    #[test]
    fn code_keeps_its_indentation() {
        let mut builder = DocumentBuilder::new();
        builder.code("\n \n    indented\n  less\n\n", None);
        assert_eq!(builder.finish(MediaType::Code).text, "    indented\n  less");
    }

    #[test]
    fn a_table_is_one_line_a_row() {
        let mut builder = DocumentBuilder::new();
        let rows = vec![vec![plain_cell("a"), plain_cell("b\nc")], vec![plain_cell(" "), plain_cell("")]];
        builder.table(rows, 1, Some("Prices".into()));
        let document = builder.finish(MediaType::Csv);
        assert_eq!(document.text, "Prices\n\na | b c");
        let BlockKind::Table(table) = &document.blocks[1].kind else { panic!("no table") };
        assert_eq!(table.rows[0].range.slice(&document.text), Some("a | b c"));
    }
}
