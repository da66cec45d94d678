mod directive;
mod inline;
pub(crate) mod lines;
mod table;

use std::collections::BTreeMap;

use adit_core::{MediaType, MetadataValue, ParseError, ParsedDocument};

use crate::flow::{FlowWriter, WhiteSpace};
use inline::plain_words;
use lines::{
    Item, adornment, field, indentation, indented_end, is_explicit_markup, list_item, without_margin,
};
use table::{Rows, grid_rows, is_grid_border, is_simple_border, simple_rows};

/// Deeper nesting is written as it stands.
const MAX_DEPTH: usize = 40;

/// Parses reStructuredText (the docutils specification).
///
/// Headings get their level by the order in which underline styles appear. Left out: comments, link
/// targets, the options of directives, and what stands in another file (with a warning); the field list
/// at the top becomes metadata, `Title` or `title` the document's title.
///
/// # Errors
/// [`ParseError::Empty`] without words.
pub(crate) fn parse(text: &str, _name: &str) -> Result<ParsedDocument, ParseError> {
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    let expanded = text.replace('\t', "        ");
    let lines: Vec<&str> = expanded.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    let mut writer = RestructuredTextWriter::new(&lines);
    let body_start = writer.field_list_at_top(&lines);
    writer.blocks(lines.get(body_start..).unwrap_or_default(), 0);
    if writer.images > 0 {
        let sentence = format!("{} images without a text were left out", writer.images);
        writer.flow.builder.warn(sentence);
    }
    Ok(writer.flow.finish().finish(MediaType::RestructuredText))
}

/// Writes blocks; the directives are in `directive.rs`.
pub(crate) struct RestructuredTextWriter {
    pub(crate) flow: FlowWriter,
    pub(crate) images: usize,
    substitutions: BTreeMap<String, String>,
    heading_styles: Vec<(char, bool)>,
}

impl RestructuredTextWriter {
    fn new(lines: &[&str]) -> Self {
        let definitions = lines.iter().filter_map(|line| {
            let (name, words) = line.trim_start().strip_prefix(".. |")?.split_once("| replace::")?;
            Some((name.to_owned(), words.trim().to_owned()))
        });
        Self {
            flow: FlowWriter::new(WhiteSpace::Keep),
            images: 0,
            substitutions: definitions.collect(),
            heading_styles: Vec::new(),
        }
    }

    /// Fields before anything else: `:key: value`, or the header of a Python Enhancement Proposal.
    fn field_list_at_top(&mut self, lines: &[&str]) -> usize {
        let start = lines.iter().take_while(|line| line.is_empty()).count();
        let is_proposal = lines.get(start).is_some_and(|line| line.starts_with("PEP: "));
        let mut fields: Vec<(String, String)> = Vec::new();
        let mut used = start;
        for line in lines.iter().skip(start) {
            let read = if is_proposal { line.split_once(':') } else { field(line) };
            match read {
                _ if line.is_empty() && is_proposal => break,
                Some((key, value)) if indentation(line) == 0 && !key.trim().is_empty() => {
                    fields.push((key.trim().to_owned(), value.trim().to_owned()));
                }
                _ if indentation(line) > 0 && !line.is_empty() && !fields.is_empty() => {
                    if let Some((_, value)) = fields.last_mut() {
                        value.push(' ');
                        value.push_str(line.trim());
                    }
                }
                _ => break,
            }
            used += 1;
        }
        for (key, value) in fields {
            let words = plain_words(&value, &self.substitutions);
            if key.eq_ignore_ascii_case("title") {
                self.flow.builder.set_title(&words);
            }
            let known = self.flow.builder.metadata().entry(key.to_lowercase()).or_default();
            known.push(MetadataValue::parse(&words));
        }
        used
    }

    pub(crate) fn blocks(&mut self, lines: &[&str], depth: usize) {
        if depth >= MAX_DEPTH {
            return self.code(lines, None);
        }
        let mut at = 0;
        while let Some(line) = lines.get(at) {
            let rest = lines.get(at..).unwrap_or_default();
            at += match line {
                _ if line.is_empty() => 1,
                _ if indentation(line) > 0 => self.block_quote(rest, depth),
                _ => self.block(line, rest, depth).max(1),
            };
        }
        self.flow.end_paragraph();
    }

    /// One block that begins at the left margin; gives the number of its lines.
    fn block(&mut self, line: &str, rest: &[&str], depth: usize) -> usize {
        if let Some(used) = self.heading(rest, depth) {
            return used;
        }
        if is_grid_border(line) {
            let used = rest.iter().take_while(|line| line.starts_with(['+', '|'])).count();
            self.table(grid_rows(rest.get(..used).unwrap_or_default()), None);
            return used;
        }
        if is_simple_border(line)
            && let Some(used) = simple_table_end(rest)
        {
            self.table(simple_rows(rest.get(..used).unwrap_or_default()), None);
            return used;
        }
        if adornment(line).is_some() && line.len() >= 4 {
            return 1;
        }
        if is_explicit_markup(line) {
            return self.explicit_markup(rest, depth);
        }
        if let Some(item) = list_item(line) {
            return self.list(rest, item, depth);
        }
        if line.starts_with("| ") || *line == *"|" {
            return self.line_block(rest);
        }
        if line.starts_with(">>> ") {
            let used = rest.iter().take_while(|line| !line.is_empty()).count();
            self.code(rest.get(..used).unwrap_or_default(), Some("python"));
            return used;
        }
        self.paragraph(rest, depth)
    }

    fn heading(&mut self, rest: &[&str], depth: usize) -> Option<usize> {
        let (first, second) = (rest.first()?, rest.get(1)?);
        let (style, has_overline, words, used) = match (adornment(first), adornment(second)) {
            (Some(over), None) if rest.get(2).copied().and_then(adornment) == Some(over) => {
                ((over, true), true, second.trim(), 3)
            }
            (None, Some(under)) => ((under, false), false, first.trim(), 2),
            _ => return None,
        };
        let rule = if has_overline { first } else { second };
        let width = words.chars().count();
        let fits = rule.chars().count() >= width.min(4) && !words.is_empty();
        if !fits || depth > 0 || is_simple_border(rule) {
            return None;
        }
        let known = self.heading_styles.iter().position(|known| *known == style);
        let level = known.unwrap_or_else(|| {
            self.heading_styles.push(style);
            self.heading_styles.len() - 1
        });
        self.flow.start_heading(u8::try_from(level + 1).unwrap_or(9));
        self.text(words);
        self.flow.end_heading();
        Some(used)
    }

    fn block_quote(&mut self, rest: &[&str], depth: usize) -> usize {
        let used = indented_end(rest, 0);
        self.flow.start_quote();
        self.blocks(&without_margin(rest.get(..used).unwrap_or_default()), depth + 1);
        self.flow.end_container();
        used
    }

    fn list(&mut self, rest: &[&str], first: Item<'_>, depth: usize) -> usize {
        self.flow.start_list(first.number);
        let mut at = 0;
        while let Some(item) = rest.get(at).copied().and_then(list_item)
            && item.number.is_some() == first.number.is_some()
        {
            self.flow.start_item();
            let end = at + 1 + indented_end(rest.get(at + 1..).unwrap_or_default(), 0);
            let mut lines = vec![item.words];
            lines.extend(without_margin(rest.get(at + 1..end).unwrap_or_default()));
            // The first line stands at the margin of the item, and so do the lines below it.
            self.blocks(&lines, depth + 1);
            self.flow.end_item();
            at = end;
            let blank = rest.iter().skip(at).take_while(|line| line.is_empty()).count();
            if rest.get(at + blank).copied().and_then(list_item).is_none() {
                break;
            }
            at += blank;
        }
        self.flow.end_container();
        at
    }

    fn line_block(&mut self, rest: &[&str]) -> usize {
        let used = rest.iter().take_while(|line| line.starts_with('|') || indentation(line) > 0).count();
        for line in rest.iter().take(used) {
            self.text(line.strip_prefix('|').unwrap_or(line).trim());
            self.flow.line_break();
        }
        self.flow.end_paragraph();
        used
    }

    /// A paragraph, with the literal block it announces or the definition it is the term of.
    fn paragraph(&mut self, rest: &[&str], depth: usize) -> usize {
        let mut used = rest.iter().take_while(|line| !line.is_empty() && indentation(line) == 0).count();
        // A definition is set off by its margin alone.
        let is_term = rest.get(used).is_some_and(|line| !line.is_empty()) && used > 0;
        let mut words = rest.get(..used).unwrap_or_default().join("\n");
        let announces_literal = words.ends_with("::");
        if announces_literal {
            words.truncate(words.len() - if words == "::" || words.ends_with(" ::") { 2 } else { 1 });
        }
        if let Some((key, value)) = field(&words) {
            words = format!("{key}: {}", value.trim_start());
        }
        self.text(&words);
        self.flow.end_paragraph();
        let below = rest.get(used..).unwrap_or_default();
        let blank = below.iter().take_while(|line| line.is_empty()).count();
        if announces_literal {
            let literal = below.get(blank..).unwrap_or_default();
            let length = literal_end(literal);
            self.code(literal.get(..length).unwrap_or_default(), None);
            used += blank + length;
        } else if is_term {
            let length = indented_end(below, 0);
            self.blocks(&without_margin(below.get(..length).unwrap_or_default()), depth + 1);
            used += length;
        }
        used
    }

    pub(crate) fn table(&mut self, (rows, header_rows): Rows, caption: Option<&str>) {
        self.flow.start_table();
        if let Some(caption) = caption {
            self.text(caption);
            self.flow.finish_caption();
        }
        for (number, cells) in rows.iter().enumerate() {
            self.flow.start_row(number < header_rows);
            for cell in cells {
                self.flow.start_cell(false, cell.column_span, cell.row_span);
                self.text(&cell.text);
            }
        }
        self.flow.end_table();
    }

    pub(crate) fn code(&mut self, lines: &[&str], language: Option<&str>) {
        self.flow.start_code(language.map(str::to_owned));
        self.flow.text(&without_margin(lines).join("\n"));
        self.flow.end_code();
    }

    pub(crate) fn text(&mut self, words: &str) {
        let words = plain_words(words, &self.substitutions);
        self.flow.text(&words);
    }
}

/// Number of lines up to the closing border, which a blank line or the end follows.
fn simple_table_end(rest: &[&str]) -> Option<usize> {
    let mut borders = 0;
    for (at, line) in rest.iter().enumerate() {
        borders += usize::from(is_simple_border(line));
        let ends_here = rest.get(at + 1).is_none_or(|next| next.is_empty());
        if borders >= 2 && is_simple_border(line) && ends_here {
            return Some(at + 1);
        }
    }
    None
}

/// A literal block is indented, or each of its lines begins with the same mark.
fn literal_end(literal: &[&str]) -> usize {
    let Some(first) = literal.first().and_then(|line| line.chars().next()) else { return 0 };
    if first == ' ' {
        return indented_end(literal, 0);
    }
    let is_quoted =
        first.is_ascii_punctuation() && literal.first().is_some_and(|line| !is_explicit_markup(line));
    if is_quoted { literal.iter().take_while(|line| line.starts_with(first)).count() } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;
    use proptest::prelude::*;

    fn text_of(text: &str) -> String {
        parse(text, "a.rst").unwrap().text
    }

    #[test]
    fn headings_follow_the_order_of_styles() {
        let document = parse(
            "====\nDoc\n====\n\nPart *one*\n=====\n\nwords\n\nSub\n---\n\nPart two\n========\n",
            "a.rst",
        )
        .unwrap();
        let found: Vec<_> = document.sections.iter().map(|one| (one.level, one.heading.as_str())).collect();
        assert_eq!(found, [(1, "Doc"), (2, "Part one"), (3, "Sub"), (2, "Part two")]);
    }

    #[test]
    fn blocks_are_told_apart() {
        let document = parse(
            "A paragraph::\n\n    literal *x*\n      deeper\n\n- one\n  more\n\n  - inner\n- two\n\n3. three\n#. four\n\n\
             term\n    meaning\n\n    quoted\n\n.. code-block:: python\n   :linenos:\n\n   def f(): pass\n\n\
             .. note:: Mind\n   this.\n\n.. warning::\n\n   Hot\n   stuff.\n\n.. a comment\n   gone\n\n.. _target: http://x\n\n\
             .. [1] The note\n   goes on.\n\n.. image:: a.png\n   :alt: A cat\n\n.. image:: b.png\n\n| line\n| block\n\n>>> 1 + 1\n2\n",
            "a.rst",
        )
        .unwrap();
        assert_eq!(
            document.text,
            "A paragraph:\n\nliteral *x*\n  deeper\n\n- one\n  more\n  - inner\n- two\n\n3. three\n4. four\n\n\
             term\n\nmeaning\n\nquoted\n\ndef f(): pass\n\nNote: Mind\nthis.\n\nWarning: Hot\nstuff.\n\n\
             [1] The note\ngoes on.\n\nA cat\n\nline\nblock\n\n>>> 1 + 1\n2"
        );
        assert_eq!(document.coverage.warnings, ["1 images without a text were left out"]);
        assert!(
            document
                .blocks
                .iter()
                .any(|block| block.kind == BlockKind::Code { language: Some("python".into()) })
        );
    }

    #[test]
    fn tables_of_every_kind_are_tables() {
        let grid = "+---+---+\n| a | b |\n+===+===+\n| 1 | 2 |\n+---+---+\n";
        let simple = "=== ===\na   b\n=== ===\n1   2\n=== ===\n";
        let list = ".. list-table:: Cap\n   :header-rows: 1\n\n   * - a\n     - b\n   * - 1\n     - 2\n";
        let csv = ".. csv-table:: Cap\n   :header: a, b\n\n   1, 2\n";
        for (text, expected) in [
            (grid, "a | b\n1 | 2"),
            (simple, "a | b\n1 | 2"),
            (list, "Cap\n\na | b\n1 | 2"),
            (csv, "Cap\n\na | b\n1 | 2"),
        ] {
            let document = parse(text, "a.rst").unwrap();
            assert_eq!(document.text, expected, "{text}");
            let BlockKind::Table(table) = &document.blocks.last().unwrap().kind else {
                panic!("no table: {text}")
            };
            assert_eq!(table.header_rows, 1, "{text}");
        }
    }

    #[test]
    fn fields_at_the_top_are_metadata() {
        let document =
            parse("PEP: 8\nTitle: Style\nAuthor: Ann,\n        Bob\n\nIntro\n=====\n\n:not: top\n", "a.rst")
                .unwrap();
        assert_eq!(document.title.as_deref(), Some("Style"));
        assert_eq!(document.metadata["author"][0].to_text(), "Ann, Bob");
        assert_eq!(document.text, "Intro\n\nnot: top");
        assert_eq!(parse(":author: Ann\n\nx", "a.rst").unwrap().metadata["author"][0].to_text(), "Ann");
    }

    #[test]
    fn deep_nesting_is_bounded() {
        let deep: String = (0..500).map(|depth| format!("{}- word\n", "  ".repeat(depth))).collect();
        assert_eq!(text_of(&deep).matches("word").count(), 500);
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_word_is_kept(pieces in prop::collection::vec("[a-zé]{3,7}|\n|\n\n|\n  |\n    | |- |3\\. |\\*|\\*\\*|``|`|===\n|\n---\n|\\||::\n\n  |:|\\\\|\n\\+---\\+---\\+\n|\n=== ===\n|>>> |\n\\.\\. note:: ", 0..30)) {
            let text = format!("start {}", pieces.concat());
            let found = text_of(&text);
            for word in pieces.iter().filter(|piece| piece.chars().all(char::is_alphabetic) && piece.chars().count() >= 3) {
                prop_assert!(found.contains(word.as_str()), "{} not in {:?} of {:?}", word, found, text);
            }
        }

        #[test]
        fn any_text_is_no_panic(text in "([a-zé]{1,5}|\n|\n\n|\n  | |- |\\.\\. |::|:[a-z]:|`|\\|[a-z]\\||_|<|>|\\[1\\]|\\.\\. \\||list-table::|csv-table::|\\+--\\+|=|漢){0,40}") {
            let _ = parse(&text, "a.rst");
        }
    }
}
