use adit_core::ParseError;

use crate::odf::body::OdfBody;
use crate::office::blocks::{OfficeBlock, words_of};
use crate::xml_reader::{Element, XmlReader};

/// The blocks of each `draw:page` (OpenDocument 1.3 part 3, 10.2.4) in order.
pub(crate) fn read(
    body: &mut OdfBody,
    reader: &mut XmlReader<'_>,
    outer: &Element,
) -> Result<Vec<Vec<OfficeBlock>>, ParseError> {
    let mut slides = Vec::new();
    let mut has_heading = false;
    while let Some(element) = reader.next_element(outer)? {
        if element.name() != "page" {
            continue;
        }
        let mut slide = Slide::default();
        slide.read(body, reader, &element)?;
        let mut blocks = Vec::new();
        if slide.title.trim().is_empty() {
            if has_heading && slide.blocks.iter().chain(&slide.notes).any(OfficeBlock::has_words) {
                // Otherwise its words would stand under the title of the slide before.
                let words = format!("Slide {}", slides.len() + 1);
                blocks.push(OfficeBlock::Heading { level: 1, words });
            }
        } else {
            has_heading = true;
            blocks.push(OfficeBlock::Heading { level: 1, words: slide.title });
        }
        blocks.append(&mut slide.blocks);
        blocks.append(&mut slide.notes);
        slides.push(blocks);
    }
    Ok(slides)
}

#[derive(Default)]
struct Slide {
    title: String,
    blocks: Vec<OfficeBlock>,
    notes: Vec<OfficeBlock>,
}

impl Slide {
    fn read(
        &mut self,
        body: &mut OdfBody,
        reader: &mut XmlReader<'_>,
        outer: &Element,
    ) -> Result<(), ParseError> {
        while let Some(element) = reader.next_element(outer)? {
            match (element.name(), element.attribute("class")) {
                ("notes", _) => {
                    let words = words_inside(body, reader, &element)?;
                    if !words.is_empty() {
                        self.notes.push(OfficeBlock::Paragraph(format!("Notes: {words}")));
                    }
                }
                ("frame" | "custom-shape", Some("title")) if self.title.is_empty() => {
                    self.title = words_inside(body, reader, &element)?;
                }
                ("frame" | "custom-shape", Some("page-number")) => reader.skip(&element)?,
                _ => body.read_block(reader, &element, &mut self.blocks)?,
            }
        }
        Ok(())
    }
}

fn words_inside(
    body: &mut OdfBody,
    reader: &mut XmlReader<'_>,
    outer: &Element,
) -> Result<String, ParseError> {
    let mut blocks = Vec::new();
    body.nesting += 1;
    body.read_blocks(reader, outer, &mut blocks)?;
    body.nesting -= 1;
    Ok(words_of(&blocks))
}
