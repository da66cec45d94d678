use adit_core::{MediaType, ParsedDocument};

use crate::builder::DocumentBuilder;
use crate::media_type::language_of_name;

/// Parses source code as text. A block ends at a blank line before a line that is not indented, which
/// in most languages is where a new top-level item begins. The text is the file, line for line.
pub(crate) fn parse(text: &str, name: &str) -> ParsedDocument {
    let language = language_of_name(name).map(str::to_owned);
    let mut builder = DocumentBuilder::new();
    let mut item = String::new();
    let mut blank_lines = String::new();
    for line in text.split_inclusive('\n') {
        if line.trim().is_empty() {
            blank_lines.push_str(line);
            continue;
        }
        if starts_item(line) && !blank_lines.is_empty() && !item.is_empty() {
            write_item(&item, &language, &mut builder);
            item.clear();
            builder.set_gap(&format!("\n{blank_lines}"));
        } else if item.is_empty() {
            builder.set_gap(&blank_lines);
        } else {
            item.push_str(&blank_lines);
        }
        blank_lines.clear();
        item.push_str(line);
    }
    write_item(&item, &language, &mut builder);
    builder.finish(MediaType::Code)
}

fn starts_item(line: &str) -> bool {
    line.starts_with(|first: char| !first.is_whitespace() && !matches!(first, '}' | ')' | ']'))
}

fn write_item(item: &str, language: &Option<String>, builder: &mut DocumentBuilder) {
    builder.code(item, language.clone());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_cut_at_blank_lines_and_lines_keep_their_numbers() {
        let source = "use a;\n\n\nfn b() {\n    1;\n\n    2;\n\n}\n\nfn c() {}\n";
        let document = parse(source, "x.rs");
        assert_eq!(document.text, source.trim_end());
        assert_eq!(document.blocks.len(), 3);
        assert_eq!(document.blocks[1].range.slice(&document.text), Some("fn b() {\n    1;\n\n    2;\n\n}"));
    }
}
