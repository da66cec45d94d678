mod body;
mod math;
mod numbering;
mod paragraph;
mod styles;
mod table;

use std::collections::HashSet;

use adit_core::{MediaType, ParseError, ParsedDocument};

use crate::builder::DocumentBuilder;
use crate::office::blocks::{OfficeBlock, words_of, write};
use crate::package::Package;
use crate::package::relationships::{self as relationships, Relationship};
use crate::xml_reader::XmlReader;
use body::{DocxBody, NoteKind};
use numbering::Numbering;
use styles::Styles;

/// Parses an Office Open XML text document (ECMA-376 part 1, 11 and 17).
///
/// Insertions under change tracking are text, deletions are not; notes and comments follow the block
/// that refers to them; headers stand first and footers last, each once.
///
/// # Errors
/// [`ParseError::PasswordNeeded`], [`ParseError::TooLarge`], [`ParseError::Damaged`], or
/// [`ParseError::Empty`] for a document without a word.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let mut package = Package::open(bytes, MediaType::Docx)?;
    let main = relationships::main_part(&mut package, "word/document.xml")?;
    let links = relationships::read(&mut package, &main)?;
    let xml = package.required_text(&main)?;
    let mut builder = DocumentBuilder::new();
    crate::office::properties::read(&mut package, "docProps/core.xml", &mut builder)?;
    let mut body = prepare(&mut package, &links, &mut builder)?;
    body.page = first_page(&xml, &mut package)?;
    let blocks = read_part(&mut body, &xml)?;
    let (headers, footers) = read_headers(&mut package, &links, &mut body)?;
    if let Some(title) = body.title.take() {
        builder.set_title(&title);
    }
    write(headers.into_iter().chain(blocks).chain(footers).collect(), &mut builder);
    report(&body, &mut builder);
    let document = builder.finish(MediaType::Docx);
    if document.text.trim().is_empty() { Err(ParseError::Empty) } else { Ok(document) }
}

/// Styles, numbering, notes and charts, without which the text can be read, if not as well.
fn prepare(
    package: &mut Package<'_>,
    links: &[Relationship],
    builder: &mut DocumentBuilder,
) -> Result<DocxBody, ParseError> {
    let mut body = DocxBody::default();
    if let Some(xml) = part_of_kind(package, links, "styles")? {
        body.styles = tolerate(Styles::read(&xml), builder)?;
    }
    if let Some(xml) = part_of_kind(package, links, "numbering")? {
        body.numbering = tolerate(Numbering::read(&xml), builder)?;
    }
    for (kind, name) in
        [(NoteKind::Footnote, "footnotes"), (NoteKind::Endnote, "endnotes"), (NoteKind::Comment, "comments")]
    {
        if let Some(xml) = part_of_kind(package, links, name)? {
            tolerate(read_notes(&mut body, &xml, kind), builder)?;
        }
    }
    let (embedded, broken) = crate::office::chart::read_all(package, links)?;
    body.embedded = embedded;
    if broken > 0 {
        builder.warn(format!("{broken} damaged charts or diagrams were left out"));
    }
    Ok(body)
}

fn part_of_kind(
    package: &mut Package<'_>,
    links: &[Relationship],
    kind: &str,
) -> Result<Option<String>, ParseError> {
    match links.iter().find(|link| link.kind == kind) {
        Some(link) => package.read_text(&link.target),
        None => Ok(None),
    }
}

fn tolerate<T: Default>(
    outcome: Result<T, ParseError>,
    builder: &mut DocumentBuilder,
) -> Result<T, ParseError> {
    match outcome {
        Err(ParseError::Damaged { detail, .. }) => {
            builder.warn(format!("a part beside the text is damaged and was left out ({detail})"));
            Ok(T::default())
        }
        outcome => outcome,
    }
}

fn read_part(body: &mut DocxBody, xml: &str) -> Result<Vec<OfficeBlock>, ParseError> {
    let mut reader = XmlReader::new(xml, MediaType::Docx);
    let root = reader.root()?;
    let mut blocks = Vec::new();
    body.read_blocks(&mut reader, &root, &mut blocks)?;
    Ok(blocks)
}

fn read_notes(body: &mut DocxBody, xml: &str, kind: NoteKind) -> Result<(), ParseError> {
    let mut reader = XmlReader::new(xml, MediaType::Docx);
    let root = reader.root()?;
    while let Some(element) = reader.next_element(&root)? {
        let Some(id) = element.attribute("id").map(str::to_owned) else { continue };
        match (element.name(), element.attribute("type")) {
            ("footnote" | "endnote", None | Some("normal")) | ("comment", _) => {}
            ("footnote" | "endnote", _) => {
                reader.skip(&element)?;
                continue;
            }
            _ => continue,
        }
        let mut blocks = Vec::new();
        body.nesting += 1;
        body.read_blocks(&mut reader, &element, &mut blocks)?;
        body.nesting -= 1;
        let mut words = words_of(&blocks);
        if kind == NoteKind::Comment && !words.is_empty() {
            let author = element.attribute("author").map(str::trim).filter(|author| !author.is_empty());
            let mark = author.map_or("[Comment]".to_owned(), |author| format!("[Comment by {author}]"));
            words = format!("{mark} {words}");
        }
        body.notes.insert((kind, id), words);
    }
    Ok(())
}

type HeadersAndFooters = (Vec<OfficeBlock>, Vec<OfficeBlock>);

fn read_headers(
    package: &mut Package<'_>,
    links: &[Relationship],
    body: &mut DocxBody,
) -> Result<HeadersAndFooters, ParseError> {
    let (mut headers, mut footers) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    body.nesting += 1;
    for id in std::mem::take(&mut body.header_references) {
        let Some(link) = links.iter().find(|link| link.id == id) else { continue };
        if !seen.insert(link.target.clone()) {
            continue;
        }
        let Some(xml) = package.read_text(&link.target)? else { continue };
        let mut blocks = read_part(body, &xml)?;
        let words = words_of(&blocks);
        // Sections repeat one another's headers; a page number alone says nothing.
        if !words.chars().any(char::is_alphabetic) || !seen.insert(words) {
            continue;
        }
        if link.kind == "header" { headers.append(&mut blocks) } else { footers.append(&mut blocks) }
    }
    body.nesting -= 1;
    Ok((headers, footers))
}

/// The number of the first page, if the page breaks Word left in the text are as many as it counted
/// when it saved the file; otherwise page numbers would be guesses.
fn first_page(xml: &str, package: &mut Package<'_>) -> Result<Option<u32>, ParseError> {
    let Some(properties) = package.read_text("docProps/app.xml")? else { return Ok(None) };
    let pages = properties.split_once("<Pages>").and_then(|(_, rest)| rest.split_once('<'));
    let pages = pages.and_then(|(number, _)| number.trim().parse::<usize>().ok());
    let breaks = xml.matches("lastRenderedPageBreak").count();
    Ok(pages.filter(|pages| *pages == breaks + 1).map(|_| 1))
}

fn report(body: &DocxBody, builder: &mut DocumentBuilder) {
    builder.coverage().pages_in = body.page.unwrap_or(0);
    let left_out = [
        (body.deleted_parts, "deletions under change tracking were left out"),
        (body.images_without_text, "images have no text"),
        (body.embedded_documents, "embedded documents were not read"),
    ];
    for (count, what) in left_out {
        if count > 0 {
            builder.warn(format!("{count} {what}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use adit_core::BlockKind;

    use super::*;
    use crate::package::testing::zip_of;

    fn parse_body(body: &str) -> ParsedDocument {
        let links = "<R><Relationship Id='f' Type='t/footnotes' Target='footnotes.xml'/>\
            <Relationship Id='h' Type='t/header' Target='header1.xml'/></R>";
        let bytes = zip_of(&[
            ("word/document.xml", &format!("<w:document><w:body>{body}</w:body></w:document>")),
            ("word/_rels/document.xml.rels", links),
            (
                "word/footnotes.xml",
                "<w:n><w:footnote w:id='2'><w:p><w:t>see there</w:t></w:p></w:footnote></w:n>",
            ),
            ("word/header1.xml", "<w:hdr><w:p><w:t>Letterhead</w:t></w:p></w:hdr>"),
        ]);
        parse(&bytes).unwrap()
    }

    #[test]
    fn changes_notes_boxes_and_headers_are_each_once() {
        let text_box = "<w:txbxContent><w:p><w:r><w:t>box</w:t></w:r></w:p></w:txbxContent>";
        let document = parse_body(&format!(
            "<w:p><w:pPr><w:pStyle w:val='Heading1'/></w:pPr><w:r><w:t>Top</w:t></w:r></w:p><w:p><w:r><w:t>kept </w:t></w:r>\
             <w:ins><w:r><w:t>new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>\
             <w:r><w:footnoteReference w:id='2'/></w:r><w:r><mc:AlternateContent><mc:Choice><w:drawing>{text_box}</w:drawing>\
             </mc:Choice><mc:Fallback><w:pict>{text_box}</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>\
             <w:sectPr><w:headerReference r:id='h'/></w:sectPr>"
        ));
        assert_eq!(document.text, "Letterhead\n\nTop\n\nkept new[1]\n\nbox\n\n[1] see there");
        assert_eq!(document.coverage.warnings, ["1 deletions under change tracking were left out"]);
    }

    #[test]
    fn merged_cells_span_and_the_first_row_is_the_header() {
        let cell = |properties: &str, words: &str| {
            format!("<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:r><w:t>{words}</w:t></w:r></w:p></w:tc>")
        };
        let wide = cell("<w:gridSpan w:val='2'/>", "wide");
        let tall = cell("<w:vMerge w:val='restart'/>", "tall");
        let (below, b, c) = (cell("<w:vMerge/>", ""), cell("", "b"), cell("", "c"));
        let rows = format!("<w:tr>{wide}</w:tr><w:tr>{tall}{b}</w:tr><w:tr>{below}{c}</w:tr>");
        let document = parse_body(&format!("<w:tbl>{rows}</w:tbl>"));
        assert_eq!(document.text, "wide\ntall | b\nc");
        let BlockKind::Table(table) = &document.blocks[0].kind else { panic!("no table") };
        assert_eq!(table.header_rows, 1);
        assert_eq!((table.rows[0].cells[0].column_span, table.rows[1].cells[0].row_span), (2, 2));
    }

    #[test]
    fn broken_files_are_typed_errors() {
        let cut = zip_of(&[("word/document.xml", "<w:document><w:p>")]);
        for bytes in [b"PK\x03\x04".to_vec(), zip_of(&[("a", "b")]), cut] {
            assert!(matches!(parse(&bytes), Err(ParseError::Damaged { .. })));
        }
        assert_eq!(parse(&zip_of(&[("word/document.xml", "<w:document/>")])), Err(ParseError::Empty));
    }
}
