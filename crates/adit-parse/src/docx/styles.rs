use std::collections::HashMap;

use adit_core::{MediaType, ParseError};

use crate::xml_reader::{Element, XmlReader};

/// A chain of styles based on one another is followed no further.
const MAX_INHERITANCE: usize = 20;

/// What a paragraph is by its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ParagraphRole {
    Title,
    /// A heading with its level from 1.
    Heading(u8),
    Quote,
    Code,
    Text,
}

/// Where a paragraph stands in a numbering (ECMA-376 part 1, 17.9).
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct NumberingReference {
    pub(crate) number_id: Option<String>,
    pub(crate) level: Option<u8>,
}

#[derive(Default)]
struct Style {
    name: String,
    based_on: Option<String>,
    outline_level: Option<u8>,
    numbering: NumberingReference,
}

/// The paragraph styles of a document (ECMA-376 part 1, 17.7).
#[derive(Default)]
pub(crate) struct Styles {
    by_id: HashMap<String, Style>,
    default_id: Option<String>,
}

impl Styles {
    /// Reads `word/styles.xml`.
    pub(crate) fn read(xml: &str) -> Result<Self, ParseError> {
        let mut reader = XmlReader::new(xml, MediaType::Docx);
        let root = reader.root()?;
        let mut styles = Self::default();
        while let Some(element) = reader.next_element(&root)? {
            if element.name() != "style" || element.attribute("type").is_some_and(|kind| kind != "paragraph")
            {
                continue;
            }
            let Some(id) = element.attribute("styleId").map(str::to_owned) else { continue };
            if matches!(element.attribute("default"), Some("1" | "true" | "on")) {
                styles.default_id = Some(id.clone());
            }
            let style = read_style(&mut reader, &element)?;
            styles.by_id.insert(id, style);
        }
        Ok(styles)
    }

    /// What a paragraph of this style is: by the style's built-in name, else by its outline level, else
    /// by the style it is based on.
    pub(crate) fn role(&self, id: Option<&str>) -> ParagraphRole {
        let by_style = self.chain(id).find_map(|style| {
            role_of_name(&style.name).or_else(|| style.outline_level.and_then(role_of_outline_level))
        });
        // A document without a styles part still names its styles by their usual identifiers.
        let by_id = || id.filter(|id| !self.by_id.contains_key(*id)).and_then(role_of_name);
        by_style.or_else(by_id).unwrap_or(ParagraphRole::Text)
    }

    /// The numbering a style gives its paragraphs.
    pub(crate) fn numbering(&self, id: Option<&str>) -> NumberingReference {
        let mut found = NumberingReference::default();
        for style in self.chain(id) {
            found.number_id = found.number_id.or_else(|| style.numbering.number_id.clone());
            found.level = found.level.or(style.numbering.level);
        }
        found
    }

    fn chain<'a>(&'a self, id: Option<&'a str>) -> impl Iterator<Item = &'a Style> {
        let first = id.or(self.default_id.as_deref()).and_then(|id| self.by_id.get(id));
        std::iter::successors(first, |style| self.by_id.get(style.based_on.as_deref()?)).take(MAX_INHERITANCE)
    }
}

/// `w:outlineLvl` counts from 0; 9 is body text (17.3.1.20).
pub(crate) fn role_of_outline_level(level: u8) -> Option<ParagraphRole> {
    match level {
        0..9 => Some(ParagraphRole::Heading(level + 1)),
        _ => Some(ParagraphRole::Text),
    }
}

fn read_style(reader: &mut XmlReader<'_>, outer: &Element) -> Result<Style, ParseError> {
    let mut style = Style::default();
    while let Some(element) = reader.next_element(outer)? {
        let value = element.attribute("val");
        match element.name() {
            "name" => style.name = value.unwrap_or_default().to_owned(),
            "basedOn" => style.based_on = value.map(str::to_owned),
            "outlineLvl" => style.outline_level = value.and_then(|level| level.parse().ok()),
            "numId" => style.numbering.number_id = value.map(str::to_owned),
            "ilvl" => style.numbering.level = value.and_then(|level| level.parse().ok()),
            _ => {}
        }
    }
    Ok(style)
}

/// Built-in styles keep their English names in the file whatever language the program speaks.
fn role_of_name(name: &str) -> Option<ParagraphRole> {
    let name: String = name.chars().filter(|one| !one.is_whitespace()).collect::<String>().to_lowercase();
    if let Some(level) = name.strip_prefix("heading").or_else(|| name.strip_prefix("berschrift")) {
        return level.parse::<u8>().ok().filter(|level| (1..=9).contains(level)).map(ParagraphRole::Heading);
    }
    match name.as_str() {
        "title" => Some(ParagraphRole::Title),
        "quote" | "intensequote" => Some(ParagraphRole::Quote),
        "htmlpreformatted" | "sourcecode" | "code" | "codeblock" | "preformattedtext" | "plaintextcode" => {
            Some(ParagraphRole::Code)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_found_by_name_outline_and_inheritance() {
        let xml = "<w:styles><w:style w:type='paragraph' w:default='1' w:styleId='N'><w:name w:val='Normal'/></w:style>\
            <w:style w:type='paragraph' w:styleId='berschrift1'><w:name w:val='heading 1'/><w:basedOn w:val='N'/></w:style>\
            <w:style w:type='paragraph' w:styleId='Mine'><w:name w:val='Mine'/><w:basedOn w:val='berschrift1'/></w:style>\
            <w:style w:type='paragraph' w:styleId='Out'><w:name w:val='Out'/><w:pPr><w:outlineLvl w:val='2'/></w:pPr></w:style>\
            <w:style w:type='paragraph' w:styleId='L1'><w:name w:val='L1'/><w:basedOn w:val='L2'/></w:style>\
            <w:style w:type='paragraph' w:styleId='L2'><w:name w:val='L2'/><w:basedOn w:val='L1'/></w:style></w:styles>";
        let styles = Styles::read(xml).unwrap();
        let role = |id| styles.role(Some(id));
        assert_eq!(role("berschrift1"), ParagraphRole::Heading(1));
        assert_eq!(role("Mine"), ParagraphRole::Heading(1));
        assert_eq!(role("Out"), ParagraphRole::Heading(3));
        assert_eq!(role("L1"), ParagraphRole::Text);
        assert_eq!(role("Heading2"), ParagraphRole::Heading(2));
        assert_eq!(styles.role(None), ParagraphRole::Text);
    }
}
