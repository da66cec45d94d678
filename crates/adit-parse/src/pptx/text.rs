use std::collections::HashMap;

use adit_core::{ParseError, TableCell};

use crate::builder::plain_cell;
use crate::office::blocks::{OfficeBlock, words_of};
use crate::xml_reader::{Element, XmlReader};

/// What stands before a paragraph on a slide.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bullet {
    None,
    Sign,
    /// Counts, from this number.
    Number(u64),
}

/// Bullets by list level from 0.
pub(crate) type Bullets = HashMap<u8, Bullet>;

/// One paragraph of a shape.
pub(crate) struct SlideParagraph {
    pub(crate) words: String,
    level: u8,
    bullet: Option<Bullet>,
}

/// The paragraphs of a `txBody` and the bullets its own list style sets (ECMA-376 part 1, 21.1.2).
pub(crate) fn read_body(
    reader: &mut XmlReader<'_>,
    outer: &Element,
) -> Result<(Vec<SlideParagraph>, Bullets), ParseError> {
    let mut paragraphs = Vec::new();
    let mut bullets = Bullets::new();
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "lstStyle" => bullets = read_list_style(reader, &element)?,
            "p" => paragraphs.push(read_paragraph(reader, &element)?),
            _ => {}
        }
    }
    paragraphs.retain(|paragraph| !paragraph.words.trim().is_empty());
    Ok((paragraphs, bullets))
}

/// Paragraphs with bullets become list items, others paragraphs.
pub(crate) fn blocks_of(
    paragraphs: Vec<SlideParagraph>,
    bullet_at: impl Fn(u8) -> Bullet,
) -> Vec<OfficeBlock> {
    let mut counters: HashMap<u8, u64> = HashMap::new();
    let mut blocks = Vec::with_capacity(paragraphs.len());
    for SlideParagraph { words, level, bullet } in paragraphs {
        counters.retain(|counted, _| *counted <= level);
        let number = match bullet.unwrap_or_else(|| bullet_at(level)) {
            Bullet::None => {
                counters.clear();
                blocks.push(OfficeBlock::Paragraph(words));
                continue;
            }
            Bullet::Sign => {
                counters.remove(&level);
                None
            }
            Bullet::Number(start) => {
                let number = counters.get(&level).map_or(start, |last| last.saturating_add(1));
                counters.insert(level, number);
                Some(number)
            }
        };
        blocks.push(OfficeBlock::Item { level, number, words });
    }
    blocks
}

/// Reads `a:tbl` (21.1.3).
pub(crate) fn read_table(reader: &mut XmlReader<'_>, outer: &Element) -> Result<OfficeBlock, ParseError> {
    let mut rows: Vec<Vec<TableCell>> = Vec::new();
    let mut has_header = false;
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "tblPr" => has_header = matches!(element.attribute("firstRow"), Some("1" | "true")),
            "tr" => rows.push(Vec::new()),
            "tc" => {
                let is_covered = ["hMerge", "vMerge"]
                    .iter()
                    .any(|name| matches!(element.attribute(name), Some("1" | "true")));
                let span = |name| element.number(name).and_then(|span| u32::try_from(span).ok()).unwrap_or(1);
                let (column_span, row_span) =
                    (span("gridSpan").clamp(1, 1000), span("rowSpan").clamp(1, 1000));
                let (paragraphs, bullets) = read_body(reader, &element)?;
                let blocks =
                    blocks_of(paragraphs, |level| bullets.get(&level).copied().unwrap_or(Bullet::None));
                if let Some(row) = rows.last_mut().filter(|_| !is_covered) {
                    row.push(TableCell { column_span, row_span, ..plain_cell(&words_of(&blocks)) });
                }
            }
            _ => {}
        }
    }
    let header_rows = usize::from(has_header && rows.len() > 1);
    Ok(OfficeBlock::Table { rows, header_rows, caption: None })
}

fn read_paragraph(reader: &mut XmlReader<'_>, outer: &Element) -> Result<SlideParagraph, ParseError> {
    let mut paragraph = SlideParagraph { words: String::new(), level: 0, bullet: None };
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "pPr" => {
                paragraph.level = level_of(element.number("lvl").unwrap_or(0));
                paragraph.bullet = read_bullet(reader, &element)?;
            }
            "t" => paragraph.words.push_str(&reader.text_of(&element)?.replace('\u{b}', "\n")),
            "br" => paragraph.words.push('\n'),
            "fld" if element.attribute("type") == Some("slidenum") => reader.skip(&element)?,
            _ => {}
        }
    }
    Ok(paragraph)
}

/// `lvl1pPr` to `lvl9pPr`.
fn read_list_style(reader: &mut XmlReader<'_>, outer: &Element) -> Result<Bullets, ParseError> {
    let mut bullets = Bullets::new();
    while let Some(element) = reader.next_element(outer)? {
        let level = element.name().strip_prefix("lvl").and_then(|rest| rest.strip_suffix("pPr"));
        if let Some(level) = level.and_then(|level| level.parse::<i64>().ok())
            && let Some(bullet) = read_bullet(reader, &element)?
        {
            bullets.insert(level_of(level - 1), bullet);
        }
    }
    Ok(bullets)
}

fn read_bullet(reader: &mut XmlReader<'_>, outer: &Element) -> Result<Option<Bullet>, ParseError> {
    let mut bullet = None;
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "buNone" => bullet = Some(Bullet::None),
            "buChar" | "buBlip" => bullet = Some(Bullet::Sign),
            "buAutoNum" => {
                let start = element.number("startAt").and_then(|start| start.try_into().ok());
                bullet = Some(Bullet::Number(start.unwrap_or(1)));
            }
            _ => {}
        }
    }
    Ok(bullet)
}

fn level_of(level: i64) -> u8 {
    u8::try_from(level.clamp(0, 8)).unwrap_or(0)
}
