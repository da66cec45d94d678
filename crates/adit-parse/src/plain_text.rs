use adit_core::{MediaType, ParsedDocument};

use crate::builder::DocumentBuilder;

/// A longer line is no heading, whatever stands under it.
const MAX_HEADING_CHARACTERS: usize = 100;

/// Parses plain text: blank lines part paragraphs, form feeds part pages, and only a line underlined
/// with `=` or `-` is a heading. Every line keeps its number; an underline becomes a blank line.
pub(crate) fn parse(text: &str) -> ParsedDocument {
    let mut builder = DocumentBuilder::new();
    let mut writer =
        LineWriter { builder: &mut builder, gap: String::new(), paragraph: String::new(), page: 1 };
    if text.contains('\u{c}') {
        writer.builder.set_page(1);
        writer.builder.coverage().pages_in =
            u32::try_from(text.matches('\u{c}').count()).unwrap_or(u32::MAX - 1) + 1;
    }
    let mut lines = text.split_inclusive(['\n', '\u{c}']).peekable();
    while let Some(line) = lines.next() {
        let level = lines.peek().and_then(|next| underline_level(line, next));
        match level {
            Some(level) if writer.paragraph.is_empty() => {
                writer.heading(level, line);
                if let Some(underline) = lines.next() {
                    writer.white_line(underline.trim_start_matches(['=', '-']));
                }
            }
            _ if line.trim().is_empty() => writer.white_line(line),
            _ => writer.word_line(line),
        }
    }
    writer.end_paragraph();
    builder.finish(MediaType::PlainText)
}

struct LineWriter<'a> {
    builder: &'a mut DocumentBuilder,
    gap: String,
    paragraph: String,
    page: u32,
}

impl LineWriter<'_> {
    fn word_line(&mut self, line: &str) {
        self.paragraph.push_str(line);
        if line.ends_with('\u{c}') {
            self.white_line("");
            self.next_page();
        }
    }

    fn white_line(&mut self, line: &str) {
        self.end_paragraph();
        self.gap.push_str(line);
        if line.ends_with('\u{c}') {
            self.next_page();
        }
    }

    fn heading(&mut self, level: u8, line: &str) {
        self.end_paragraph();
        self.take_gap();
        let words = line.trim();
        self.builder.heading(level, words);
        self.gap.push_str(white_end(line));
    }

    fn end_paragraph(&mut self) {
        if self.paragraph.is_empty() {
            return;
        }
        self.take_gap();
        let paragraph = std::mem::take(&mut self.paragraph);
        self.builder.paragraph(&paragraph);
        self.gap.push_str(white_end(&paragraph));
    }

    fn take_gap(&mut self) {
        self.builder.set_gap(&std::mem::take(&mut self.gap));
    }

    fn next_page(&mut self) {
        self.page = self.page.saturating_add(1);
        self.builder.set_page(self.page);
    }
}

fn white_end(text: &str) -> &str {
    text.get(text.trim_end().len()..).unwrap_or_default()
}

/// 1 for `===`, 2 for `---` under a line of about the same length.
fn underline_level(line: &str, next: &str) -> Option<u8> {
    let (words, rule) = (line.trim(), next.trim());
    let level = match rule.chars().next()? {
        '=' => 1,
        '-' => 2,
        _ => return None,
    };
    let first = rule.chars().next()?;
    let (words_length, rule_length) = (words.chars().count(), rule.chars().count());
    let fits = rule_length >= 3 && rule_length * 2 >= words_length && rule_length <= words_length * 2 + 4;
    let is_heading = words.chars().any(char::is_alphanumeric)
        && line.ends_with('\n')
        && words_length <= MAX_HEADING_CHARACTERS
        && rule.chars().all(|one| one == first)
        && fits;
    is_heading.then_some(level)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paragraphs_headings_and_line_numbers() {
        let document = parse("Title\n=====\n\nfirst\n  second\n\n\nPart\n----\nthird\n");
        assert_eq!(document.text, "Title\n\n\nfirst\n  second\n\n\nPart\n\nthird");
        let levels: Vec<_> = document.sections.iter().map(|section| section.level).collect();
        assert_eq!(levels, [1, 2]);
        assert_eq!(document.blocks.len(), 4);
    }

    #[test]
    fn form_feeds_are_pages() {
        let document = parse("one\n\u{c}two\u{c}\n\u{c}four");
        let pages: Vec<_> = document.blocks.iter().map(|block| block.page).collect();
        assert_eq!(pages, [Some(1), Some(2), Some(4)]);
        assert_eq!(document.coverage.pages_in, 4);
    }
}
