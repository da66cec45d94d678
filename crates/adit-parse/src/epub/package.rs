use std::collections::{HashMap, HashSet};

use adit_core::{MediaType, MetadataValue, ParseError};

use crate::builder::DocumentBuilder;
use crate::package::Package;
use crate::xml_reader::XmlReader;

/// Chapters of the longest books are some hundreds.
const MAX_CHAPTERS: usize = 20_000;

/// One document of the reading order.
pub(crate) struct Chapter {
    /// Name of the part, from the root of the package.
    pub(crate) part: String,
    /// Whether it is the machine-readable table of contents.
    pub(crate) is_navigation: bool,
    /// Whether it is XHTML, not a picture.
    pub(crate) is_text: bool,
}

/// Reads the package document (EPUB 3.3, 5): properties into `builder`, the spine as chapters.
///
/// # Errors
/// [`ParseError::Damaged`] without a container or package document, and as reading parts.
pub(crate) fn read(
    package: &mut Package<'_>,
    builder: &mut DocumentBuilder,
) -> Result<Vec<Chapter>, ParseError> {
    let name = package_document(package)?;
    let text = package.required_text(&name)?;
    let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut xml = XmlReader::new(&text, MediaType::Epub);
    let root = xml.root()?;
    let mut items: HashMap<String, (String, bool, bool)> = HashMap::new();
    let mut spine = Vec::new();
    while let Some(element) = xml.next_element(&root)? {
        match element.name() {
            "item" => {
                let (Some(id), Some(reference)) = (element.attribute("id"), element.attribute("href")) else {
                    continue;
                };
                let is_navigation = element
                    .attribute("properties")
                    .is_some_and(|all| all.split_whitespace().any(|one| one == "nav"));
                let media_type = element.attribute("media-type").unwrap_or("application/xhtml+xml");
                items.insert(
                    id.to_owned(),
                    (resolve(folder, reference), is_navigation, media_type.contains("html")),
                );
            }
            "itemref" if spine.len() < MAX_CHAPTERS => {
                spine.extend(element.attribute("idref").map(str::to_owned));
            }
            "title" | "creator" | "date" | "language" | "publisher" | "subject" | "description"
            | "contributor" => {
                let value = xml.text_of(&element)?;
                property(element.name(), &value, builder);
            }
            "meta" if element.attribute("property") == Some("dcterms:modified") => {
                let value = xml.text_of(&element)?;
                property("modified", &value, builder);
            }
            _ => {}
        }
    }
    let mut seen = HashSet::new();
    let chapters = spine.iter().filter_map(|id| items.get(id)).filter(|(part, ..)| seen.insert(part.clone()));
    Ok(chapters
        .map(|(part, is_navigation, is_text)| Chapter {
            part: part.clone(),
            is_navigation: *is_navigation,
            is_text: *is_text,
        })
        .collect())
}

fn package_document(package: &mut Package<'_>) -> Result<String, ParseError> {
    let text = package.required_text("META-INF/container.xml")?;
    let mut xml = XmlReader::new(&text, MediaType::Epub);
    let root = xml.root()?;
    while let Some(element) = xml.next_element(&root)? {
        if let Some(path) = element.attribute("full-path").filter(|_| element.name() == "rootfile") {
            return Ok(percent_decode(path));
        }
    }
    let detail = "META-INF/container.xml names no package document".to_owned();
    Err(ParseError::Damaged { media_type: MediaType::Epub, detail })
}

fn property(name: &str, value: &str, builder: &mut DocumentBuilder) {
    let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
    if value.is_empty() {
        return;
    }
    let key = match name {
        "title" => {
            if !builder.has_title() {
                builder.set_title(&value);
            }
            return;
        }
        "creator" => "author",
        "date" => "created",
        other => other,
    };
    builder.metadata().entry(key.to_owned()).or_default().push(MetadataValue::Text(value));
}

/// Whether chapters are encrypted. Fonts often are, against copying, which harms no reader.
pub(crate) fn is_encrypted(package: &mut Package<'_>) -> Result<bool, ParseError> {
    let Some(text) = package.read_text("META-INF/encryption.xml")? else { return Ok(false) };
    let mut xml = XmlReader::new(&text, MediaType::Epub);
    let root = xml.root()?;
    while let Some(element) = xml.next_element(&root)? {
        let reference = element.attribute("URI").unwrap_or_default().to_lowercase();
        if element.name() == "CipherReference" && (reference.ends_with("html") || reference.ends_with(".htm"))
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// A reference from a file in `folder`, as a part name.
fn resolve(folder: &str, reference: &str) -> String {
    let reference = percent_decode(reference.split('#').next().unwrap_or_default());
    let folder = if reference.starts_with('/') { "" } else { folder };
    let mut path: Vec<&str> = Vec::new();
    for step in folder.split('/').chain(reference.split('/')) {
        match step {
            "" | "." => {}
            ".." => {
                path.pop();
            }
            step => path.push(step),
        }
    }
    path.join("/")
}

fn percent_decode(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved() {
        assert_eq!(resolve("OEBPS/text", "../a%20b/c.xhtml#x"), "OEBPS/a b/c.xhtml");
        assert_eq!(resolve("", "./c%zz%C3%A9"), "c%zz\u{e9}");
        assert_eq!(resolve("a", "../../../c"), "c");
    }
}
