use std::collections::HashMap;

use adit_core::ParseError;

use crate::docx::numbering::Numbering;
use crate::docx::paragraph::{Paragraph, read_paragraph};
use crate::docx::styles::{ParagraphRole, Styles, role_of_outline_level};
use crate::office::blocks::OfficeBlock;
use crate::xml_reader::{Element, XmlReader};

/// Which kind of note a paragraph refers to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum NoteKind {
    Footnote,
    Endnote,
    Comment,
}

/// Reads the blocks of `word/document.xml` and of the parts that are built like it, and keeps what is
/// true across paragraphs: how far lists have counted, which notes wait to be written, the page.
#[derive(Default)]
pub(crate) struct DocxBody {
    pub(crate) styles: Styles,
    pub(crate) numbering: Numbering,
    /// Words of the notes by kind and identifier; comments begin with who wrote them.
    pub(crate) notes: HashMap<(NoteKind, String), String>,
    /// Charts and diagrams by the identifier of their relationship.
    pub(crate) embedded: HashMap<String, Vec<OfficeBlock>>,
    /// Identifiers of the headers' and footers' relationships, as sections name them.
    pub(crate) header_references: Vec<String>,
    /// Cells, text boxes and notes the reader stands in.
    pub(crate) nesting: usize,
    /// The page, if the file's page breaks can be trusted.
    pub(crate) page: Option<u32>,
    pub(crate) title: Option<String>,
    pub(crate) deleted_parts: u64,
    pub(crate) images_without_text: u64,
    pub(crate) embedded_documents: u64,
    written_page: Option<u32>,
    heading_shift: u8,
    has_heading: bool,
    note_count: u64,
    pending_notes: Vec<OfficeBlock>,
    /// Words of a paragraph whose mark was deleted: they belong to the next one.
    carried_words: String,
}

impl DocxBody {
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
        if self.nesting == 0 {
            out.append(&mut self.pending_notes);
        }
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
            "p" => {
                self.write_page(out);
                let paragraph = read_paragraph(self, reader, element)?;
                self.write_paragraph(paragraph, out);
            }
            "tbl" => {
                self.write_page(out);
                self.write_notes(out);
                super::table::read(self, reader, element, out)?;
                self.write_notes(out);
            }
            "oMath" => {
                let formula = super::math::read(reader, element)?;
                self.write_notes(out);
                out.push(OfficeBlock::Paragraph(formula));
            }
            "sectPr" => self.read_section_properties(reader, element)?,
            "altChunk" => self.embedded_documents += 1,
            "sdtPr" | "sdtEndPr" | "del" | "moveFrom" => reader.skip(element)?,
            _ => {}
        }
        Ok(())
    }

    pub(crate) fn read_section_properties(
        &mut self,
        reader: &mut XmlReader<'_>,
        outer: &Element,
    ) -> Result<(), ParseError> {
        while let Some(element) = reader.next_element(outer)? {
            if matches!(element.name(), "headerReference" | "footerReference")
                && let Some(id) = element.attribute("id")
            {
                self.header_references.push(id.to_owned());
            }
        }
        Ok(())
    }

    /// The mark that stands in the text for a note, whose words will follow the block.
    pub(crate) fn refer_to_note(&mut self, kind: NoteKind, id: &str) -> Option<String> {
        let words = self.notes.get(&(kind, id.to_owned())).filter(|words| !words.trim().is_empty())?;
        if kind == NoteKind::Comment {
            self.pending_notes.push(OfficeBlock::Paragraph(words.clone()));
            return None;
        }
        self.note_count += 1;
        let mark = format!("[{}]", self.note_count);
        self.pending_notes.push(OfficeBlock::Paragraph(format!("{mark} {words}")));
        Some(mark)
    }

    fn write_paragraph(&mut self, mut paragraph: Paragraph, out: &mut Vec<OfficeBlock>) {
        if !self.carried_words.is_empty() {
            paragraph.words.insert_str(0, &std::mem::take(&mut self.carried_words));
        }
        if paragraph.is_mark_deleted {
            self.carried_words = std::mem::take(&mut paragraph.words);
        }
        if paragraph.starts_on_new_page {
            self.write_page(out);
        }
        let block = self.block_of(&mut paragraph);
        if let Some(block) = block.filter(OfficeBlock::has_words) {
            let is_item = matches!(block, OfficeBlock::Item { .. });
            if !is_item
                && self.nesting == 0
                && out.last().is_some_and(|last| matches!(last, OfficeBlock::Item { .. }))
            {
                self.write_notes(out);
            }
            out.push(block);
            if is_item && paragraph.boxes.is_empty() {
                // A note between two items would tear their list apart.
                return;
            }
        }
        out.append(&mut paragraph.boxes);
        self.write_notes(out);
    }

    fn block_of(&mut self, paragraph: &mut Paragraph) -> Option<OfficeBlock> {
        let style = paragraph.style.as_deref();
        let inherited = self.styles.numbering(style);
        paragraph.numbering.number_id = paragraph.numbering.number_id.take().or(inherited.number_id);
        paragraph.numbering.level = paragraph.numbering.level.or(inherited.level);
        let words = std::mem::take(&mut paragraph.words);
        let mut role = self.styles.role(style);
        if role == ParagraphRole::Text
            && let Some(direct) = paragraph.outline_level.and_then(role_of_outline_level)
        {
            role = direct;
        }
        if words.trim().is_empty() {
            // Word counts an empty item too, but shows nothing a reader would look for.
            return None;
        }
        let place = self.numbering.advance(&paragraph.numbering);
        Some(match role {
            ParagraphRole::Title => self.title_block(words),
            ParagraphRole::Heading(level) => {
                self.has_heading |= self.nesting == 0;
                let label = place.map(|place| place.label).filter(|label| !label.is_empty());
                let words = label.map_or(words.clone(), |label| format!("{label} {}", words.trim()));
                if self.nesting > 0 {
                    return Some(OfficeBlock::Paragraph(words));
                }
                OfficeBlock::Heading { level: level.saturating_add(self.heading_shift), words }
            }
            ParagraphRole::Code => OfficeBlock::Code(words),
            ParagraphRole::Quote => OfficeBlock::Quote(words),
            ParagraphRole::Text => match place {
                Some(place) => OfficeBlock::Item { level: place.level, number: place.number, words },
                None => OfficeBlock::Paragraph(words),
            },
        })
    }

    /// The title stands above all headings if it comes before them.
    fn title_block(&mut self, words: String) -> OfficeBlock {
        if self.nesting > 0 {
            return OfficeBlock::Paragraph(words);
        }
        if self.title.is_none() {
            self.title = Some(words.clone());
            self.heading_shift = u8::from(!self.has_heading);
        }
        OfficeBlock::Heading { level: 1, words }
    }

    fn write_page(&mut self, out: &mut Vec<OfficeBlock>) {
        if self.nesting == 0
            && self.page != self.written_page
            && let Some(page) = self.page
        {
            // A list over the page's end stays one list, on the page it starts on.
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
