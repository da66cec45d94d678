use adit_core::ParseError;

use crate::odf::body::{OdfBody, push_collapsed};
use crate::office::blocks::OfficeBlock;
use crate::xml_reader::{Element, Node, XmlReader};

/// `text:s` stands for so many spaces at most.
const MAX_SPACES: i64 = 64;

/// One paragraph as it stands in the file.
#[derive(Default)]
pub(crate) struct OdfParagraph {
    pub(crate) words: String,
    /// Text boxes and pictures anchored in it.
    pub(crate) boxes: Vec<OfficeBlock>,
}

/// Reads `text:p` or `text:h` (OpenDocument 1.3 part 3, 5.1 and 6).
pub(crate) fn read_paragraph(
    body: &mut OdfBody,
    reader: &mut XmlReader<'_>,
    outer: &Element,
) -> Result<OdfParagraph, ParseError> {
    let mut paragraph = OdfParagraph::default();
    while let Some(node) = reader.next_in(outer)? {
        let Node::Element(element) = node else {
            push_collapsed(&mut paragraph.words, node);
            continue;
        };
        match element.name() {
            "s" => {
                let spaces = element.number("c").unwrap_or(1).clamp(1, MAX_SPACES);
                paragraph.words.extend((0..spaces).map(|_| ' '));
            }
            "tab" => paragraph.words.push('\t'),
            "line-break" => paragraph.words.push('\n'),
            "note" => paragraph.words.push_str(&body.read_note(reader, &element)?),
            "annotation" => body.read_annotation(reader, &element)?,
            "soft-page-break" => body.turn_page(),
            "ruby-text" => {
                let reading = reader.text_of(&element)?;
                paragraph.words.push_str(&format!("({reading})"));
            }
            "frame" => {
                body.nesting += 1;
                body.read_frame(reader, &element, &mut paragraph.boxes)?;
                body.nesting -= 1;
            }
            // Shapes anchored in the paragraph hold blocks of their own.
            "p" | "h" | "list" | "table" => {
                body.nesting += 1;
                body.read_block(reader, &element, &mut paragraph.boxes)?;
                body.nesting -= 1;
            }
            "desc" | "script" | "hidden-text" | "forms" => reader.skip(&element)?,
            _ => {}
        }
    }
    Ok(paragraph)
}
