//! PowerPoint 97 to 2003 ([MS-PPT]): the text of the slides in their order, with their notes.

mod records;
mod slides;

use adit_core::{MediaType, ParseError, ParsedDocument};

use crate::builder::DocumentBuilder;
use crate::compound::{Compound, u32_at};
use slides::{Presentation, Slide, TextKind};

/// The mark of an encrypted presentation ([MS-PPT] 2.3.2).
const ENCRYPTED: u32 = 0xf3d1_c4df;

/// Reads a presentation: one page a slide, titles as headings, notes after their slide.
///
/// # Errors
/// [`ParseError::PasswordNeeded`], [`ParseError::Damaged`], and [`ParseError::Empty`] without a word.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let mut compound = Compound::open(bytes, MediaType::Ppt)?;
    let user = compound.stream("/Current User")?.unwrap_or_default();
    if u32_at(&user, 12) == Some(ENCRYPTED) {
        return Err(ParseError::PasswordNeeded);
    }
    let stream = compound.stream("/PowerPoint Document")?;
    let stream = stream.ok_or_else(|| compound.damaged("it has no stream with its slides"))?;
    let edit_offset = u32_at(&user, 16);
    let presentation = Presentation::read(&stream, edit_offset);
    let mut builder = DocumentBuilder::new();
    match presentation {
        Some(presentation) => write_slides(&presentation.slides(), &mut builder),
        None => {
            // Without its directory nothing says which slides are old versions: all text is kept.
            builder.warn("the list of its slides is broken; all text in it was kept, in no order".to_owned());
            for text in records::all_texts(&stream) {
                builder.paragraph(&text);
            }
        }
    }
    let document = builder.finish(MediaType::Ppt);
    if document.text.is_empty() { Err(ParseError::Empty) } else { Ok(document) }
}

fn write_slides(slides: &[Slide], builder: &mut DocumentBuilder) {
    builder.coverage().pages_in = u32::try_from(slides.len()).unwrap_or(u32::MAX);
    for (number, slide) in (1_u32..).zip(slides) {
        builder.set_page(number);
        if slide.texts.is_empty() && slide.notes.is_empty() {
            builder.coverage().pages_without_text.push(number);
        }
        if let Some((_, title)) = slide.texts.iter().find(|(kind, _)| *kind == TextKind::Title) {
            builder.heading(1, title);
        }
        for (kind, text) in &slide.texts {
            if *kind != TextKind::Title {
                text.split('\n').for_each(|line| builder.paragraph(line));
            }
        }
        for note in &slide.notes {
            builder.paragraph(&format!("Notes: {note}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::records::testing::{container, record};
    use super::*;
    use crate::compound::testing::compound_of;

    fn utf16(text: &str) -> Vec<u8> {
        text.encode_utf16().flat_map(u16::to_le_bytes).collect()
    }

    fn numbers(values: &[u32]) -> Vec<u8> {
        values.iter().flat_map(|value| value.to_le_bytes()).collect()
    }

    /// Two slides, the first also in an old version that was saved over; one with a text box and a note.
    fn presentation() -> Vec<u8> {
        let list = [
            record(0x03f3, 0, &numbers(&[2, 0, 2, 256, 0])),
            record(0x0f9f, 0, &numbers(&[0])),
            record(0x0fa0, 0, &utf16("First")),
            record(0x0f9f, 0, &numbers(&[1])),
            record(0x0fa8, 0, b"point one\rpoint two"),
            record(0x03f3, 0, &numbers(&[3, 0, 0, 257, 0])),
        ];
        let notes_list = [record(0x03f3, 0, &numbers(&[4, 0, 0, 300, 0]))];
        let document =
            container(0x03e8, 0, &[container(0x0ff0, 0, &list), container(0x0ff0, 2, &notes_list)].concat());
        let text_box = |text: &str| {
            let texts = [record(0x0f9f, 0, &numbers(&[4])), record(0x0fa0, 0, &utf16(text))].concat();
            container(0x040c, 0, &container(0xf002, 0, &container(0xf00d, 0, &texts)))
        };
        let old_slide = container(0x03ee, 0, &text_box("deleted words"));
        let first = container(0x03ee, 0, &[]);
        let second = container(0x03ee, 0, &text_box("in a box"));
        let note_atom = record(0x03f1, 0, &numbers(&[257, 0]));
        let notes = container(0x03f0, 0, &[note_atom, text_box("say this")].concat());
        let mut stream = old_slide;
        let mut offsets = Vec::new();
        for part in [document, first, second, notes] {
            offsets.push(stream.len() as u32);
            stream.extend(part);
        }
        let directory_at = stream.len() as u32;
        let mut entries = numbers(&[(4 << 20) | 1]);
        entries.extend(numbers(&offsets));
        stream.extend(record(0x1772, 0, &entries));
        let edit_at = stream.len() as u32;
        stream.extend(record(0x0ff5, 0, &numbers(&[0, 0, 0, directory_at, 1, 4, 0])));
        let user = [numbers(&[0, 20, 0]), numbers(&[0xe391_c05f, edit_at])].concat();
        // The header of the record is 8 bytes; what follows is its size, its mark and the offset.
        let user = [&user[4..], &[]].concat();
        let user = [numbers(&[0x0ff6_0000]), user].concat();
        compound_of(&[("/PowerPoint Document", &stream), ("/Current User", &user)])
    }

    #[test]
    fn slides_come_in_order_without_old_versions() {
        let document = parse(&presentation()).unwrap();
        assert_eq!(document.text, "First\n\npoint one\n\npoint two\n\nin a box\n\nNotes: say this");
        let pages: Vec<_> = document.blocks.iter().filter_map(|block| block.page).collect();
        assert_eq!(pages, [1, 1, 1, 2, 2]);
        assert_eq!(document.coverage.pages_in, 2);
    }

    #[test]
    fn a_presentation_without_its_directory_keeps_its_words() {
        let text = record(0x0fa0, 0, &utf16("lost words"));
        let stream = container(0x03ee, 0, &text);
        let document = parse(&compound_of(&[("/PowerPoint Document", &stream)])).unwrap();
        assert_eq!(document.text, "lost words");
        assert_eq!(document.coverage.warnings.len(), 1);
    }
}
