use adit_core::{TableCell, TextRange};

use crate::builder::DocumentBuilder;

/// List levels of the office formats.
const MAX_LIST_LEVEL: u8 = 9;

/// One block of an office document before it is written.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum OfficeBlock {
    /// All following blocks stand on this page or slide, from 1.
    Page(u32),
    Heading {
        level: u8,
        words: String,
    },
    Paragraph(String),
    Quote(String),
    /// Lines of code in a row are one block.
    Code(String),
    /// A list item at a nesting level from 0, with its number if its list counts.
    Item {
        level: u8,
        number: Option<u64>,
        words: String,
    },
    Table {
        rows: Vec<Vec<TableCell>>,
        header_rows: usize,
        caption: Option<String>,
    },
}

impl OfficeBlock {
    /// Whether the block has a word.
    pub(crate) fn has_words(&self) -> bool {
        match self {
            Self::Page(_) => false,
            Self::Heading { words, .. } | Self::Item { words, .. } => !words.trim().is_empty(),
            Self::Paragraph(words) | Self::Quote(words) | Self::Code(words) => !words.trim().is_empty(),
            Self::Table { rows, caption, .. } => {
                caption.is_some() || rows.iter().flatten().any(|cell| !cell.text.trim().is_empty())
            }
        }
    }
}

/// All words of the blocks, a line each, for places that hold no blocks: cells, notes, comments.
pub(crate) fn words_of(blocks: &[OfficeBlock]) -> String {
    // Slides put single words into lists; a mark before one would say nothing.
    if let [OfficeBlock::Item { number: None, words, .. }] = blocks {
        return words.trim().to_owned();
    }
    let mut lines = Vec::new();
    for block in blocks {
        match block {
            OfficeBlock::Page(_) => {}
            OfficeBlock::Heading { words, .. } => lines.push(words.trim().to_owned()),
            OfficeBlock::Paragraph(words) | OfficeBlock::Quote(words) | OfficeBlock::Code(words) => {
                lines.push(words.trim().to_owned());
            }
            OfficeBlock::Item { number, words, .. } => lines.push(match number {
                Some(number) => format!("{number}. {}", words.trim()),
                None => format!("- {}", words.trim()),
            }),
            OfficeBlock::Table { rows, caption, .. } => {
                lines.extend(caption.clone());
                lines.extend(rows.iter().map(|cells| {
                    let words: Vec<&str> = cells.iter().map(|cell| cell.text.as_str()).collect();
                    words.join(" | ")
                }));
            }
        }
    }
    lines.retain(|line| !line.is_empty());
    lines.join("\n")
}

/// Writes blocks in order: list items in a row become one list, lines of code one code block.
pub(crate) fn write(blocks: Vec<OfficeBlock>, builder: &mut DocumentBuilder) {
    let mut list = ListInProgress::default();
    let mut code: Vec<String> = Vec::new();
    for block in blocks {
        if !matches!(block, OfficeBlock::Item { .. }) {
            std::mem::take(&mut list).write(builder);
        }
        if !matches!(block, OfficeBlock::Code(_)) && !code.is_empty() {
            builder.code(&std::mem::take(&mut code).join("\n"), None);
        }
        match block {
            OfficeBlock::Page(page) => builder.set_page(page),
            OfficeBlock::Heading { level, words } => builder.heading(level, &tidy(&words)),
            OfficeBlock::Paragraph(words) => builder.paragraph(&tidy(&words)),
            OfficeBlock::Quote(words) => builder.quote(&tidy(&words)),
            OfficeBlock::Code(words) => code.push(words),
            OfficeBlock::Item { level, number, words } => list.add(level, number, &tidy(&words)),
            OfficeBlock::Table { rows, header_rows, caption } => builder.table(rows, header_rows, caption),
        }
    }
    list.write(builder);
    if !code.is_empty() {
        builder.code(&code.join("\n"), None);
    }
}

/// A list whose items arrive one after the other with their levels.
#[derive(Default)]
struct ListInProgress {
    text: String,
    /// Where the outermost items begin.
    starts: Vec<usize>,
    open_levels: Vec<u8>,
}

impl ListInProgress {
    fn add(&mut self, level: u8, number: Option<u64>, words: &str) {
        if words.is_empty() {
            return;
        }
        let level = level.min(MAX_LIST_LEVEL);
        while self.open_levels.len() > 1 && self.open_levels.last().is_some_and(|open| *open > level) {
            self.open_levels.pop();
        }
        match self.open_levels.last_mut() {
            // A list's first item may stand deeper than those after it.
            Some(open) if *open >= level => *open = level,
            _ => self.open_levels.push(level),
        }
        let depth = self.open_levels.len() - 1;
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        if depth == 0 {
            self.starts.push(self.text.len());
        }
        let marker = number.map_or_else(|| "- ".to_owned(), |number| format!("{number}. "));
        for (line_number, line) in words.lines().enumerate() {
            if line_number > 0 {
                self.text.push('\n');
            }
            self.text.push_str(&"  ".repeat(depth + usize::from(line_number > 0)));
            self.text.push_str(if line_number == 0 { &marker } else { "" });
            self.text.push_str(line);
        }
    }

    fn write(self, builder: &mut DocumentBuilder) {
        let ends = self.starts.iter().skip(1).map(|next| next - 1).chain(std::iter::once(self.text.len()));
        let items: Vec<TextRange> =
            self.starts.iter().zip(ends).map(|(&start, end)| TextRange::new(start, end)).collect();
        builder.list(&self.text, &items);
    }
}

/// Trims every line, drops blank ones, and takes out soft hyphens, which would split words for search.
fn tidy(words: &str) -> String {
    let lines = words.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n").replace('\u{ad}', "")
}

#[cfg(test)]
mod tests {
    use adit_core::{BlockKind, MediaType};

    use super::*;

    #[test]
    fn items_in_a_row_are_one_nested_list() {
        let item = |level, number, words: &str| OfficeBlock::Item { level, number, words: words.to_owned() };
        let blocks = vec![
            item(1, None, "deep first"),
            item(0, Some(1), "one\nmore"),
            item(2, None, "inner"),
            item(0, Some(2), "two"),
            OfficeBlock::Code("a".to_owned()),
            OfficeBlock::Code("  b".to_owned()),
        ];
        let mut builder = DocumentBuilder::new();
        write(blocks, &mut builder);
        let document = builder.finish(MediaType::Docx);
        assert_eq!(document.text, "- deep first\n1. one\n  more\n  - inner\n2. two\n\na\n  b");
        let BlockKind::List { items } = &document.blocks[0].kind else { panic!("no list") };
        let items: Vec<_> = items.iter().map(|item| item.slice(&document.text).unwrap()).collect();
        assert_eq!(items, ["- deep first", "1. one\n  more\n  - inner", "2. two"]);
    }
}
