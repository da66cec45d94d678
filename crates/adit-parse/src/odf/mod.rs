mod body;
mod paragraph;
mod slides;
mod styles;
mod table;

use std::collections::HashSet;

use adit_core::{MediaType, ParseError, ParsedDocument};

use crate::builder::DocumentBuilder;
use crate::office::blocks::{OfficeBlock, words_of, write};
use crate::package::Package;
use crate::xml_reader::{Element, XmlReader};
use body::OdfBody;
use styles::OdfStyles;

/// Parses OpenDocument text (OpenDocument 1.3 part 3). Notes and comments follow the block that refers
/// to them; headers stand first and footers last, each once.
///
/// # Errors
/// [`ParseError::PasswordNeeded`], [`ParseError::TooLarge`], [`ParseError::Damaged`], or
/// [`ParseError::Empty`] for a document without a word.
pub(crate) fn parse_text(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let mut package = open(bytes, MediaType::Odt)?;
    let mut builder = DocumentBuilder::new();
    crate::office::properties::read(&mut package, "meta.xml", &mut builder)?;
    let xml = package.required_text("content.xml")?;
    let styles_xml = package.read_text("styles.xml")?.unwrap_or_default();
    let mut body = OdfBody::new(read_styles(&xml, &styles_xml, MediaType::Odt, &mut builder)?);
    body.page = first_page(&xml, &mut package)?;
    let mut reader = XmlReader::new(&xml, MediaType::Odt);
    let root = body_of(&mut reader)?;
    let mut blocks = Vec::new();
    body.read_blocks(&mut reader, &root, &mut blocks)?;
    builder.coverage().pages_in = body.page.unwrap_or(0);
    let (headers, footers) = read_headers(&styles_xml, &mut body).unwrap_or_default();
    if let Some(title) = body.title.take() {
        builder.set_title(&title);
    }
    write(headers.into_iter().chain(blocks).chain(footers).collect(), &mut builder);
    report(&body, &mut builder);
    let document = builder.finish(MediaType::Odt);
    if document.text.trim().is_empty() { Err(ParseError::Empty) } else { Ok(document) }
}

/// Parses OpenDocument slides: one page a slide, the title a heading, speaker notes marked as such.
///
/// # Errors
/// As [`parse_text`], and [`ParseError::NoText`] for slides without a word.
pub(crate) fn parse_slides(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let mut package = open(bytes, MediaType::Odp)?;
    let mut builder = DocumentBuilder::new();
    crate::office::properties::read(&mut package, "meta.xml", &mut builder)?;
    let xml = package.required_text("content.xml")?;
    let styles_xml = package.read_text("styles.xml")?.unwrap_or_default();
    let mut body = OdfBody::new(read_styles(&xml, &styles_xml, MediaType::Odp, &mut builder)?);
    let mut reader = XmlReader::new(&xml, MediaType::Odp);
    let root = body_of(&mut reader)?;
    let slides = slides::read(&mut body, &mut reader, &root)?;
    let mut pages = 0;
    for blocks in slides {
        pages += 1;
        if !blocks.iter().any(OfficeBlock::has_words) {
            builder.coverage().pages_without_text.push(pages);
        }
        builder.set_page(pages);
        write(blocks, &mut builder);
    }
    builder.coverage().pages_in = pages;
    report(&body, &mut builder);
    let document = builder.finish(MediaType::Odp);
    match document.text.trim().is_empty() {
        true if pages == 0 => Err(ParseError::Empty),
        true => Err(ParseError::NoText { pages }),
        false => Ok(document),
    }
}

/// Encrypted parts are named in the manifest (part 2, 4.8).
fn open(bytes: &[u8], media_type: MediaType) -> Result<Package<'_>, ParseError> {
    let mut package = Package::open(bytes, media_type)?;
    let manifest = package.read_text("META-INF/manifest.xml")?.unwrap_or_default();
    if manifest.contains("encryption-data") { Err(ParseError::PasswordNeeded) } else { Ok(package) }
}

fn read_styles(
    content_xml: &str,
    styles_xml: &str,
    media_type: MediaType,
    builder: &mut DocumentBuilder,
) -> Result<OdfStyles, ParseError> {
    let mut styles = OdfStyles::default();
    if !styles_xml.is_empty() && styles.read(styles_xml, media_type).is_err() {
        builder.warn("the document's styles are damaged and were left out".to_owned());
    }
    styles.read(content_xml, media_type)?;
    Ok(styles)
}

/// The element `office:body`.
fn body_of(reader: &mut XmlReader<'_>) -> Result<Element, ParseError> {
    let root = reader.root()?;
    while let Some(element) = reader.next_element(&root)? {
        match element.name() {
            "body" => return Ok(element),
            "automatic-styles" | "scripts" | "font-face-decls" => reader.skip(&element)?,
            _ => {}
        }
    }
    Err(ParseError::Damaged { media_type: MediaType::Odt, detail: "content.xml has no body".to_owned() })
}

type HeadersAndFooters = (Vec<OfficeBlock>, Vec<OfficeBlock>);

fn read_headers(styles_xml: &str, body: &mut OdfBody) -> Result<HeadersAndFooters, ParseError> {
    let mut found = HeadersAndFooters::default();
    let mut seen = HashSet::new();
    let mut reader = XmlReader::new(styles_xml, MediaType::Odt);
    let root = reader.root()?;
    while let Some(element) = reader.next_element(&root)? {
        let (is_header, is_footer) =
            (element.name().starts_with("header"), element.name().starts_with("footer"));
        if !is_header && !is_footer || element.attribute("display") == Some("false") {
            continue;
        }
        let mut blocks = Vec::new();
        body.nesting += 1;
        body.read_blocks(&mut reader, &element, &mut blocks)?;
        body.nesting -= 1;
        let words = words_of(&blocks);
        if words.chars().any(char::is_alphabetic) && seen.insert(words) {
            if is_header { found.0.append(&mut blocks) } else { found.1.append(&mut blocks) }
        }
    }
    Ok(found)
}

/// The number of the first page, if the page breaks in the text are as many as the program counted when
/// it saved the file; otherwise page numbers would be guesses.
fn first_page(xml: &str, package: &mut Package<'_>) -> Result<Option<u32>, ParseError> {
    let Some(properties) = package.read_text("meta.xml")? else { return Ok(None) };
    let pages = properties.split_once("page-count=\"").and_then(|(_, rest)| rest.split_once('"'));
    let pages = pages.and_then(|(number, _)| number.parse::<usize>().ok());
    let breaks = xml.matches("<text:soft-page-break").count();
    Ok(pages.filter(|pages| *pages == breaks + 1).map(|_| 1))
}

fn report(body: &OdfBody, builder: &mut DocumentBuilder) {
    let left_out = [
        (body.images_without_text, "images have no text"),
        (body.embedded_objects, "embedded objects (charts, formulas) were not read"),
    ];
    for (count, what) in left_out {
        if count > 0 {
            builder.warn(format!("{count} {what}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::testing::zip_of;

    #[test]
    fn text_keeps_headings_lists_notes_and_bounded_tables() {
        let content = "<c><text:list-style style:name='L'><text:list-level-style-number text:level='1' style:num-format='1'/>\
            </text:list-style><o:body><text:tracked-changes><text:p>gone</text:p></text:tracked-changes>\
            <text:h text:outline-level='2'>Part</text:h><text:p>a\n  b<text:s text:c='2'/>c<text:note><text:note-citation>1\
            </text:note-citation><text:p>foot</text:p></text:note></text:p><text:list text:style-name='L'><text:list-item>\
            <text:p>one</text:p></text:list-item><text:list-item><text:p>two</text:p></text:list-item></text:list>\
            <table:table><table:table-row><table:table-cell><text:p>x</text:p></table:table-cell>\
            <table:table-cell table:number-columns-repeated='1000000000'/></table:table-row>\
            <table:table-row><table:table-cell><text:p>y</text:p></table:table-cell></table:table-row></table:table></o:body></c>";
        let document = parse_text(&zip_of(&[("content.xml", content)])).unwrap();
        assert_eq!(document.text, "Part\n\na b  c[1]\n\n[1] foot\n\n1. one\n2. two\n\nx\ny");
        assert_eq!(document.sections[0].level, 2);
    }

    #[test]
    fn slides_are_pages_with_titles_and_notes() {
        let content = "<c><o:body><draw:page><draw:frame presentation:class='outline'><text:p>body</text:p></draw:frame>\
            <draw:frame presentation:class='title'><text:p>Head</text:p></draw:frame><presentation:notes><draw:frame>\
            <text:p>say</text:p></draw:frame></presentation:notes></draw:page><draw:page/></o:body></c>";
        let document = parse_slides(&zip_of(&[("content.xml", content)])).unwrap();
        assert_eq!(document.text, "Head\n\nbody\n\nNotes: say");
        assert_eq!((document.coverage.pages_in, document.coverage.pages_without_text), (2, vec![2]));
    }

    #[test]
    fn encrypted_parts_need_the_password() {
        let manifest = "<m><manifest:encryption-data/></m>";
        let bytes = zip_of(&[("META-INF/manifest.xml", manifest), ("content.xml", "junk")]);
        assert_eq!(parse_text(&bytes), Err(ParseError::PasswordNeeded));
    }
}
