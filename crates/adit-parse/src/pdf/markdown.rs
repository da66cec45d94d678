use adit_core::TextRange;

use crate::builder::{DocumentBuilder, plain_cell};

/// Writes one page as the PDF reader renders it. The reader does not escape what the page says, so
/// this reads only the marks it sets itself (headings, fences, table rows, list dashes) and keeps
/// everything else as words.
pub(crate) fn write(markdown: &str, builder: &mut DocumentBuilder) {
    let mut lines = markdown.lines().peekable();
    while let Some(line) = lines.next() {
        let line = line.trim_end();
        if line.trim().is_empty() || is_marker_line(line) {
            continue;
        }
        if let Some((level, words)) = heading(line) {
            builder.heading(level, &without_marks(words));
        } else if line.starts_with("```") {
            write_code(line, &mut lines, builder);
        } else {
            let kind = LineKind::of(line);
            let mut block = vec![line];
            while let Some(next) = lines.next_if(|next| kind.continues(next)) {
                block.push(next.trim_end());
            }
            kind.write(&block, builder);
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum LineKind {
    Table,
    List,
    Paragraph,
}

impl LineKind {
    fn of(line: &str) -> Self {
        if is_table_line(line) {
            Self::Table
        } else if is_list_line(line) {
            Self::List
        } else {
            Self::Paragraph
        }
    }

    fn continues(self, next: &str) -> bool {
        if next.trim().is_empty()
            || heading(next).is_some()
            || next.starts_with("```")
            || is_marker_line(next)
        {
            return false;
        }
        match self {
            Self::Table => is_table_line(next),
            Self::List => !is_table_line(next),
            Self::Paragraph => !is_table_line(next) && !is_list_line(next),
        }
    }

    fn write(self, lines: &[&str], builder: &mut DocumentBuilder) {
        match self {
            Self::Table => write_table(lines, builder),
            Self::List => write_list(lines, builder),
            Self::Paragraph => builder.paragraph(&without_marks(&lines.join("\n"))),
        }
    }
}

fn write_code<'a>(fence: &str, lines: &mut impl Iterator<Item = &'a str>, builder: &mut DocumentBuilder) {
    let language = fence.trim_matches('`').trim();
    let code: Vec<&str> = lines.take_while(|line| !line.starts_with("```")).collect();
    builder.code(&code.join("\n"), (!language.is_empty()).then(|| language.to_owned()));
}

fn write_table(lines: &[&str], builder: &mut DocumentBuilder) {
    let has_header = lines.get(1).is_some_and(|line| is_rule_line(line));
    let rows = lines.iter().filter(|line| !is_rule_line(line)).map(|line| {
        let line = line.trim();
        let inner = line.strip_prefix('|').unwrap_or(line);
        let inner = inner.strip_suffix('|').unwrap_or(inner).replace("\\|", "\u{1}");
        let cells = inner.split('|');
        cells.map(|cell| plain_cell(&without_marks(cell).replace('\u{1}', "|"))).collect()
    });
    builder.table(rows.collect(), usize::from(has_header), None);
}

fn write_list(lines: &[&str], builder: &mut DocumentBuilder) {
    let mut words = String::new();
    let mut items: Vec<TextRange> = Vec::new();
    for line in lines {
        if !words.is_empty() {
            words.push('\n');
        }
        let start = words.len();
        let line = without_marks(line);
        words.push_str(if words.is_empty() { line.trim_start() } else { &line });
        match items.last_mut() {
            Some(item) if !is_outer_list_line(&line) => item.end = words.len(),
            _ => items.push(TextRange::new(start, words.len())),
        }
    }
    builder.list(&words, &items);
}

fn heading(line: &str) -> Option<(u8, &str)> {
    let words = line.trim_start_matches('#');
    let level = line.len() - words.len();
    let words = words.strip_prefix(' ')?;
    (1..=6).contains(&level).then_some((u8::try_from(level).unwrap_or(6), words))
}

fn is_table_line(line: &str) -> bool {
    let line = line.trim();
    line.len() > 1 && line.starts_with('|') && line.ends_with('|')
}

fn is_rule_line(line: &str) -> bool {
    line.contains("---") && line.chars().all(|one| matches!(one, '|' | '-' | ':' | ' '))
}

fn is_list_line(line: &str) -> bool {
    let line = line.trim_start();
    let after_number = line.trim_start_matches(|one: char| one.is_ascii_digit());
    let is_numbered = (1..=3).contains(&(line.len() - after_number.len()))
        && (after_number.starts_with(". ") || after_number.starts_with(") "));
    line.starts_with("- ") || line.starts_with("• ") || is_numbered
}

fn is_outer_list_line(line: &str) -> bool {
    is_list_line(line) && !line.starts_with(char::is_whitespace)
}

fn is_marker_line(line: &str) -> bool {
    let line = line.trim();
    line == "---" || (line.starts_with("<!-- Page ") && line.ends_with(" -->"))
}

/// Takes bold, italic, underline and link marks out, leaving single stars and brackets that the page
/// itself shows.
fn without_marks(words: &str) -> String {
    let mut words = words.replace("**", "").replace("<br>", " ").replace('\u{ad}', "");
    for tag in ["<u>", "</u>", "<sup>", "</sup>", "<sub>", "</sub>"] {
        words = words.replace(tag, "");
    }
    without_italic(&without_links(&words))
}

fn without_links(words: &str) -> String {
    let mut kept = String::with_capacity(words.len());
    let mut rest = words;
    while let Some(open) = rest.find('[') {
        let (before, link) = rest.split_at(open);
        kept.push_str(before);
        let parts = link.split_once("](").and_then(|(label, after)| {
            let (address, after) = after.split_once(')')?;
            let is_link = !label.contains('\n')
                && !address.contains(char::is_whitespace)
                && ["http", "mailto:", "#", "ftp"].iter().any(|scheme| address.starts_with(scheme));
            is_link.then_some((label.get(1..)?, after))
        });
        match parts {
            Some((label, after)) => {
                kept.push_str(label);
                rest = after;
            }
            None => {
                kept.push('[');
                rest = link.get(1..).unwrap_or_default();
            }
        }
    }
    kept + rest
}

/// Removes `*` pairs that enclose words: the first at the start of a word, the second at the end of one.
fn without_italic(words: &str) -> String {
    let characters: Vec<char> = words.chars().collect();
    let at = |index: usize| characters.get(index).copied().unwrap_or(' ');
    let mut removed = Vec::new();
    let mut open = None;
    for index in 0..characters.len() {
        if at(index) != '*' {
            continue;
        }
        let before = if index == 0 { ' ' } else { at(index - 1) };
        let after = at(index + 1);
        match open {
            Some(start) if !before.is_whitespace() && !after.is_alphanumeric() => {
                removed.extend([start, index]);
                open = None;
            }
            None if !before.is_alphanumeric() && !after.is_whitespace() => open = Some(index),
            _ => {}
        }
    }
    let kept = characters.iter().enumerate().filter(|(index, _)| removed.binary_search(index).is_err());
    kept.map(|(_, character)| *character).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::{BlockKind, MediaType};

    #[test]
    fn the_marks_of_the_reader_go_and_the_words_stay() {
        let mut builder = DocumentBuilder::new();
        builder.set_page(3);
        write(
            "# A **b**\n\nx *y* 2 * 3 [here](https://a.b) [1] <T>\n\n- one\n- two\n  more\n\n|a|b|\n|---|---|\n|1|2|\n",
            &mut builder,
        );
        let document = builder.finish(MediaType::Pdf);
        assert_eq!(document.text, "A b\n\nx y 2 * 3 here [1] <T>\n\n- one\n- two\n  more\n\na | b\n1 | 2");
        assert!(document.blocks.iter().all(|block| block.page == Some(3)));
        let BlockKind::List { items } = &document.blocks[2].kind else { panic!("no list") };
        assert_eq!(items.len(), 2);
    }
}
