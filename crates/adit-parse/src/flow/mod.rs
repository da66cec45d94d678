mod table;

use adit_core::{FindingKind, TableCell, TextRange};

use crate::builder::{DocumentBuilder, push_row_line};
use crate::hidden_marks::marked;
use table::TableInProgress;

/// What stands around the words being written.
enum Container {
    /// A list; the number of its next item, if it counts.
    List(Option<u64>),
    Quote,
}

/// A list or quotation in progress. Everything inside the outermost one is one block, its inner
/// structure shown by line breaks and indentation.
#[derive(Default)]
struct Outermost {
    is_list: bool,
    text: String,
    items: Vec<TextRange>,
    item_start: Option<usize>,
    marker: Option<String>,
}

/// Whether white space in running text means anything.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum WhiteSpace {
    /// As HTML has it: any run is one space.
    Collapse,
    /// Kept inside a line.
    Keep,
}

/// Turns the nested, streaming structure of Markdown and HTML into the flat blocks of a
/// [`DocumentBuilder`]. Calls need not be balanced; an end without a start does nothing.
pub(crate) struct FlowWriter {
    pub(crate) builder: DocumentBuilder,
    white_space: WhiteSpace,
    inline: String,
    heading_level: Option<u8>,
    code: Option<(String, Option<String>)>,
    table: Option<TableInProgress>,
    containers: Vec<Container>,
    outermost: Option<Outermost>,
    /// Why the elements being written are hidden, outermost first.
    hidden: Vec<FindingKind>,
}

impl FlowWriter {
    pub(crate) fn new(white_space: WhiteSpace) -> Self {
        Self {
            builder: DocumentBuilder::new(),
            white_space,
            inline: String::new(),
            heading_level: None,
            code: None,
            table: None,
            containers: Vec::new(),
            outermost: None,
            hidden: Vec::new(),
        }
    }

    /// All following text is hidden from readers, until [`Self::leave_hidden`].
    pub(crate) fn enter_hidden(&mut self, kind: FindingKind) {
        self.hidden.push(kind);
    }

    /// Ends the innermost hidden element.
    pub(crate) fn leave_hidden(&mut self) {
        self.hidden.pop();
    }

    pub(crate) fn text(&mut self, text: &str) {
        match self.hidden.first() {
            Some(kind) => {
                let text = marked(*kind, text);
                self.push_text(&text);
            }
            None => self.push_text(text),
        }
    }

    fn push_text(&mut self, text: &str) {
        if let Some((code, _)) = &mut self.code {
            code.push_str(text);
        } else if self.white_space == WhiteSpace::Collapse {
            self.inline.extend(text.chars().map(|one| if one == '\n' { ' ' } else { one }));
        } else {
            self.inline.push_str(text);
        }
    }

    pub(crate) fn line_break(&mut self) {
        match &mut self.code {
            Some((code, _)) => code.push('\n'),
            None => self.inline.push('\n'),
        }
    }

    pub(crate) fn is_in_code(&self) -> bool {
        self.code.is_some()
    }

    pub(crate) fn is_in_table(&self) -> bool {
        self.table.is_some()
    }

    /// Ends the running paragraph, if there is one.
    pub(crate) fn end_paragraph(&mut self) {
        if let Some((code, _)) = &mut self.code {
            if !code.is_empty() && !code.ends_with('\n') {
                code.push('\n');
            }
            return;
        }
        if self.table.is_some() || self.heading_level.is_some() {
            self.inline.push(' ');
            return;
        }
        let words = self.take_inline();
        if words.is_empty() {
        } else if self.outermost.is_some() {
            self.write_lines(&words);
        } else {
            self.builder.paragraph(&words);
        }
    }

    pub(crate) fn start_heading(&mut self, level: u8) {
        self.end_paragraph();
        if self.table.is_none() && self.code.is_none() {
            self.heading_level = Some(level);
        }
    }

    pub(crate) fn end_heading(&mut self) {
        let Some(level) = self.heading_level.take() else { return self.end_paragraph() };
        if self.outermost.is_some() {
            return self.end_paragraph();
        }
        let words = self.take_inline();
        self.builder.heading(level, &words);
    }

    pub(crate) fn start_code(&mut self, language: Option<String>) {
        self.end_paragraph();
        if self.code.is_none() && self.table.is_none() {
            self.heading_level = None;
            self.end_paragraph();
            self.code = Some((String::new(), language.filter(|name| !name.is_empty())));
        }
    }

    /// Names the language of the code being written, if it has none yet.
    pub(crate) fn set_code_language(&mut self, language: Option<String>) {
        if let Some((_, known)) = &mut self.code
            && known.is_none()
        {
            *known = language;
        }
    }

    pub(crate) fn end_code(&mut self) {
        let Some((code, language)) = self.code.take() else { return };
        if self.outermost.is_some() {
            self.write_lines(code.trim_end());
        } else {
            self.builder.code(&code, language);
        }
    }

    pub(crate) fn start_list(&mut self, first_number: Option<u64>) {
        self.start_container(Container::List(first_number), true);
    }

    pub(crate) fn start_quote(&mut self) {
        self.start_container(Container::Quote, false);
    }

    fn start_container(&mut self, container: Container, is_list: bool) {
        self.end_paragraph();
        self.containers.push(container);
        if self.outermost.is_none() {
            self.outermost = Some(Outermost { is_list, ..Outermost::default() });
        }
    }

    pub(crate) fn end_container(&mut self) {
        self.end_paragraph();
        if self.containers.pop().is_none() || !self.containers.is_empty() {
            return;
        }
        self.end_item();
        let Some(outermost) = self.outermost.take() else { return };
        if outermost.is_list {
            self.builder.list(&outermost.text, &outermost.covering_items());
        } else {
            self.builder.quote(&outermost.text);
        }
    }

    pub(crate) fn start_item(&mut self) {
        self.end_paragraph();
        let depth = self.list_depth();
        let Some(Container::List(number)) = self.containers.last_mut() else { return };
        let marker = match number {
            Some(number) => {
                let marker = format!("{number}. ");
                *number = number.saturating_add(1);
                marker
            }
            None => "- ".to_owned(),
        };
        let is_outer_item = self.containers.len() == 1;
        let Some(outermost) = &mut self.outermost else { return };
        outermost.marker = Some(format!("{}{marker}", indentation(depth.saturating_sub(1))));
        if is_outer_item {
            outermost.close_item();
            outermost.item_start = Some(outermost.text.len());
        }
    }

    pub(crate) fn end_item(&mut self) {
        self.end_paragraph();
        if self.containers.len() <= 1
            && let Some(outermost) = &mut self.outermost
        {
            outermost.close_item();
        }
    }

    pub(crate) fn start_table(&mut self) {
        self.end_paragraph();
        if self.code.is_none() && self.table.is_none() {
            self.heading_level = None;
            self.end_paragraph();
            self.table = Some(TableInProgress::default());
        }
    }

    pub(crate) fn start_row(&mut self, is_head: bool) {
        self.finish_cell();
        if let Some(table) = &mut self.table {
            table.start_row(is_head);
        }
    }

    /// All rows so far are headers.
    pub(crate) fn mark_rows_as_head(&mut self) {
        self.finish_cell();
        if let Some(table) = &mut self.table {
            table.mark_rows_as_head();
        }
    }

    pub(crate) fn start_cell(&mut self, is_header: bool, column_span: u32, row_span: u32) {
        self.finish_cell();
        if let Some(table) = &mut self.table {
            table.start_cell(is_header, column_span, row_span);
        }
    }

    pub(crate) fn finish_cell(&mut self) {
        if self.table.is_some() {
            let words = self.take_inline();
            if let Some(table) = &mut self.table {
                table.finish_cell(&words);
            }
        }
    }

    pub(crate) fn finish_caption(&mut self) {
        if self.table.is_some() {
            let words = self.take_inline();
            if let Some(table) = &mut self.table {
                table.add_caption(&words);
            }
        }
    }

    pub(crate) fn end_table(&mut self) {
        self.finish_cell();
        let Some(table) = self.table.take() else { return };
        let (rows, header_rows, caption) = table.finish();
        if self.outermost.is_none() {
            return self.builder.table(rows, header_rows, caption);
        }
        if let Some(caption) = caption {
            self.write_lines(&caption);
        }
        for cells in rows.iter().filter(|cells| !is_blank_row(cells)) {
            let mut line = String::new();
            push_row_line(&mut line, cells);
            self.write_lines(&line);
        }
    }

    /// Closes whatever is still open and hands the builder back.
    pub(crate) fn finish(mut self) -> DocumentBuilder {
        self.end_code();
        self.end_table();
        self.end_heading();
        while !self.containers.is_empty() {
            self.end_container();
        }
        self.end_paragraph();
        self.builder
    }

    fn list_depth(&self) -> usize {
        self.containers.iter().filter(|one| matches!(one, Container::List(_))).count()
    }

    fn write_lines(&mut self, words: &str) {
        let depth = self.list_depth();
        let Some(outermost) = &mut self.outermost else { return };
        for line in words.lines().filter(|line| !line.trim().is_empty()) {
            if !outermost.text.is_empty() {
                outermost.text.push('\n');
            }
            if outermost.item_start == Some(outermost.text.len().saturating_sub(1)) {
                // The item begins on this line, not with the line break before it.
                outermost.item_start = Some(outermost.text.len());
            }
            match outermost.marker.take() {
                Some(marker) => outermost.text.push_str(&marker),
                None if !outermost.text.is_empty() => outermost.text.push_str(&indentation(depth)),
                None => {}
            }
            outermost.text.push_str(if outermost.text.is_empty() { line.trim_start() } else { line });
        }
    }

    fn take_inline(&mut self) -> String {
        let inline = std::mem::take(&mut self.inline);
        if inline.trim().is_empty() {
            return String::new();
        }
        let lines = inline.split('\n').map(|line| match self.white_space {
            WhiteSpace::Collapse => line.split_whitespace().collect::<Vec<_>>().join(" "),
            WhiteSpace::Keep => line.trim().to_owned(),
        });
        // A soft hyphen is no letter: it would split the word for search.
        lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n").replace('\u{ad}', "")
    }
}

impl Outermost {
    /// The items with the words between them, which broken pages have, so that nothing stands outside.
    fn covering_items(&self) -> Vec<TextRange> {
        let mut starts: Vec<usize> =
            std::iter::once(0).chain(self.items.iter().map(|item| item.start)).collect();
        starts.dedup();
        let ends = starts.iter().copied().skip(1).chain(std::iter::once(self.text.len()));
        let covering = starts.iter().zip(ends).map(|(&start, next)| {
            let words = self.text.get(start..next).unwrap_or_default();
            TextRange::new(start, start + words.trim_end().len())
        });
        covering.filter(|item| !item.is_empty()).collect()
    }

    fn close_item(&mut self) {
        if let Some(start) = self.item_start.take()
            && start < self.text.len()
        {
            self.items.push(TextRange::new(start, self.text.len()));
        }
    }
}

/// Deep nesting is indented no further than a reader would follow.
fn indentation(depth: usize) -> String {
    "  ".repeat(depth.min(12))
}

fn is_blank_row(cells: &[TableCell]) -> bool {
    cells.iter().all(|cell| cell.text.is_empty())
}
