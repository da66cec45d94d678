use std::collections::HashMap;

use adit_core::ParseError;

use crate::office::blocks::OfficeBlock;
use crate::pptx::text::{Bullet, Bullets, blocks_of, read_body, read_table};
use crate::xml_reader::{Element, XmlReader};

/// Left, top and height in EMU (1/914400 inch).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Frame {
    pub(crate) left: i64,
    pub(crate) top: i64,
    pub(crate) height: i64,
}

/// A placeholder of a layout, from which those of its slides inherit (ECMA-376 part 1, 19.3.1.36).
#[derive(Debug, Clone, Default)]
pub(crate) struct Placeholder {
    pub(crate) kind: String,
    pub(crate) index: String,
    pub(crate) frame: Option<Frame>,
    pub(crate) bullets: Bullets,
}

/// One shape of a slide, or a group of shapes.
#[derive(Debug, Default)]
pub(crate) struct Shape {
    pub(crate) placeholder: Option<Placeholder>,
    pub(crate) frame: Option<Frame>,
    pub(crate) blocks: Vec<OfficeBlock>,
}

impl Shape {
    pub(crate) fn kind(&self) -> &str {
        self.placeholder.as_ref().map_or("", |one| one.kind.as_str())
    }

    pub(crate) fn is_title(&self) -> bool {
        matches!(self.kind(), "title" | "ctrTitle")
    }
}

/// Reads the shapes of one slide.
pub(crate) struct ShapeReader<'a> {
    /// What this slide's placeholders inherit from, layout before master.
    pub(crate) inherited: &'a [Placeholder],
    /// Charts and diagrams by relationship.
    pub(crate) embedded: HashMap<String, Vec<OfficeBlock>>,
    pub(crate) images_without_text: u64,
}

impl ShapeReader<'_> {
    /// All shapes inside `outer`, in reading order.
    pub(crate) fn read_shapes(
        &mut self,
        reader: &mut XmlReader<'_>,
        outer: &Element,
    ) -> Result<(Vec<Shape>, Option<Frame>), ParseError> {
        let mut shapes = Vec::new();
        let mut own_frame = None;
        while let Some(element) = reader.next_element(outer)? {
            match element.name() {
                "xfrm" => own_frame = read_frame(reader, &element)?,
                "sp" | "pic" | "graphicFrame" | "cxnSp" => shapes.push(self.read_shape(reader, &element)?),
                "grpSp" => {
                    let (inner, frame) = self.read_shapes(reader, &element)?;
                    let blocks = inner.into_iter().flat_map(|shape| shape.blocks).collect();
                    shapes.push(Shape { placeholder: None, frame, blocks });
                }
                _ => {}
            }
        }
        Ok((in_reading_order(shapes), own_frame))
    }

    fn read_shape(&mut self, reader: &mut XmlReader<'_>, outer: &Element) -> Result<Shape, ParseError> {
        let mut shape = Shape::default();
        let mut described = None;
        let is_picture = outer.name() == "pic";
        while let Some(element) = reader.next_element(outer)? {
            match element.name() {
                "cNvPr" => described = described.or_else(|| element.attribute("descr").map(str::to_owned)),
                "ph" => shape.placeholder = Some(self.inherit(&element)),
                "xfrm" => shape.frame = read_frame(reader, &element)?,
                "txBody" => {
                    let (paragraphs, own) = read_body(reader, &element)?;
                    let has_several = paragraphs.len() > 1;
                    let placeholder = shape.placeholder.as_ref();
                    let bullet_at = |level| bullet_of(placeholder, &own, level, has_several);
                    shape.blocks.extend(blocks_of(paragraphs, bullet_at));
                }
                "tbl" => shape.blocks.push(read_table(reader, &element)?),
                "chart" | "relIds" => {
                    let id = element.attribute("id").or_else(|| element.attribute("dm"));
                    shape.blocks.extend(id.and_then(|id| self.embedded.remove(id)).unwrap_or_default());
                }
                _ => {}
            }
        }
        if is_picture {
            match described.filter(|words| !words.trim().is_empty()) {
                Some(words) => shape.blocks.push(OfficeBlock::Paragraph(words)),
                None => self.images_without_text += 1,
            }
        }
        let inherited = shape.placeholder.as_ref().and_then(|one| one.frame);
        shape.frame = shape.frame.or(inherited);
        Ok(shape)
    }

    fn inherit(&self, element: &Element) -> Placeholder {
        let kind = element.attribute("type").unwrap_or("obj").to_owned();
        let index = element.attribute("idx").unwrap_or("0").to_owned();
        let by_index = self.inherited.iter().find(|one| one.index == index && index != "0");
        let by_kind = || self.inherited.iter().find(|one| base_kind(&one.kind) == base_kind(&kind));
        let from = by_index.or_else(by_kind).cloned().unwrap_or_default();
        // A slide may leave out the kind that its layout gives.
        let kind = if element.attribute("type").is_none() && !from.kind.is_empty() {
            from.kind.clone()
        } else {
            kind
        };
        Placeholder { kind, index, ..from }
    }
}

/// The placeholders of a layout or master.
pub(crate) fn read_placeholders(reader: &mut XmlReader<'_>) -> Result<Vec<Placeholder>, ParseError> {
    let root = reader.root()?;
    let mut placeholders: Vec<Placeholder> = Vec::new();
    while let Some(element) = reader.next_element(&root)? {
        if element.name() != "sp" {
            continue;
        }
        let mut placeholder = None;
        let mut frame = None;
        let mut bullets = Bullets::new();
        while let Some(inner) = reader.next_element(&element)? {
            match inner.name() {
                "ph" => {
                    placeholder = Some(Placeholder {
                        kind: inner.attribute("type").unwrap_or("obj").to_owned(),
                        index: inner.attribute("idx").unwrap_or("0").to_owned(),
                        ..Placeholder::default()
                    });
                }
                "xfrm" => frame = read_frame(reader, &inner)?,
                "txBody" => bullets = read_body(reader, &inner)?.1,
                _ => {}
            }
        }
        placeholders.extend(placeholder.map(|one| Placeholder { frame, bullets, ..one }));
    }
    Ok(placeholders)
}

/// Masters name their placeholders by these few kinds.
fn base_kind(kind: &str) -> &str {
    match kind {
        "ctrTitle" => "title",
        "obj" | "body" | "subTitle" | "tbl" | "chart" | "dgm" | "media" | "clipArt" | "pic" => "body",
        kind => kind,
    }
}

/// The body of a slide has bullets unless something says otherwise; so says a single paragraph.
fn bullet_of(placeholder: Option<&Placeholder>, own: &Bullets, level: u8, has_several: bool) -> Bullet {
    if let Some(bullet) = own.get(&level) {
        return *bullet;
    }
    let Some(placeholder) = placeholder.filter(|one| matches!(one.kind.as_str(), "obj" | "body")) else {
        return Bullet::None;
    };
    match placeholder.bullets.get(&level) {
        Some(bullet) => *bullet,
        None if has_several => Bullet::Sign,
        None => Bullet::None,
    }
}

fn read_frame(reader: &mut XmlReader<'_>, outer: &Element) -> Result<Option<Frame>, ParseError> {
    let (mut left_top, mut height) = (None, 0);
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "off" => left_top = element.number("x").zip(element.number("y")),
            "ext" => height = element.number("cy").unwrap_or(0),
            _ => {}
        }
    }
    Ok(left_top.map(|(left, top)| Frame { left, top, height: height.max(0) }))
}

/// The title first. A slide made of its layout's placeholders is already in order; free shapes stand in
/// the order in which they were drawn, so they are read row by row, each row from left to right.
fn in_reading_order(shapes: Vec<Shape>) -> Vec<Shape> {
    let (mut ordered, mut others): (Vec<Shape>, Vec<Shape>) = shapes.into_iter().partition(Shape::is_title);
    let with_words = || others.iter().filter(|shape| !shape.blocks.is_empty());
    if with_words().any(|shape| shape.placeholder.is_none())
        && with_words().all(|shape| shape.frame.is_some())
    {
        sort_by_rows(&mut others);
    }
    ordered.append(&mut others);
    ordered
}

fn sort_by_rows(shapes: &mut [Shape]) {
    let frame_of = |shape: &Shape| shape.frame.unwrap_or(Frame { left: 0, top: 0, height: 0 });
    shapes.sort_by_key(|shape| frame_of(shape).top);
    let mut row = 0;
    let mut row_bottom = i64::MIN;
    let mut keyed: HashMap<i64, i64> = HashMap::new();
    for shape in shapes.iter() {
        let frame = frame_of(shape);
        // A shape is in the row if it begins in the upper half of the row's first one.
        if frame.top > row_bottom {
            row += 1;
            row_bottom = frame.top.saturating_add(frame.height / 2);
        }
        keyed.insert(frame.top, row);
    }
    shapes.sort_by_key(|shape| {
        let frame = frame_of(shape);
        (keyed.get(&frame.top).copied().unwrap_or(0), frame.left, frame.top)
    });
}
