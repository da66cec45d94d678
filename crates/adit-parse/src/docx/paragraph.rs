use adit_core::{FindingKind, ParseError};

use crate::docx::body::{DocxBody, NoteKind};
use crate::docx::styles::NumberingReference;
use crate::hidden_marks::marked;
use crate::office::blocks::OfficeBlock;
use crate::xml_reader::{Element, XmlReader};

/// One paragraph as it stands in the file.
#[derive(Default)]
pub(crate) struct Paragraph {
    pub(crate) words: String,
    pub(crate) style: Option<String>,
    pub(crate) outline_level: Option<u8>,
    pub(crate) numbering: NumberingReference,
    /// Its end was deleted under change tracking, so that it goes on in the next one.
    pub(crate) is_mark_deleted: bool,
    pub(crate) starts_on_new_page: bool,
    /// Text boxes, charts and pictures anchored in it.
    pub(crate) boxes: Vec<OfficeBlock>,
}

/// Reads `w:p` (ECMA-376 part 1, 17.3.1): insertions are text, deletions and field codes are not.
pub(crate) fn read_paragraph(
    body: &mut DocxBody,
    reader: &mut XmlReader<'_>,
    outer: &Element,
) -> Result<Paragraph, ParseError> {
    let mut paragraph = Paragraph::default();
    let mut hidden = None;
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "pPr" => read_properties(body, reader, &element, &mut paragraph)?,
            "r" => hidden = None,
            "rPr" => hidden = read_hidden_run(reader, &element, body.nesting > 0)?,
            "t" => {
                let words = reader.text_of(&element)?;
                match hidden {
                    Some(kind) => paragraph.words.push_str(&marked(kind, &words)),
                    None => paragraph.words.push_str(&words),
                }
            }
            "del" | "moveFrom" => {
                body.deleted_parts += 1;
                reader.skip(&element)?;
            }
            "instrText" | "delInstrText" | "delText" | "sdtPr" | "sdtEndPr" | "rubyPr" => {
                reader.skip(&element)?;
            }
            "drawing" | "pict" | "object" => read_drawing(body, reader, &element, &mut paragraph)?,
            "oMath" => paragraph.words.push_str(&crate::docx::math::read(reader, &element)?),
            "rt" => {
                let reading = reader.text_of(&element)?;
                paragraph.words.push_str(&format!("({reading})"));
            }
            "lastRenderedPageBreak" => turn_page(body, &mut paragraph),
            _ => push_sign(body, &element, &mut paragraph.words),
        }
    }
    Ok(paragraph)
}

fn turn_page(body: &mut DocxBody, paragraph: &mut Paragraph) {
    if let Some(page) = &mut body.page {
        *page = page.saturating_add(1);
        paragraph.starts_on_new_page |= paragraph.words.trim().is_empty();
    }
}

/// Elements that stand for one character or one note mark.
fn push_sign(body: &mut DocxBody, element: &Element, words: &mut String) {
    let note_kind = match element.name() {
        "tab" | "ptab" => return words.push('\t'),
        "br" | "cr" => return words.push('\n'),
        "noBreakHyphen" => return words.push('-'),
        "sym" => return words.extend(symbol(element)),
        "footnoteReference" => NoteKind::Footnote,
        "endnoteReference" => NoteKind::Endnote,
        "commentReference" => NoteKind::Comment,
        _ => return,
    };
    if let Some(mark) = element.attribute("id").and_then(|id| body.refer_to_note(note_kind, id)) {
        words.push_str(&mark);
    }
}

/// A character by its number in a font. Those of symbol fonts, in the private use area, mean nothing
/// outside it.
fn symbol(element: &Element) -> Option<char> {
    let number = u32::from_str_radix(element.attribute("char")?, 16).ok()?;
    char::from_u32(number).filter(|_| !(0xe000..0xf900).contains(&number))
}

/// Why the words of a run do not show. White on white is looked for outside of tables and boxes only,
/// where what lies behind the words is the page.
fn read_hidden_run(
    reader: &mut XmlReader<'_>,
    outer: &Element,
    is_nested: bool,
) -> Result<Option<FindingKind>, ParseError> {
    /// Half points; nobody reads letters of 2 points.
    const TINY_HALF_POINTS: u32 = 4;
    let (mut vanishes, mut is_white, mut is_tiny, mut has_ground) = (false, false, false, is_nested);
    while let Some(element) = reader.next_element(outer)? {
        let value = element.attribute("val");
        match element.name() {
            "vanish" => vanishes = element.is_on(),
            "color" => is_white = value.is_some_and(|color| color.eq_ignore_ascii_case("ffffff")),
            "sz" => {
                let size: Option<u32> = value.and_then(|size| size.parse().ok());
                is_tiny = size.is_some_and(|size| size <= TINY_HALF_POINTS);
            }
            "highlight" | "shd" => has_ground = true,
            "rPrChange" => reader.skip(&element)?,
            _ => {}
        }
    }
    Ok(if vanishes {
        Some(FindingKind::NotDisplayed)
    } else if is_tiny {
        Some(FindingKind::TinyFont)
    } else {
        (is_white && !has_ground).then_some(FindingKind::NearBackground)
    })
}

fn read_properties(
    body: &mut DocxBody,
    reader: &mut XmlReader<'_>,
    outer: &Element,
    paragraph: &mut Paragraph,
) -> Result<(), ParseError> {
    while let Some(element) = reader.next_element(outer)? {
        let value = element.attribute("val");
        match element.name() {
            "pStyle" => paragraph.style = value.map(str::to_owned),
            "outlineLvl" => paragraph.outline_level = value.and_then(|level| level.parse().ok()),
            "numId" => paragraph.numbering.number_id = value.map(str::to_owned),
            "ilvl" => paragraph.numbering.level = value.and_then(|level| level.parse().ok()),
            "del" => paragraph.is_mark_deleted = true,
            "sectPr" => body.read_section_properties(reader, &element)?,
            "pPrChange" | "rPrChange" => reader.skip(&element)?,
            _ => {}
        }
    }
    Ok(())
}

/// A picture's alternative text, a text box's blocks, a chart's table.
fn read_drawing(
    body: &mut DocxBody,
    reader: &mut XmlReader<'_>,
    outer: &Element,
    paragraph: &mut Paragraph,
) -> Result<(), ParseError> {
    let mut described = None;
    let mut has_picture = false;
    let blocks_before = paragraph.boxes.len();
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "docPr" | "shape" => described = described.or_else(|| description(&element)),
            "blip" | "imagedata" => has_picture = true,
            "txbxContent" => {
                body.nesting += 1;
                body.read_blocks(reader, &element, &mut paragraph.boxes)?;
                body.nesting -= 1;
            }
            "chart" | "relIds" => {
                let id = element.attribute("id").or_else(|| element.attribute("dm"));
                if let Some(mut blocks) = id.and_then(|id| body.embedded.remove(id)) {
                    paragraph.boxes.append(&mut blocks);
                }
            }
            "textpath" => {
                let words = element.attribute("string").unwrap_or_default();
                paragraph.boxes.push(OfficeBlock::Paragraph(words.to_owned()));
            }
            "t" => paragraph.boxes.push(OfficeBlock::Paragraph(reader.text_of(&element)?)),
            _ => {}
        }
    }
    let has_blocks = paragraph.boxes.len() > blocks_before;
    match described.filter(|_| has_picture) {
        Some(words) => paragraph.boxes.push(OfficeBlock::Paragraph(words)),
        None => body.images_without_text += u64::from(has_picture && !has_blocks),
    }
    Ok(())
}

/// Alternative text, which a person or a program wrote for those who do not see the picture.
fn description(element: &Element) -> Option<String> {
    let words = element.attribute("descr").or_else(|| element.attribute("alt"))?;
    Some(words.to_owned()).filter(|words| !words.trim().is_empty())
}
