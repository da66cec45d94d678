mod inline;
mod table;

use std::collections::BTreeMap;

use adit_core::{MediaType, MetadataValue, ParseError, ParsedDocument, TableCell};

use crate::builder::plain_cell;
use crate::flow::{FlowWriter, WhiteSpace};
use crate::html;
use inline::plain_words;
use table::{bar_rows, column_count, has_implicit_header};

/// Parses AsciiDoc (the language of asciidoctor.org).
///
/// Attributes at the top become metadata. Left out: comments, anchors, the settings in brackets above a
/// block (a quotation's source is kept), and what stands in another file (with a warning).
///
/// # Errors
/// [`ParseError::Empty`] without words.
pub(crate) fn parse(text: &str, _name: &str) -> Result<ParsedDocument, ParseError> {
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    let mut writer = AsciidocWriter {
        flow: FlowWriter::new(WhiteSpace::Keep),
        attributes: BTreeMap::new(),
        settings: String::new(),
        lists: Vec::new(),
        after_blank: false,
        is_attached: false,
        images: 0,
    };
    let mut at = writer.author_lines(&lines);
    while at < lines.len() {
        at += writer.block(lines.get(at..).unwrap_or_default()).max(1);
    }
    writer.close_lists();
    if writer.images > 0 {
        let sentence = format!("{} images without a text were left out", writer.images);
        writer.flow.builder.warn(sentence);
    }
    Ok(writer.flow.finish().finish(MediaType::Asciidoc))
}

struct AsciidocWriter {
    flow: FlowWriter,
    attributes: BTreeMap<String, String>,
    /// The `[...]` line above the next block.
    settings: String,
    /// Marker of each open list.
    lists: Vec<String>,
    after_blank: bool,
    /// A `+` line puts the next block into the open item.
    is_attached: bool,
    images: usize,
}

impl AsciidocWriter {
    /// The title with an author below it: `Ann Smith <ann@x.y>` and perhaps `v1.0, 2026-01-01`.
    fn author_lines(&mut self, lines: &[&str]) -> usize {
        let start = lines.iter().take_while(|line| line.is_empty() || line.starts_with("//")).count();
        let Some(author) =
            lines.get(start + 1).filter(|_| lines.get(start).is_some_and(|line| line.starts_with("= ")))
        else {
            return 0;
        };
        if !(author.contains('<') && author.contains('@') && author.ends_with('>')) {
            return 0;
        }
        self.block(lines.get(start..).unwrap_or_default());
        let mut add = |key: &str, value: &str| {
            self.flow
                .builder
                .metadata()
                .entry(key.to_owned())
                .or_default()
                .push(MetadataValue::Text(value.to_owned()));
        };
        add("author", author);
        let revision = lines.get(start + 2).filter(|line| {
            line.strip_prefix('v').unwrap_or(line).starts_with(|first: char| first.is_ascii_digit())
        });
        if let Some(revision) = revision {
            add("revision", revision);
        }
        start + 2 + usize::from(revision.is_some())
    }

    /// One block or one line of a paragraph; gives the number of its lines.
    fn block(&mut self, rest: &[&str]) -> usize {
        let line = rest.first().copied().unwrap_or_default();
        if line.is_empty() {
            self.flow.end_paragraph();
            self.after_blank = true;
            return 1;
        }
        let after_blank = std::mem::take(&mut self.after_blank);
        // Below a blank line only another item or an attached block goes on with a list.
        if after_blank && !self.is_attached && item(line).is_none() && !line.starts_with(' ') && line != "+" {
            self.close_lists();
        }
        if let Some(used) =
            self.heading(line).or_else(|| self.delimited(rest)).or_else(|| self.silent_line(line))
        {
            return used;
        }
        if self.list_item(line) {
            return 1;
        }
        self.is_attached = false;
        let settings = std::mem::take(&mut self.settings);
        if after_blank && line.starts_with(' ') && self.lists.is_empty() {
            let used = rest.iter().take_while(|line| !line.is_empty()).count();
            self.code(rest.get(..used).unwrap_or_default(), None);
            return used;
        }
        self.settings_words(&settings, " ");
        self.text(line.trim_start());
        self.flow.line_break();
        1
    }

    fn heading(&mut self, line: &str) -> Option<usize> {
        let words = line.trim_start_matches(['=', '#']);
        let level = line.len() - words.len();
        if !(1..=6).contains(&level) || !words.starts_with(' ') || words.trim().is_empty() {
            return None;
        }
        self.close_lists();
        self.settings.clear();
        self.flow.start_heading(u8::try_from(level).unwrap_or(6));
        self.text(words.trim().trim_end_matches(['=', ' ']));
        self.flow.end_heading();
        Some(1)
    }

    /// Lines without words of their own: attributes, anchors, settings, comments, macros of a block.
    fn silent_line(&mut self, line: &str) -> Option<usize> {
        if line.starts_with("//") && !line.starts_with("///") {
            return Some(1);
        }
        if matches!(line, "'''" | "<<<" | "---" | "***") {
            self.close_lists();
            return Some(1);
        }
        if line == "+" && !self.lists.is_empty() {
            self.flow.end_paragraph();
            self.is_attached = true;
            return Some(1);
        }
        if let Some((name, value)) = attribute(line) {
            self.flow.end_paragraph();
            let words = plain_words(value.trim(), &self.attributes);
            let known = self.flow.builder.metadata().entry(name.to_lowercase()).or_default();
            known.push(MetadataValue::parse(&words));
            self.attributes.insert(name.to_lowercase(), words);
            return Some(1);
        }
        if line.starts_with('[') && line.ends_with(']') && !line.contains("] ") {
            self.flow.end_paragraph();
            self.settings.push_str(line);
            return Some(1);
        }
        let title =
            line.strip_prefix('.').filter(|title| !title.starts_with(['.', ' ']) && !title.is_empty());
        if let Some(title) = title {
            self.flow.end_paragraph();
            self.text(title);
            self.flow.end_paragraph();
            return Some(1);
        }
        self.block_macro(line)
    }

    fn block_macro(&mut self, line: &str) -> Option<usize> {
        let (name, call) = line.split_once("::")?;
        let (target, words) =
            call.split_once('[').and_then(|(target, words)| Some((target, words.strip_suffix(']')?)))?;
        match name {
            "include" => {
                let sentence = format!("the included file `{target}` was left out");
                self.flow.builder.warn(sentence);
            }
            "image" | "video" | "audio" => {
                self.flow.end_paragraph();
                let alternative = words.split(',').next().unwrap_or_default().trim_matches('"');
                self.images += usize::from(alternative.trim().is_empty());
                self.text(alternative);
                self.flow.end_paragraph();
            }
            "ifdef" | "ifndef" | "ifeval" | "endif" | "toc" => {
                if name != "toc" && name != "ifeval" {
                    self.text(words);
                    self.flow.line_break();
                }
            }
            _ => return None,
        }
        Some(1)
    }

    fn delimited(&mut self, rest: &[&str]) -> Option<usize> {
        let mark = rest.first().copied()?;
        let first = mark.chars().next()?;
        let is_fence = mark.starts_with("```");
        let is_table = matches!(mark, "|===" | ",===" | ":===" | "!===");
        let is_run = mark.len() >= 4 && mark.chars().all(|one| one == first);
        if !is_fence && !is_table && !is_run && mark != "--" {
            return None;
        }
        let end_mark = if is_fence { "```" } else { mark };
        self.is_attached = false;
        self.flow.end_paragraph();
        let opens_text = matches!(first, '=' | '*' | '_') || mark == "--";
        let end = rest.iter().skip(1).position(|line| *line == end_mark);
        if opens_text {
            // What stands inside are blocks like those outside.
            let settings = std::mem::take(&mut self.settings);
            self.settings_words(&settings, "\n");
            self.flow.end_paragraph();
            return Some(1);
        }
        let end = end.filter(|_| is_fence || is_table || "-.+/".contains(first))?;
        let lines = rest.get(1..=end).unwrap_or_default();
        let settings = std::mem::take(&mut self.settings);
        match first {
            '/' => {}
            '+' if !settings.contains("stem") => {
                html::write_fragment(&lines.join("\n"), &mut self.flow);
                self.flow.end_paragraph();
            }
            '|' | '!' | ',' | ':' => self.table(first, lines, &settings),
            _ => {
                let named = mark
                    .strip_prefix("```")
                    .filter(|name| !name.is_empty())
                    .or_else(|| source_language(&settings));
                self.code(lines, named);
            }
        }
        Some(end + 2)
    }

    /// The words of settings that a reader sees: the kind of an admonition, a quotation's source.
    fn settings_words(&mut self, settings: &str, after: &str) {
        let inner = settings.trim_matches(['[', ']']);
        let mut parts = inner.split(',').map(|part| part.trim().trim_matches('"'));
        match parts.next() {
            Some(kind @ ("NOTE" | "TIP" | "IMPORTANT" | "CAUTION" | "WARNING")) => {
                self.flow.text(&format!("{kind}:{after}"));
            }
            Some("quote" | "verse") => {
                let source = parts.filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
                self.text(&source);
                self.flow.end_paragraph();
            }
            _ => {}
        }
    }

    fn table(&mut self, kind: char, lines: &[&str], settings: &str) {
        let rows: Vec<Vec<TableCell>> = if matches!(kind, ',' | ':') || settings.contains("format=") {
            let delimiter = if kind == ':' || settings.contains("dsv") { b':' } else { b',' };
            let mut reader = ::csv::ReaderBuilder::new();
            reader.flexible(true).has_headers(false).delimiter(delimiter);
            let text = lines.join("\n");
            let mut reader = reader.from_reader(text.as_bytes());
            reader.records().flatten().map(|record| record.iter().map(plain_cell).collect()).collect()
        } else {
            bar_rows(lines, column_count(settings))
        };
        let has_header =
            settings.contains("header") || (has_implicit_header(lines) && !settings.contains("noheader"));
        self.flow.start_table();
        for (number, row) in rows.iter().enumerate() {
            self.flow.start_row(number == 0 && has_header && !settings.contains("noheader"));
            for cell in row {
                self.flow.start_cell(false, cell.column_span, 1);
                self.text(&cell.text);
            }
        }
        self.flow.end_table();
    }

    fn code(&mut self, lines: &[&str], language: Option<&str>) {
        self.flow.start_code(language.map(str::to_owned));
        self.flow.text(&lines.join("\n"));
        self.flow.end_code();
    }

    fn list_item(&mut self, line: &str) -> bool {
        let Some((marker, words)) = item(line) else { return false };
        self.is_attached = false;
        self.settings.clear();
        self.flow.end_paragraph();
        if self.lists.contains(&marker) {
            while self.lists.last().is_some_and(|open| *open != marker) {
                self.lists.pop();
                self.flow.end_container();
            }
        } else {
            let first_number = (marker.starts_with(['.', '<']) || marker == "1.").then_some(1);
            self.flow.start_list(first_number);
            self.lists.push(marker);
        }
        self.flow.start_item();
        self.text(&words);
        self.flow.line_break();
        true
    }

    fn close_lists(&mut self) {
        while self.lists.pop().is_some() {
            self.flow.end_container();
        }
        self.flow.end_paragraph();
    }

    fn text(&mut self, words: &str) {
        let words = plain_words(words, &self.attributes);
        self.flow.text(&words);
    }
}

/// `:name: value`; `:!name:` unsets and has no value.
fn attribute(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.strip_prefix(':')?.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || "-_!".contains(one));
    (is_name && (value.is_empty() || value.starts_with(' '))).then_some((name, value))
}

fn source_language(settings: &str) -> Option<&str> {
    let inner = settings.rsplit('[').next()?.strip_suffix(']')?;
    let (style, language) = inner.split_once(',')?;
    let language = language.split([',', '%']).next()?.trim();
    ((style.starts_with("source") || style.is_empty()) && !language.is_empty() && !language.contains('='))
        .then_some(language)
}

/// The marker that tells a list from others, and the item's words.
fn item(line: &str) -> Option<(String, String)> {
    let line = line.trim_start();
    let first = line.chars().next()?;
    if let Some((number, words)) = line.strip_prefix('<').and_then(|callout| callout.split_once("> "))
        && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return Some(("<".to_owned(), words.to_owned()));
    }
    if matches!(first, '*' | '-' | '.') {
        let words = line.trim_start_matches(first);
        let length = line.len() - words.len();
        let is_item = words.starts_with(' ') && length <= 6 && (first != '-' || length == 1);
        return is_item.then(|| (first.to_string().repeat(length), words.trim_start().to_owned()));
    }
    if let Some((number, words)) = line.split_once(". ")
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        return Some(("1.".to_owned(), words.to_owned()));
    }
    let (term, meaning) = line.split_once("::")?;
    let is_term =
        !term.is_empty() && !term.ends_with(':') && (meaning.is_empty() || meaning.starts_with(' '));
    let words =
        if meaning.trim().is_empty() { format!("{term}:") } else { format!("{term}: {}", meaning.trim()) };
    is_term.then(|| ("::".to_owned(), words))
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;
    use proptest::prelude::*;

    fn text_of(text: &str) -> String {
        parse(text, "a.adoc").unwrap().text
    }

    #[test]
    fn headers_become_metadata() {
        let document = parse("= The Guide\nAnn Smith <ann@x.y>\nv1.0, 2026-01-01\n:version: 2.5\n:toc:\n\nUse {version}.\n\n== Part *one*\n=== Sub\n", "a.adoc").unwrap();
        assert_eq!(document.text, "The Guide\n\nUse 2.5.\n\nPart one\n\nSub");
        assert_eq!(document.title.as_deref(), Some("The Guide"));
        assert_eq!(document.metadata["author"][0].to_text(), "Ann Smith <ann@x.y>");
        assert_eq!(document.metadata["version"][0].to_text(), "2.5");
    }

    #[test]
    fn blocks_are_told_apart() {
        let document = parse(
            "NOTE: Mind this.\n\n[source,rust]\n----\nfn x() {} // *y*\n----\n\n* a\nmore\n** b\n+\n....\nlit\n....\n* c\n\n. one\n. two\n\nafter\n\
             // gone\n////\ngone\n////\n\n[WARNING]\n====\nHot stuff.\n====\n\nterm:: meaning\n\n.Cap\n[options=\"header\"]\n|===\n|a |b\n|1 |`2`\n|===\n\n\
             include::x.adoc[]\nimage::a.png[A cat]\n\n[quote, Ann, Book]\n____\nSaid.\n____\n",
            "a.adoc",
        )
        .unwrap();
        assert_eq!(
            document.text,
            "NOTE: Mind this.\n\nfn x() {} // *y*\n\n- a\n  more\n  - b\n    lit\n- c\n  1. one\n  2. two\n\nafter\n\nWARNING:\n\nHot stuff.\n\n\
             - term: meaning\n\nCap\n\na | b\n1 | 2\n\nA cat\n\nAnn, Book\n\nSaid."
        );
        assert_eq!(document.coverage.warnings, ["the included file `x.adoc` was left out"]);
        assert!(
            document
                .blocks
                .iter()
                .any(|block| block.kind == BlockKind::Code { language: Some("rust".into()) })
        );
        assert!(
            document
                .blocks
                .iter()
                .any(|block| matches!(&block.kind, BlockKind::Table(table) if table.header_rows == 1))
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_word_is_kept(pieces in prop::collection::vec("[a-zé]{3,7}|\n|\n\n|\n== |\n\\* |\n\\*\\* |\n- |\n\\. |\n\\+\n|\\*|_|`|#|\n----\n|\n\\.\\.\\.\\.\n|\n====\n|\n____\n|\n\\|===\n|\\||2\\+\\||:: |:|NOTE: | ", 0..30)) {
            let text = format!("start {}", pieces.concat());
            // A line `:name:` is an attribute.
            prop_assume!(!text.contains("\n:"));
            let found = text_of(&text);
            for word in pieces.iter().filter(|piece| piece.chars().all(char::is_alphabetic) && piece.chars().count() >= 3) {
                prop_assert!(found.contains(word.as_str()), "{} not in {:?} of {:?}", word, found, text);
            }
        }

        #[test]
        fn any_text_is_no_panic(text in "([a-zé]{1,5}|\n|\n\n|\n= |\\[|\\]|\\{|\\}|<<|>>|::|:a:|\\|===|\\||----|\\+|\\*|\\.|http://|link:|,| ){0,40}") {
            let _ = parse(&text, "a.adoc");
        }
    }
}
