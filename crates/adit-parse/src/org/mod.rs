mod inline;

use adit_core::{MediaType, MetadataValue, ParseError, ParsedDocument};

use crate::builder::plain_cell;
use crate::flow::{FlowWriter, WhiteSpace};
use crate::html;
use crate::restructured_text::lines::without_margin;
use inline::plain_words;

const TASK_STATES: [&str; 8] =
    ["TODO", "DONE", "NEXT", "WAITING", "HOLD", "CANCELLED", "CANCELED", "STARTED"];

/// Parses Org mode (the Org syntax of orgmode.org).
///
/// A heading loses its task state, priority and tags, which follow it as a paragraph. Left out:
/// comments, drawers, table formulas and the settings of blocks; keywords such as `#+TITLE:` become
/// metadata, included files are reported.
///
/// # Errors
/// [`ParseError::Empty`] without words.
pub(crate) fn parse(text: &str, _name: &str) -> Result<ParsedDocument, ParseError> {
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    let expanded = text.replace('\t', "        ");
    let lines: Vec<&str> = expanded.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    let mut writer =
        OrgWriter { flow: FlowWriter::new(WhiteSpace::Keep), lists: Vec::new(), caption: None, images: 0 };
    let mut at = 0;
    while at < lines.len() {
        at += writer.block(lines.get(at..).unwrap_or_default()).max(1);
    }
    writer.close_lists();
    writer.write_caption();
    if writer.images > 0 {
        let sentence = format!("{} images were left out", writer.images);
        writer.flow.builder.warn(sentence);
    }
    Ok(writer.flow.finish().finish(MediaType::Org))
}

struct OrgWriter {
    flow: FlowWriter,
    /// Column of the bullet of each open list.
    lists: Vec<usize>,
    caption: Option<String>,
    images: usize,
}

impl OrgWriter {
    /// One block or one line of a paragraph; gives the number of its lines.
    fn block(&mut self, rest: &[&str]) -> usize {
        let line = rest.first().copied().unwrap_or_default();
        let words = line.trim_start();
        let column = line.len() - words.len();
        if words.is_empty() {
            self.flow.end_paragraph();
            let blank = rest.iter().take_while(|line| line.trim().is_empty()).count();
            // Two blank lines end every list.
            if blank >= 2 {
                self.close_lists();
            }
            return blank;
        }
        if let Some(used) = self.heading(line) {
            return used;
        }
        if let Some(used) = self.keyword_or_block(words, rest) {
            return used;
        }
        if words == "#" || words.starts_with("# ") {
            return 1;
        }
        if let Some(used) = drawer_end(rest) {
            self.flow.end_paragraph();
            return used;
        }
        if let Some(used) = self.list_item(column, words) {
            return used;
        }
        if self.lists.last().is_some_and(|bullet| column <= *bullet) {
            self.close_lists_at(column);
        }
        if words.starts_with('|') {
            return self.table(rest);
        }
        if words == ":" || words.starts_with(": ") {
            return self.fixed_width(rest);
        }
        if words.len() >= 5 && words.bytes().all(|byte| byte == b'-') {
            self.flow.end_paragraph();
            return 1;
        }
        self.text_line(words);
        1
    }

    fn text_line(&mut self, words: &str) {
        if let Some((label, note)) = words.strip_prefix("[fn:").and_then(|note| note.split_once(']')) {
            self.flow.end_paragraph();
            self.flow.text(&format!("[{label}] "));
            self.text(note.trim_start());
        } else {
            self.text(words);
        }
        self.flow.line_break();
    }

    fn heading(&mut self, line: &str) -> Option<usize> {
        let words = line.trim_start_matches('*');
        let level = line.len() - words.len();
        if level == 0 || !words.starts_with(' ') {
            return None;
        }
        self.close_lists();
        let (title, tags) = split_tags(words.trim());
        let mut rest = title;
        let mut extra: Vec<String> = Vec::new();
        let first = rest.split(' ').next().unwrap_or_default();
        if TASK_STATES.contains(&first) {
            extra.push(first.to_owned());
            rest = rest.strip_prefix(first).unwrap_or(rest).trim_start();
        }
        if let Some((priority, title)) = rest.strip_prefix("[#").and_then(|rest| rest.split_once(']'))
            && priority.len() == 1
        {
            extra.push(format!("[#{priority}]"));
            rest = title.trim_start();
        }
        extra.extend(tags.split(':').filter(|tag| !tag.is_empty()).map(str::to_owned));
        self.flow.start_heading(u8::try_from(level).unwrap_or(9));
        self.text(rest);
        self.flow.end_heading();
        self.flow.text(&extra.join(" "));
        self.flow.end_paragraph();
        Some(1)
    }

    /// `#+KEY: value` and `#+begin_x` to `#+end_x`.
    fn keyword_or_block(&mut self, words: &str, rest: &[&str]) -> Option<usize> {
        let keyword = words.strip_prefix("#+")?;
        if let Some(block) = strip_prefix_ignoring_case(keyword, "begin_") {
            let (kind, parameters) = block.split_once(' ').unwrap_or((block, ""));
            let end_mark = format!("#+end_{}", kind.to_ascii_lowercase());
            let end = rest.iter().position(|line| line.trim().eq_ignore_ascii_case(&end_mark));
            return end
                .map(|end| self.delimited(kind, parameters, rest.get(1..end).unwrap_or_default(), end + 1));
        }
        if strip_prefix_ignoring_case(keyword, "end_").is_some() && !keyword.contains(' ') {
            self.end_open_block(keyword);
            return Some(1);
        }
        let (key, value) = keyword.split_once(':').filter(|(key, _)| !key.contains(' '))?;
        self.flow.end_paragraph();
        match key.split('[').next().unwrap_or(key).to_ascii_lowercase().as_str() {
            "title" => {
                let title = plain_words(value.trim(), &mut self.images);
                self.flow.builder.set_title(&title);
            }
            "caption" => self.caption = Some(value.trim().to_owned()),
            "include" => {
                let sentence = format!("the included file `{}` was left out", value.trim());
                self.flow.builder.warn(sentence);
            }
            key @ ("author" | "date" | "email" | "language" | "keywords" | "description" | "subtitle"
            | "filetags" | "category") => {
                let known = self.flow.builder.metadata().entry(key.to_owned()).or_default();
                known.push(MetadataValue::parse(value));
            }
            _ => {}
        }
        Some(1)
    }

    fn delimited(&mut self, kind: &str, parameters: &str, lines: &[&str], used: usize) -> usize {
        self.write_caption();
        match kind.to_ascii_lowercase().as_str() {
            "comment" => {}
            "src" => {
                let language =
                    parameters.split_whitespace().next().filter(|name| !name.starts_with([':', '-', '+']));
                self.code(lines, language);
            }
            "example" => self.code(lines, None),
            "export" if parameters.trim().eq_ignore_ascii_case("html") => {
                html::write_fragment(&lines.join("\n"), &mut self.flow);
                self.flow.end_paragraph();
            }
            "export" => self.code(lines, Some(parameters.trim())),
            // What stands inside are blocks like those outside; their end mark closes the quotation.
            "quote" => {
                self.close_lists();
                self.flow.start_quote();
                return 1;
            }
            _ => return 1,
        }
        used
    }

    fn end_open_block(&mut self, keyword: &str) {
        self.close_lists();
        if keyword.eq_ignore_ascii_case("end_quote") {
            self.flow.end_container();
        }
        self.flow.end_paragraph();
    }

    fn code(&mut self, lines: &[&str], language: Option<&str>) {
        self.flow.start_code(language.map(str::to_owned));
        // Lines that would be headings are written with a comma before them.
        for line in without_margin(lines) {
            let written =
                line.strip_prefix(",").filter(|line| line.starts_with(['*', ',']) || line.starts_with("#+"));
            self.flow.text(written.unwrap_or(line));
            self.flow.line_break();
        }
        self.flow.end_code();
    }

    fn fixed_width(&mut self, rest: &[&str]) -> usize {
        let inside = |line: &&&str| line.trim_start().starts_with(": ") || line.trim() == ":";
        let lines: Vec<&str> = rest.iter().take_while(inside).map(|line| line.trim_start()).collect();
        self.flow.start_code(None);
        for line in &lines {
            self.flow.text(line.get(2..).unwrap_or_default());
            self.flow.line_break();
        }
        self.flow.end_code();
        lines.len()
    }

    fn list_item(&mut self, column: usize, words: &str) -> Option<usize> {
        let (number, item) = bullet(words).filter(|_| column > 0 || !words.starts_with('*'))?;
        self.close_lists_at(column + 1);
        if self.lists.last() != Some(&column) {
            self.flow.start_list(number);
            self.lists.push(column);
        }
        self.flow.start_item();
        match item.split_once(" :: ") {
            Some((term, meaning)) => self.text(&format!("{term}: {meaning}")),
            None => self.text(item.strip_suffix(" ::").unwrap_or(item)),
        }
        self.flow.line_break();
        Some(1)
    }

    /// Closes the lists whose bullets stand at `column` or right of it.
    fn close_lists_at(&mut self, column: usize) {
        while self.lists.last().is_some_and(|bullet| *bullet >= column) {
            self.lists.pop();
            self.flow.end_container();
        }
    }

    fn close_lists(&mut self) {
        self.close_lists_at(0);
        self.flow.end_paragraph();
    }

    fn table(&mut self, rest: &[&str]) -> usize {
        let lines: Vec<&str> =
            rest.iter().map(|line| line.trim()).take_while(|line| line.starts_with('|')).collect();
        let is_rule = |line: &&&str| is_table_rule(line);
        let first_rule = lines.iter().skip_while(|line| is_rule(line)).position(|line| is_table_rule(line));
        let leading = lines.iter().take_while(is_rule).count();
        let has_rows_below =
            first_rule.is_some_and(|rule| lines.iter().skip(leading + rule).any(|line| !is_rule(&line)));
        let header_rows = first_rule.filter(|_| has_rows_below).unwrap_or(0);
        self.flow.start_table();
        if let Some(caption) = self.caption.take() {
            self.text(&caption);
            self.flow.finish_caption();
        }
        for (number, line) in lines.iter().filter(|line| !is_table_rule(line)).enumerate() {
            self.flow.start_row(number < header_rows);
            let inner = line.strip_prefix('|').unwrap_or(line);
            for cell in inner.strip_suffix('|').unwrap_or(inner).split('|') {
                self.flow.start_cell(false, 1, 1);
                self.text(&plain_cell(cell).text);
            }
        }
        self.flow.end_table();
        lines.len()
    }

    fn write_caption(&mut self) {
        if let Some(caption) = self.caption.take() {
            self.flow.end_paragraph();
            self.text(&caption);
        }
        self.flow.end_paragraph();
    }

    fn text(&mut self, words: &str) {
        let words = plain_words(words, &mut self.images);
        self.flow.text(&words);
    }
}

fn strip_prefix_ignoring_case<'a>(text: &'a str, prefix: &str) -> Option<&'a str> {
    let (start, rest) = text.split_at_checked(prefix.len())?;
    start.eq_ignore_ascii_case(prefix).then_some(rest)
}

fn is_table_rule(line: &str) -> bool {
    line.starts_with("|-") && line.chars().all(|one| matches!(one, '|' | '-' | '+' | ' '))
}

/// `:tag1:tag2:` at the end of a heading.
fn split_tags(title: &str) -> (&str, &str) {
    let (before, last) = title.rsplit_once(' ').unwrap_or(("", title));
    let is_tag = |one: char| one.is_alphanumeric() || "_@#%:".contains(one);
    let is_tags = last.len() > 2 && last.starts_with(':') && last.ends_with(':') && last.chars().all(is_tag);
    if is_tags { (before.trim_end(), last) } else { (title, "") }
}

/// Lines of `:NAME:` to `:END:`, which must come before the next heading.
fn drawer_end(rest: &[&str]) -> Option<usize> {
    let name = rest.first()?.trim().strip_prefix(':')?.strip_suffix(':')?;
    let is_name = !name.is_empty() && name.chars().all(|one| one.is_alphanumeric() || "-_".contains(one));
    let inside = rest.iter().skip(1).take_while(|line| !line.starts_with("* ") && !line.starts_with("**"));
    let end = inside.into_iter().position(|line| line.trim().eq_ignore_ascii_case(":END:"))?;
    is_name.then_some(end + 2)
}

fn bullet(words: &str) -> Option<(Option<u64>, &str)> {
    if let Some(item) = words.strip_prefix(['-', '+', '*']) {
        return (item.is_empty() || item.starts_with(' ')).then(|| (None, item.trim_start()));
    }
    let digits = words.len() - words.trim_start_matches(|one: char| one.is_ascii_digit()).len();
    let (number, rest) = words.split_at_checked(digits)?;
    let item = rest.strip_prefix(['.', ')']).filter(|item| item.is_empty() || item.starts_with(' '))?;
    Some((Some(number.parse().ok()?), item.trim_start()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;
    use proptest::prelude::*;

    fn text_of(text: &str) -> String {
        parse(text, "a.org").unwrap().text
    }

    #[test]
    fn headings_keep_their_state_and_tags_below() {
        let document = parse(
            "#+TITLE: The Plan\n#+AUTHOR: Ann\n* TODO [#A] First *thing* :work:home:\n:PROPERTIES:\n:ID: x1\n:END:\nwords\n** Sub\n* TODOs are words\n# gone\n",
            "a.org",
        )
        .unwrap();
        assert_eq!(document.text, "First thing\n\nTODO [#A] work home\n\nwords\n\nSub\n\nTODOs are words");
        assert_eq!(document.title.as_deref(), Some("The Plan"));
        assert_eq!(document.metadata["author"][0].to_text(), "Ann");
        let levels: Vec<_> = document.sections.iter().map(|section| section.level).collect();
        assert_eq!(levels, [1, 2, 1]);
    }

    #[test]
    fn blocks_are_told_apart() {
        let document = parse(
            "para one\npara /two/\n\n- a\n  more\n  - b\n- [X] c :: d\n1. n\n\n\nafter\n#+begin_src rust :results x\n  fn x() {}\n  ,* y\n#+end_src\n\
             #+BEGIN_QUOTE\nsaid\n#+END_QUOTE\n: fixed\n#+begin_comment\ngone\n#+end_comment\n#+begin_center\nmid\n#+end_center\n\
             #+CAPTION: Cap\n| a | b |\n|---+---|\n| 1 | =2= |\n#+TBLFM: $1=2\n[fn:1] The note\n#+INCLUDE: \"x.org\"\n",
            "a.org",
        )
        .unwrap();
        assert_eq!(
            document.text,
            "para one\npara two\n\n- a\n  more\n  - b\n- [X] c: d\n- n\n\nafter\n\nfn x() {}\n* y\n\nsaid\n\nfixed\n\nmid\n\nCap\n\na | b\n1 | 2\n\n[1] The note"
        );
        assert_eq!(document.coverage.warnings, ["the included file `\"x.org\"` was left out"]);
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
        fn every_word_is_kept(pieces in prop::collection::vec("[a-zé]{3,7}|\n|\n\n|\n\\* |\n\\*\\* TODO |\n- |\n  - |\n1\\. |\\*|/|=|~|_|\n\\| |\\||\n\\|--|\n: |\n#\\+begin_src |\n#\\+end_src\n|\n#\\+begin_quote\n|\n#\\+end_quote\n|\\[\\[|\\]\\[|\\]\\]|\\[fn:| :: |:| ", 0..30)) {
            let text = format!("start {}", pieces.concat());
            // The parameters of a block are no words of the text.
            prop_assume!(!text.lines().any(|line| line.trim_start().starts_with("#+begin_src")) && !text.contains("]["));
            let found = text_of(&text);
            for word in pieces.iter().filter(|piece| piece.chars().all(char::is_alphabetic) && piece.chars().count() >= 3) {
                prop_assert!(found.contains(word.as_str()), "{} not in {:?} of {:?}", word, found, text);
            }
        }

        #[test]
        fn any_text_is_no_panic(text in "([a-zé]{1,5}|\n|\n\n|\n\\* |#\\+|begin_|end_|src|quote|: |:END:|:A:|\\||-|\\[\\[|\\]\\]|\\]\\[|\\[fn:1\\]|\\*|/|,| ){0,40}") {
            let _ = parse(&text, "a.org");
        }
    }
}
