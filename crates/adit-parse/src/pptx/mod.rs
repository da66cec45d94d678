mod comments;
mod shape;
mod text;

use std::collections::{HashMap, HashSet};

use adit_core::{MediaType, ParseError, ParsedDocument};

use crate::builder::DocumentBuilder;
use crate::office::blocks::{OfficeBlock, words_of, write};
use crate::package::Package;
use crate::package::relationships::{self as relationships, Relationship};
use crate::xml_reader::XmlReader;
use shape::{Placeholder, Shape, ShapeReader, read_placeholders};

/// What is true across slides.
struct Presentation<'p, 'b> {
    package: &'p mut Package<'b>,
    authors: HashMap<String, String>,
    layouts: HashMap<String, Vec<Placeholder>>,
    /// Footers and dates that were written once.
    seen_footers: HashSet<String>,
    has_heading: bool,
    images_without_text: u64,
    broken_parts: u64,
}

/// Parses Office Open XML slides (ECMA-376 part 1, 13 and 19): one page a slide in the order they are
/// shown, the title a heading, speaker notes and comments after the slide and marked as such.
///
/// # Errors
/// [`ParseError::PasswordNeeded`], [`ParseError::TooLarge`], [`ParseError::Damaged`], or
/// [`ParseError::NoText`] for slides without a word.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let mut package = Package::open(bytes, MediaType::Pptx)?;
    let main = relationships::main_part(&mut package, "ppt/presentation.xml")?;
    let xml = package.required_text(&main)?;
    let links = relationships::read(&mut package, &main)?;
    let mut builder = DocumentBuilder::new();
    crate::office::properties::read(&mut package, "docProps/core.xml", &mut builder)?;
    let slides = slides_in_order(&xml, &links)?;
    let mut presentation = Presentation {
        authors: comments::read_authors(&mut package, &links)?,
        package: &mut package,
        layouts: HashMap::new(),
        seen_footers: HashSet::new(),
        has_heading: false,
        images_without_text: 0,
        broken_parts: 0,
    };
    let mut pages = 0;
    for part in &slides {
        pages += 1;
        let blocks = presentation.read_slide(part, pages)?;
        if !blocks.iter().any(OfficeBlock::has_words) {
            builder.coverage().pages_without_text.push(pages);
        }
        builder.set_page(pages);
        write(blocks, &mut builder);
    }
    builder.coverage().pages_in = pages;
    presentation.report(&mut builder);
    let document = builder.finish(MediaType::Pptx);
    match document.text.trim().is_empty() {
        true if pages == 0 => Err(ParseError::Empty),
        true => Err(ParseError::NoText { pages }),
        false => Ok(document),
    }
}

fn slides_in_order(xml: &str, links: &[Relationship]) -> Result<Vec<String>, ParseError> {
    let mut reader = XmlReader::new(xml, MediaType::Pptx);
    let root = reader.root()?;
    let mut slides = Vec::new();
    while let Some(element) = reader.next_element(&root)? {
        if element.name() != "sldId" {
            continue;
        }
        // Its own identifier is an `id` without a prefix and a number; the relationship's comes after.
        let target = element.attributes_named("id").find_map(|id| relationships::target_of(links, id));
        slides.extend(target.map(str::to_owned));
    }
    Ok(slides)
}

impl Presentation<'_, '_> {
    fn read_slide(&mut self, part: &str, page: u32) -> Result<Vec<OfficeBlock>, ParseError> {
        let Some(xml) = self.package.read_text(part)? else {
            self.broken_parts += 1;
            return Ok(Vec::new());
        };
        let links = relationships::read(self.package, part)?;
        let (embedded, broken) = crate::office::chart::read_all(self.package, &links)?;
        self.broken_parts += broken;
        let layout = links.iter().find(|link| link.kind == "slideLayout").map(|link| link.target.clone());
        let inherited = layout.map(|layout| self.placeholders_of(&layout)).transpose()?.unwrap_or_default();
        let mut shapes = ShapeReader { inherited: &inherited, embedded, images_without_text: 0 };
        let mut reader = XmlReader::new(&xml, MediaType::Pptx);
        let root = reader.root()?;
        let found = shapes.read_shapes(&mut reader, &root);
        self.images_without_text += shapes.images_without_text;
        let mut blocks = self.blocks_of(found?.0, page);
        for link in &links {
            match link.kind.as_str() {
                "notesSlide" => blocks.extend(self.read_notes(&link.target)?),
                "comments" => blocks.extend(comments::read(self.package, &link.target, &self.authors)?),
                _ => {}
            }
        }
        Ok(blocks)
    }

    fn blocks_of(&mut self, shapes: Vec<Shape>, page: u32) -> Vec<OfficeBlock> {
        let mut blocks = Vec::new();
        let mut footers = Vec::new();
        let mut has_title = false;
        for shape in shapes {
            match shape.kind() {
                "sldNum" => {}
                "ftr" | "dt" | "hdr" => footers.extend(shape.blocks),
                "title" | "ctrTitle" if !has_title => {
                    let words = words_of(&shape.blocks);
                    has_title = !words.trim().is_empty();
                    blocks.push(OfficeBlock::Heading { level: 1, words });
                }
                _ => blocks.extend(shape.blocks),
            }
        }
        footers.retain(|footer| self.seen_footers.insert(words_of(std::slice::from_ref(footer))));
        blocks.append(&mut footers);
        if !has_title && self.has_heading && blocks.iter().any(OfficeBlock::has_words) {
            // Otherwise its words would stand under the title of the slide before.
            blocks.insert(0, OfficeBlock::Heading { level: 1, words: format!("Slide {page}") });
        }
        self.has_heading |= has_title;
        blocks
    }

    /// What a layout and its master say of their placeholders; a broken one says nothing.
    fn placeholders_of(&mut self, layout: &str) -> Result<Vec<Placeholder>, ParseError> {
        if let Some(known) = self.layouts.get(layout) {
            return Ok(known.clone());
        }
        let links = relationships::read(self.package, layout)?;
        let master = links.into_iter().find(|link| link.kind == "slideMaster").map(|link| link.target);
        let mut placeholders = Vec::new();
        for part in std::iter::once(layout.to_owned()).chain(master) {
            if let Some(xml) = self.package.read_text(&part)? {
                placeholders.extend(
                    read_placeholders(&mut XmlReader::new(&xml, MediaType::Pptx)).unwrap_or_default(),
                );
            }
        }
        self.layouts.insert(layout.to_owned(), placeholders.clone());
        Ok(placeholders)
    }

    fn read_notes(&mut self, part: &str) -> Result<Option<OfficeBlock>, ParseError> {
        let Some(xml) = self.package.read_text(part)? else { return Ok(None) };
        let mut shapes = ShapeReader { inherited: &[], embedded: HashMap::new(), images_without_text: 0 };
        let mut reader = XmlReader::new(&xml, MediaType::Pptx);
        let root = reader.root()?;
        let (shapes, _) = shapes.read_shapes(&mut reader, &root)?;
        let notes =
            shapes.iter().filter(|shape| !matches!(shape.kind(), "sldNum" | "dt" | "ftr" | "hdr" | "sldImg"));
        // Notes have the kind of a slide's body, but no bullets.
        let words: Vec<String> = notes
            .flat_map(|shape| &shape.blocks)
            .map(|block| words_of(std::slice::from_ref(block)))
            .filter(|words| !words.is_empty())
            .collect();
        Ok((!words.is_empty()).then(|| OfficeBlock::Paragraph(format!("Notes: {}", words.join("\n")))))
    }

    fn report(&self, builder: &mut DocumentBuilder) {
        if self.images_without_text > 0 {
            builder.warn(format!("{} images have no text", self.images_without_text));
        }
        if self.broken_parts > 0 {
            builder.warn(format!("{} damaged slides, charts or diagrams were left out", self.broken_parts));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::testing::zip_of;

    #[test]
    fn slides_come_in_the_order_shown_with_lists_and_notes() {
        let free = |left: u32, words: &str| {
            format!(
                "<p:sp><a:xfrm><a:off x='{left}' y='5'/><a:ext cx='9' cy='9'/></a:xfrm><p:txBody><a:p><a:t>{words}</a:t></a:p></p:txBody></p:sp>"
            )
        };
        let one = format!("<p:sld>{}{}</p:sld>", free(90, "right"), free(10, "left"));
        let two = "<p:sld><p:sp><p:ph idx='1'/><p:txBody><a:p><a:t>one</a:t></a:p><a:p><a:pPr lvl='1'/><a:t>inner</a:t></a:p>\
            </p:txBody></p:sp><p:sp><p:ph type='title'/><p:txBody><a:p><a:t>Second</a:t></a:p></p:txBody></p:sp></p:sld>";
        let notes = "<p:n><p:sp><p:ph type='body'/><p:txBody><a:p><a:t>say</a:t></a:p><a:p><a:t>so</a:t></a:p></p:txBody></p:sp></p:n>";
        let bytes = zip_of(&[
            ("ppt/presentation.xml", "<p:p><p:sldId id='256' r:id='b'/><p:sldId id='257' r:id='a'/></p:p>"),
            (
                "ppt/_rels/presentation.xml.rels",
                "<R><Relationship Id='a' Type='t/slide' Target='slides/s1.xml'/><Relationship Id='b' Type='t/slide' Target='slides/s2.xml'/></R>",
            ),
            ("ppt/slides/s1.xml", &one),
            ("ppt/slides/s2.xml", two),
            (
                "ppt/slides/_rels/s2.xml.rels",
                "<R><Relationship Id='n' Type='t/notesSlide' Target='../n.xml'/></R>",
            ),
            ("ppt/n.xml", notes),
        ]);
        let document = parse(&bytes).unwrap();
        assert_eq!(document.text, "Second\n\n- one\n  - inner\n\nNotes: say\nso\n\nSlide 2\n\nleft\n\nright");
        let pages: Vec<_> = document.blocks.iter().map(|block| block.page.unwrap()).collect();
        assert_eq!(pages, [1, 1, 1, 2, 2, 2]);
    }
}
