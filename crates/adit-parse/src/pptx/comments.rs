use std::collections::HashMap;

use adit_core::{MediaType, ParseError};

use crate::office::blocks::OfficeBlock;
use crate::package::Package;
use crate::package::relationships::Relationship;
use crate::xml_reader::XmlReader;

/// Names of those who commented, by identifier (ECMA-376 part 1, 13.3.1, and [MS-PPTX] 2.6.2).
pub(crate) fn read_authors(
    package: &mut Package<'_>,
    links: &[Relationship],
) -> Result<HashMap<String, String>, ParseError> {
    let mut authors = HashMap::new();
    for link in links.iter().filter(|link| matches!(link.kind.as_str(), "commentAuthors" | "authors")) {
        let Some(xml) = package.read_text(&link.target)? else { continue };
        let mut reader = XmlReader::new(&xml, MediaType::Pptx);
        let root = reader.root()?;
        while let Some(element) = reader.next_element(&root)? {
            if let (Some(id), Some(name)) = (element.attribute("id"), element.attribute("name")) {
                authors.insert(id.to_owned(), name.to_owned());
            }
        }
    }
    Ok(authors)
}

/// The comments on one slide with the answers to them, each a paragraph that says who wrote it.
pub(crate) fn read(
    package: &mut Package<'_>,
    part: &str,
    authors: &HashMap<String, String>,
) -> Result<Vec<OfficeBlock>, ParseError> {
    let Some(xml) = package.read_text(part)? else { return Ok(Vec::new()) };
    let mut reader = XmlReader::new(&xml, MediaType::Pptx);
    let root = reader.root()?;
    let mut comments: Vec<(String, String)> = Vec::new();
    while let Some(element) = reader.next_element(&root)? {
        match element.name() {
            "cm" | "reply" => {
                let author = element.attribute("authorId").and_then(|id| authors.get(id));
                let mark = author.map_or("[Comment]".to_owned(), |author| format!("[Comment by {author}]"));
                comments.push((mark, String::new()));
            }
            "text" | "t" => {
                let words = reader.text_of(&element)?;
                if let Some((_, comment)) = comments.last_mut() {
                    comment.push_str(&words);
                }
            }
            "p" | "br" => {
                if let Some((_, comment)) = comments.last_mut() {
                    comment.push('\n');
                }
            }
            _ => {}
        }
    }
    comments.retain(|(_, words)| !words.trim().is_empty());
    Ok(comments
        .into_iter()
        .map(|(mark, words)| OfficeBlock::Paragraph(format!("{mark} {}", words.trim())))
        .collect())
}
