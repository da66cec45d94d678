use std::collections::HashMap;

use adit_core::ParseError;

use crate::odf::paragraph::{OdfParagraph, read_paragraph};
use crate::odf::styles::{OdfRole, OdfStyles};
use crate::office::blocks::{OfficeBlock, words_of};
use crate::xml_reader::{Element, Node, XmlReader};

/// What repeated cells may add to the text of one document.
const REPEAT_BUDGET_BYTES: usize = 4 << 20;

/// Reads the blocks of OpenDocument text and slides, and keeps what is true across paragraphs.
pub(crate) struct OdfBody {
    pub(crate) styles: OdfStyles,
    /// Cells, text boxes and notes the reader stands in.
    pub(crate) nesting: usize,
    /// The page, if the file's page breaks can be trusted.
    pub(crate) page: Option<u32>,
    pub(crate) title: Option<String>,
    pub(crate) images_without_text: u64,
    pub(crate) embedded_objects: u64,
    written_page: Option<u32>,
    heading_shift: u8,
    has_heading: bool,
    note_count: u64,
    pending_notes: Vec<OfficeBlock>,
    /// How far lists of a style have counted at a level, for lists that go on.
    counters: HashMap<(String, u8), u64>,
    repeat_budget_bytes: usize,
}

impl OdfBody {
    pub(crate) fn new(styles: OdfStyles) -> Self {
        Self {
            styles,
            nesting: 0,
            page: None,
            title: None,
            images_without_text: 0,
            embedded_objects: 0,
            written_page: None,
            heading_shift: 0,
            has_heading: false,
            note_count: 0,
            pending_notes: Vec::new(),
            counters: HashMap::new(),
            repeat_budget_bytes: REPEAT_BUDGET_BYTES,
        }
    }

    /// How often a piece of that many bytes may stand in the text.
    pub(crate) fn allowed_repeats(&mut self, wanted: u64, bytes: usize) -> usize {
        let extra = usize::try_from(wanted.saturating_sub(1)).unwrap_or(0);
        let extra = extra.min(self.repeat_budget_bytes / (bytes + 1));
        self.repeat_budget_bytes -= extra * (bytes + 1);
        extra + 1
    }

    /// Reads everything inside `outer`.
    pub(crate) fn read_blocks(
        &mut self,
        reader: &mut XmlReader<'_>,
        outer: &Element,
        out: &mut Vec<OfficeBlock>,
    ) -> Result<(), ParseError> {
        while let Some(element) = reader.next_element(outer)? {
            self.read_block(reader, &element, out)?;
        }
        self.write_notes(out);
        Ok(())
    }

    /// Reads one element that may be a block; others are transparent.
    pub(crate) fn read_block(
        &mut self,
        reader: &mut XmlReader<'_>,
        element: &Element,
        out: &mut Vec<OfficeBlock>,
    ) -> Result<(), ParseError> {
        match element.name() {
            "p" | "h" => {
                self.write_page(out);
                let paragraph = read_paragraph(self, reader, element)?;
                self.write_paragraph(element, paragraph, out);
            }
            "list" => {
                self.write_page(out);
                self.read_list(reader, element, None, 0, out)?;
                self.write_notes(out);
            }
            "table" => {
                self.write_page(out);
                crate::odf::table::read(self, reader, element, out)?;
                self.write_notes(out);
            }
            "annotation" => {
                self.read_annotation(reader, element)?;
                self.write_notes(out);
            }
            "frame" => self.read_frame(reader, element, out)?,
            "soft-page-break" => self.turn_page(),
            "tracked-changes" | "forms" | "variable-decls" | "sequence-decls" | "user-field-decls" => {
                reader.skip(element)?;
            }
            name if name.ends_with("-source") => reader.skip(element)?,
            _ => {}
        }
        Ok(())
    }

    /// `draw:frame`: a text box, or a picture whose title or description is its text.
    pub(crate) fn read_frame(
        &mut self,
        reader: &mut XmlReader<'_>,
        outer: &Element,
        out: &mut Vec<OfficeBlock>,
    ) -> Result<(), ParseError> {
        let (mut has_picture, mut described) = (false, None);
        let blocks_before = out.len();
        while let Some(element) = reader.next_element(outer)? {
            match element.name() {
                "image" => has_picture = true,
                "object" | "object-ole" => self.embedded_objects += 1,
                "title" | "desc" => described = Some(reader.text_of(&element)?),
                _ => self.read_block(reader, &element, out)?,
            }
        }
        let words = described.filter(|words| has_picture && !words.trim().is_empty());
        let has_words = words.is_some() || out.len() > blocks_before;
        self.images_without_text += u64::from(has_picture && !has_words);
        out.extend(words.map(OfficeBlock::Paragraph));
        Ok(())
    }

    /// The mark that stands in the text for a note (6.3), whose words will follow the block.
    pub(crate) fn read_note(
        &mut self,
        reader: &mut XmlReader<'_>,
        outer: &Element,
    ) -> Result<String, ParseError> {
        let mut blocks = Vec::new();
        self.nesting += 1;
        while let Some(element) = reader.next_element(outer)? {
            match element.name() {
                "note-citation" => reader.skip(&element)?,
                _ => self.read_block(reader, &element, &mut blocks)?,
            }
        }
        self.nesting -= 1;
        self.note_count += 1;
        let mark = format!("[{}]", self.note_count);
        self.pending_notes.push(OfficeBlock::Paragraph(format!("{mark} {}", words_of(&blocks))));
        Ok(mark)
    }

    /// A comment (14.1), written after the block it stands in.
    pub(crate) fn read_annotation(
        &mut self,
        reader: &mut XmlReader<'_>,
        outer: &Element,
    ) -> Result<(), ParseError> {
        let (mut author, mut blocks) = (String::new(), Vec::new());
        self.nesting += 1;
        while let Some(element) = reader.next_element(outer)? {
            match element.name() {
                "creator" => author = reader.text_of(&element)?,
                "date" | "date-string" | "creator-initials" | "sender-initials" => reader.skip(&element)?,
                _ => self.read_block(reader, &element, &mut blocks)?,
            }
        }
        self.nesting -= 1;
        let words = words_of(&blocks);
        if !words.is_empty() {
            let mark = match author.trim() {
                "" => "[Comment]".to_owned(),
                author => format!("[Comment by {author}]"),
            };
            self.pending_notes.push(OfficeBlock::Paragraph(format!("{mark} {words}")));
        }
        Ok(())
    }

    pub(crate) fn turn_page(&mut self) {
        if let Some(page) = &mut self.page {
            *page = page.saturating_add(1);
        }
    }

    fn read_list(
        &mut self,
        reader: &mut XmlReader<'_>,
        outer: &Element,
        inherited: Option<&str>,
        level: u8,
        out: &mut Vec<OfficeBlock>,
    ) -> Result<(), ParseError> {
        let style = outer.attribute("style-name").or(inherited).unwrap_or_default().to_owned();
        let key = (style.clone(), level);
        let goes_on = outer.attribute("continue-numbering") == Some("true")
            || outer.attribute("continue-list").is_some();
        if !goes_on {
            self.counters.remove(&key);
        }
        while let Some(item) = reader.next_element(outer)? {
            let counts = item.name() == "list-item";
            if !counts && item.name() != "list-header" {
                continue;
            }
            if let Some(start) = item.number("start-value").and_then(|start| u64::try_from(start).ok()) {
                self.counters.insert(key.clone(), start.saturating_sub(1));
            }
            let mut is_first = counts;
            while let Some(element) = reader.next_element(&item)? {
                match element.name() {
                    "list" => self.read_list(reader, &element, Some(&style), level.saturating_add(1), out)?,
                    "p" => {
                        let paragraph = read_paragraph(self, reader, &element)?;
                        self.write_item(&key, &element, paragraph, &mut is_first, out);
                    }
                    _ => self.read_block(reader, &element, out)?,
                }
            }
        }
        Ok(())
    }

    fn write_item(
        &mut self,
        (list_style, level): &(String, u8),
        element: &Element,
        mut paragraph: OdfParagraph,
        is_first: &mut bool,
        out: &mut Vec<OfficeBlock>,
    ) {
        let words = std::mem::take(&mut paragraph.words);
        if !words.trim().is_empty() {
            if std::mem::take(is_first) {
                let by_paragraph = self.styles.list_style_of(element.attribute("style-name"));
                let style = Some(list_style.as_str()).filter(|style| !style.is_empty()).or(by_paragraph);
                let number = style.and_then(|style| self.styles.first_number(style, *level)).map(|first| {
                    let counter =
                        self.counters.entry((list_style.clone(), *level)).or_insert(first.saturating_sub(1));
                    *counter = counter.saturating_add(1);
                    *counter
                });
                out.push(OfficeBlock::Item { level: *level, number, words });
            } else if let Some(OfficeBlock::Item { words: item, .. }) = out.last_mut() {
                item.push('\n');
                item.push_str(&words);
            } else {
                out.push(OfficeBlock::Paragraph(words));
            }
        }
        out.append(&mut paragraph.boxes);
    }

    fn write_paragraph(
        &mut self,
        element: &Element,
        mut paragraph: OdfParagraph,
        out: &mut Vec<OfficeBlock>,
    ) {
        let words = std::mem::take(&mut paragraph.words);
        let is_inside = self.nesting > 0;
        let role = self.styles.role(element.attribute("style-name"));
        let block = match (element.name(), role) {
            ("h", _) if !is_inside => {
                let level = element.number("outline-level").unwrap_or(1).clamp(1, 9);
                self.has_heading |= !words.trim().is_empty();
                let level = u8::try_from(level).unwrap_or(1).saturating_add(self.heading_shift);
                OfficeBlock::Heading { level, words }
            }
            (_, OdfRole::Title) if !is_inside && !words.trim().is_empty() => {
                if self.title.is_none() {
                    self.title = Some(words.clone());
                    self.heading_shift = u8::from(!self.has_heading);
                }
                OfficeBlock::Heading { level: 1, words }
            }
            (_, OdfRole::Quote) => OfficeBlock::Quote(words),
            (_, OdfRole::Code) => OfficeBlock::Code(words),
            _ => OfficeBlock::Paragraph(words),
        };
        if block.has_words() {
            out.push(block);
        }
        out.append(&mut paragraph.boxes);
        self.write_notes(out);
    }

    fn write_page(&mut self, out: &mut Vec<OfficeBlock>) {
        if self.nesting == 0
            && self.page != self.written_page
            && let Some(page) = self.page
        {
            self.written_page = self.page;
            out.push(OfficeBlock::Page(page));
        }
    }

    fn write_notes(&mut self, out: &mut Vec<OfficeBlock>) {
        if self.nesting == 0 {
            out.append(&mut self.pending_notes);
        }
    }
}

/// Text of a node as OpenDocument has it (6.1.2): any run of white space is one space.
pub(crate) fn push_collapsed(words: &mut String, node: Node) {
    let Node::Text(text) = node else { return };
    for character in text.chars() {
        if !matches!(character, ' ' | '\t' | '\n' | '\r') {
            words.push(character);
        } else if !words.ends_with([' ', '\n', '\t']) {
            words.push(' ');
        }
    }
}
