mod package;

use adit_core::{MediaType, ParseError, ParsedDocument};

use crate::flow::{FlowWriter, WhiteSpace};
use crate::html;
use crate::package::Package;

/// Elements that end by themselves in HTML.
const VOID_ELEMENTS: &[&str] = &[
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr",
];

/// Parses an electronic book (EPUB 2 and 3): its chapters in reading order as one document, title and
/// author from the package document.
///
/// # Errors
/// [`ParseError::PasswordNeeded`] for encrypted chapters, [`ParseError::Damaged`], [`ParseError::TooLarge`]
/// for one that unpacks to more than the limits, [`ParseError::Empty`] without a word.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let mut package = Package::open(bytes, MediaType::Epub)?;
    if package::is_encrypted(&mut package)? {
        return Err(ParseError::PasswordNeeded);
    }
    let mut flow = FlowWriter::new(WhiteSpace::Collapse);
    let chapters = package::read(&mut package, &mut flow.builder)?;
    for chapter in &chapters {
        let name = &chapter.part;
        if chapter.is_navigation {
            flow.builder.warn(format!("the table of contents {name} was left out"));
            continue;
        }
        if !chapter.is_text {
            flow.builder.warn(format!("{name} is a picture without text"));
            continue;
        }
        match package.read_text(name) {
            Ok(Some(text)) => {
                html::write_fragment(body(&close_empty_elements(&text)), &mut flow);
                flow.end_paragraph();
            }
            Ok(None) => flow.builder.warn(format!("the chapter {name} is missing")),
            Err(ParseError::Damaged { detail, .. }) => {
                flow.builder.warn(format!("a chapter is damaged and was left out: {detail}"));
            }
            Err(error) => return Err(error),
        }
    }
    let document = flow.finish().finish(MediaType::Epub);
    if document.text.is_empty() { Err(ParseError::Empty) } else { Ok(document) }
}

/// The page without its head, whose title readers do not see.
fn body(html: &str) -> &str {
    html.find("<body").and_then(|start| html.get(start..)).unwrap_or(html)
}

/// Writes `<title/>` of XHTML as `<title></title>`: read as HTML, the title would never end.
fn close_empty_elements(xhtml: &str) -> String {
    let mut html = String::with_capacity(xhtml.len());
    let mut rest = xhtml;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        html.push_str(before);
        let end = tag_length(tag);
        let (tag, after) = tag.split_at(end);
        let name_length = tag
            .bytes()
            .skip(1)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-'))
            .count();
        let name = tag.get(1..1 + name_length).unwrap_or_default();
        match tag.strip_suffix("/>") {
            Some(open) if !name.is_empty() && !VOID_ELEMENTS.contains(&name) => {
                html.push_str(&format!("{open}></{name}>"));
            }
            _ => html.push_str(tag),
        }
        rest = after;
    }
    html.push_str(rest);
    html
}

/// Bytes to the end of a tag, comment or the text, whichever is first.
fn tag_length(tag: &str) -> usize {
    if tag.starts_with("<!--") {
        return tag.find("-->").map_or(tag.len(), |end| end + 3);
    }
    let mut quote = None;
    for (at, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), byte) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'>') => return at + 1,
            _ => {}
        }
    }
    tag.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::package::testing::zip_of;

    const CONTAINER: &str =
        "<container><rootfiles><rootfile full-path=\"OEBPS/p.opf\"/></rootfiles></container>";
    const OPF: &str = "<package><metadata><dc:title>The Book</dc:title><dc:creator>Ann</dc:creator></metadata>\
        <manifest><item id=\"b\" href=\"b.xhtml\" media-type=\"application/xhtml+xml\"/><item id=\"a\" \
        href=\"t/a%20.xhtml\" media-type=\"application/xhtml+xml\"/><item id=\"n\" href=\"n.xhtml\" \
        properties=\"nav\" media-type=\"application/xhtml+xml\"/></manifest><spine><itemref idref=\"n\"/>\
        <itemref idref=\"a\"/><itemref idref=\"b\"/><itemref idref=\"a\"/></spine></package>";

    #[test]
    fn chapters_come_in_reading_order() {
        let book = zip_of(&[
            ("META-INF/container.xml", CONTAINER),
            ("OEBPS/p.opf", OPF),
            ("OEBPS/n.xhtml", "<nav>contents</nav>"),
            (
                "OEBPS/b.xhtml",
                "<html><head><title>unseen</title><title/><script src=\"x\"/></head><body><h1>Two</h1><p>b</p></body></html>",
            ),
            (
                "OEBPS/t/a .xhtml",
                "<?xml version='1.0'?><html><body><h1>One</h1><p>a<a id=\"x\"/>b</p></body></html>",
            ),
        ]);
        let document = parse(&book).unwrap();
        assert_eq!(document.text, "One\n\nab\n\nTwo\n\nb");
        assert_eq!(document.title.as_deref(), Some("The Book"));
        assert_eq!(document.metadata["author"][0].to_text(), "Ann");
        assert_eq!((document.sections.len(), document.coverage.warnings.len()), (2, 1));
    }

    #[test]
    fn locked_broken_and_empty_books_are_errors() {
        let locked = "<encryption><EncryptedData><CipherData><CipherReference URI=\"OEBPS/a.xhtml\"/></CipherData>\
                      </EncryptedData></encryption>";
        let book = zip_of(&[("META-INF/container.xml", CONTAINER), ("META-INF/encryption.xml", locked)]);
        assert_eq!(parse(&book), Err(ParseError::PasswordNeeded));
        assert!(matches!(
            parse(&zip_of(&[("META-INF/container.xml", CONTAINER)])),
            Err(ParseError::Damaged { .. })
        ));
        let empty = zip_of(&[("META-INF/container.xml", CONTAINER), ("OEBPS/p.opf", "<package/>")]);
        assert_eq!(parse(&empty), Err(ParseError::Empty));
    }
}
