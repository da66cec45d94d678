use adit_core::TableCell;

use crate::builder::plain_cell;
use crate::html;
use crate::restructured_text::RestructuredTextWriter;
use crate::restructured_text::lines::{field, indented_end, list_item, without_margin};

/// A directive taken apart: `.. name:: argument`, options, body.
struct Directive<'a> {
    name: &'a str,
    argument: String,
    options: Vec<(&'a str, &'a str)>,
    body: Vec<&'a str>,
}

impl Directive<'_> {
    fn option(&self, name: &str) -> Option<&str> {
        self.options
            .iter()
            .find(|(key, _)| *key == name)
            .map(|(_, value)| *value)
            .filter(|value| !value.is_empty())
    }
}

impl RestructuredTextWriter {
    /// Everything that begins with `..`; gives the number of lines.
    pub(crate) fn explicit_markup(&mut self, rest: &[&str], depth: usize) -> usize {
        let first = rest.first().copied().unwrap_or_default();
        let used = 1 + indented_end(rest.get(1..).unwrap_or_default(), 0);
        let content = first.get(2..).unwrap_or_default().trim_start();
        // An empty comment does not take the indented text below a blank line.
        if content.is_empty() && rest.get(1).is_none_or(|next| next.is_empty()) {
            return 1;
        }
        let below = without_margin(rest.get(1..used).unwrap_or_default());
        if first.starts_with("__") || content.starts_with('_') {
            return used;
        }
        if let Some((label, words)) = content.strip_prefix('[').and_then(|note| note.split_once(']')) {
            self.text(&format!("[{}] {}", label.trim_start_matches('#'), words.trim_start()));
            let end = below.iter().take_while(|line| !line.is_empty()).count();
            for line in below.iter().take(end) {
                self.text(&format!("\n{line}"));
            }
            self.flow.end_paragraph();
            self.blocks(below.get(end..).unwrap_or_default(), depth + 1);
            return used;
        }
        let is_substitution = content.starts_with('|');
        let named = content
            .strip_prefix('|')
            .and_then(|named| named.split_once('|'))
            .map_or(content, |(_, name)| name.trim_start());
        if let Some(directive) = read_directive(named, &below)
            && !(is_substitution && directive.name == "replace")
        {
            self.directive(&directive, depth);
        }
        used
    }

    fn directive(&mut self, directive: &Directive<'_>, depth: usize) {
        match directive.name {
            "code-block" | "code" | "sourcecode" | "parsed-literal" | "prompt" | "doctest" | "testcode"
            | "productionlist" => {
                self.caption(directive);
                let is_language = directive.name.contains("code") && !directive.argument.is_empty();
                self.code(&directive.body, is_language.then_some(directive.argument.as_str()));
            }
            "math" => {
                let lines: Vec<&str> =
                    directive.argument.lines().chain(directive.body.iter().copied()).collect();
                self.code(&lines, Some("latex"));
            }
            "raw" if directive.argument == "html" => {
                html::write_fragment(&directive.body.join("\n"), &mut self.flow);
                self.flow.end_paragraph();
            }
            "raw" => self.code(&directive.body, Some(directive.argument.as_str())),
            "image" | "figure" => self.image(directive, depth),
            "include" | "literalinclude" => {
                let sentence = format!("the included file `{}` was left out", directive.argument);
                self.flow.builder.warn(sentence);
            }
            "contents" | "toctree" | "index" | "highlight" | "default-role" | "role" | "sectnum" | "meta"
            | "currentmodule" | "module" | "target-notes" | "tabularcolumns" => {}
            "csv-table" => self.csv_table(directive),
            "list-table" => self.list_table(directive),
            "table" => {
                self.text(&directive.argument);
                self.flow.end_paragraph();
                self.blocks(&directive.body, depth + 1);
            }
            name => self.admonition(name, directive, depth),
        }
    }

    /// Notes and their kind, and directives not known here, whose words are kept.
    fn admonition(&mut self, name: &str, directive: &Directive<'_>, depth: usize) {
        let label = match name {
            "note" => "Note",
            "warning" => "Warning",
            "tip" => "Tip",
            "important" => "Important",
            "caution" => "Caution",
            "danger" => "Danger",
            "hint" => "Hint",
            "attention" => "Attention",
            "error" => "Error",
            "seealso" => "See also",
            "versionadded" => "Added in version",
            "versionchanged" => "Changed in version",
            "deprecated" => "Deprecated since version",
            _ => "",
        };
        let colon = if label.contains("version") || label.is_empty() { " " } else { ": " };
        let mut words = format!("{label}{colon}{}", directive.argument);
        let mut body = directive.body.as_slice();
        // The label and the paragraph that follows it belong together.
        if directive.argument.is_empty()
            && !label.is_empty()
            && let Some((first, below)) = body.split_first()
            && first.starts_with(char::is_alphanumeric)
            && list_item(first).is_none()
        {
            let end = below.iter().take_while(|line| !line.is_empty() && !line.starts_with(' ')).count();
            let has_structure = below.get(end).is_some_and(|line| !line.is_empty())
                || below.iter().take(end).chain([first]).any(|line| line.ends_with("::"));
            if !has_structure {
                words = format!("{words}{first}\n{}", below.get(..end).unwrap_or_default().join("\n"));
                body = below.get(end..).unwrap_or_default();
            }
        }
        self.text(&words);
        self.flow.end_paragraph();
        self.blocks(body, depth + 1);
    }

    fn caption(&mut self, directive: &Directive<'_>) {
        if let Some(caption) = directive.option("caption").or_else(|| directive.option("name")) {
            self.text(caption);
            self.flow.end_paragraph();
        }
    }

    fn image(&mut self, directive: &Directive<'_>, depth: usize) {
        match directive.option("alt") {
            Some(words) => self.text(words),
            None => self.images += usize::from(directive.body.iter().all(|line| line.is_empty())),
        }
        self.flow.end_paragraph();
        self.blocks(&directive.body, depth + 1);
    }

    fn csv_table(&mut self, directive: &Directive<'_>) {
        if let Some(file) = directive.option("file").or_else(|| directive.option("url")) {
            let sentence = format!("the included file `{file}` was left out");
            self.flow.builder.warn(sentence);
        }
        let delimiter = directive.option("delim").and_then(|delim| match delim.as_bytes() {
            [one] => Some(*one),
            _ => (delim == "tab").then_some(b'\t'),
        });
        let read = |text: &str| -> Vec<Vec<TableCell>> {
            let mut reader = ::csv::ReaderBuilder::new();
            reader
                .flexible(true)
                .has_headers(false)
                .delimiter(delimiter.unwrap_or(b','))
                .trim(::csv::Trim::All);
            let mut reader = reader.from_reader(text.as_bytes());
            reader.records().flatten().map(|record| record.iter().map(plain_cell).collect()).collect()
        };
        let mut rows = read(directive.option("header").unwrap_or_default());
        let declared = directive.option("header-rows").and_then(|count| count.parse::<usize>().ok());
        let header_rows = rows.len() + declared.unwrap_or(0);
        rows.extend(read(&directive.body.join("\n")));
        self.table((rows, header_rows), Some(directive.argument.as_str()));
    }

    /// A list of lists; one that is not is written as the list it is.
    fn list_table(&mut self, directive: &Directive<'_>) {
        let header_rows = directive.option("header-rows").and_then(|count| count.parse().ok()).unwrap_or(0);
        let mut rows = Vec::new();
        for row in items_of(&directive.body).unwrap_or_default() {
            match items_of(&row) {
                Some(cells) => rows.push(cells.iter().map(|cell| plain_cell(&cell.join("\n"))).collect()),
                None => rows.push(vec![plain_cell(&row.join("\n"))]),
            }
        }
        if rows.is_empty() {
            self.text(&directive.argument);
            self.flow.end_paragraph();
            return self.blocks(&directive.body, 1);
        }
        self.table((rows, header_rows), Some(directive.argument.as_str()));
    }
}

/// The items of a list that is all there is; `None` where something else stands.
fn items_of<'a>(lines: &[&'a str]) -> Option<Vec<Vec<&'a str>>> {
    let mut items = Vec::new();
    let mut at = lines.iter().take_while(|line| line.is_empty()).count();
    while at < lines.len() {
        let item = list_item(lines.get(at)?).filter(|item| item.number.is_none())?;
        let below = lines.get(at + 1..).unwrap_or_default();
        let used = indented_end(below, 0);
        let mut words = vec![item.words];
        words.extend(without_margin(below.get(..used).unwrap_or_default()));
        items.push(words);
        at += 1 + used;
        at += lines.iter().skip(at).take_while(|line| line.is_empty()).count();
    }
    (!items.is_empty()).then_some(items)
}

fn read_directive<'a>(first: &'a str, below: &[&'a str]) -> Option<Directive<'a>> {
    let (name, argument) = first.split_once("::")?;
    if name.is_empty() || name.contains(char::is_whitespace) {
        return None;
    }
    let mut argument = argument.trim().to_owned();
    let mut at = 0;
    // An argument may go on below, up to the options or a blank line.
    if !argument.is_empty() {
        for line in below.iter().take_while(|line| !line.is_empty() && field(line).is_none()) {
            argument.push('\n');
            argument.push_str(line.trim());
            at += 1;
        }
    }
    let mut options = Vec::new();
    while let Some((key, value)) = below.get(at).and_then(|line| field(line)) {
        options.push((key, value.trim()));
        at += 1;
        at += below.iter().skip(at).take_while(|line| line.starts_with(' ')).count();
    }
    let body = below.get(at..).unwrap_or_default();
    let blank = body.iter().take_while(|line| line.is_empty()).count();
    Some(Directive { name, argument, options, body: body.get(blank..).unwrap_or_default().to_vec() })
}
