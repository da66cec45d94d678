use std::collections::HashMap;

use adit_core::{MediaType, ParseError};

use crate::xml_reader::{Element, XmlReader};

const MAX_INHERITANCE: usize = 20;

/// What a paragraph is by its style.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OdfRole {
    Title,
    Quote,
    Code,
    Text,
}

#[derive(Default)]
struct Style {
    parent: Option<String>,
    list_style: Option<String>,
}

/// Paragraph and list styles (OpenDocument 1.3 part 3, 16), those of `content.xml` and `styles.xml`
/// together.
#[derive(Default)]
pub(crate) struct OdfStyles {
    by_name: HashMap<String, Style>,
    /// For each level from 0 that counts, the number it starts with.
    lists: HashMap<String, HashMap<u8, u64>>,
}

impl OdfStyles {
    /// Adds the styles of one part.
    pub(crate) fn read(&mut self, xml: &str, media_type: MediaType) -> Result<(), ParseError> {
        let mut reader = XmlReader::new(xml, media_type);
        let root = reader.root()?;
        while let Some(element) = reader.next_element(&root)? {
            match (element.name(), element.attribute("name")) {
                ("body", _) => reader.skip(&element)?,
                ("style", Some(name)) => {
                    let style = Style {
                        parent: element.attribute("parent-style-name").map(str::to_owned),
                        list_style: element.attribute("list-style-name").map(str::to_owned),
                    };
                    self.by_name.insert(name.to_owned(), style);
                }
                ("list-style", Some(name)) => {
                    let levels = read_list_style(&mut reader, &element)?;
                    self.lists.insert(name.to_owned(), levels);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What a paragraph of this style is, by the name of the built-in style it comes from.
    pub(crate) fn role(&self, name: Option<&str>) -> OdfRole {
        let mut next = name;
        for _ in 0..MAX_INHERITANCE {
            let Some(name) = next else { break };
            match name {
                "Title" => return OdfRole::Title,
                "Quotations" => return OdfRole::Quote,
                "Preformatted_20_Text" | "Source_20_Code" => return OdfRole::Code,
                name => next = self.by_name.get(name).and_then(|style| style.parent.as_deref()),
            }
        }
        OdfRole::Text
    }

    /// The list style a paragraph style brings along.
    pub(crate) fn list_style_of(&self, name: Option<&str>) -> Option<&str> {
        self.by_name.get(name?)?.list_style.as_deref()
    }

    /// The first number of a list at a level from 0; `None` for bullets.
    pub(crate) fn first_number(&self, list_style: &str, level: u8) -> Option<u64> {
        self.lists.get(list_style)?.get(&level).copied()
    }
}

fn read_list_style(reader: &mut XmlReader<'_>, outer: &Element) -> Result<HashMap<u8, u64>, ParseError> {
    let mut levels = HashMap::new();
    while let Some(element) = reader.next_element(outer)? {
        let is_shown = element.attribute("num-format").is_some_and(|format| !format.is_empty());
        let level = element.number("level").and_then(|level| u8::try_from(level).ok());
        if let (true, Some(level)) = (element.name() == "list-level-style-number" && is_shown, level) {
            let start = element.number("start-value").and_then(|start| start.try_into().ok()).unwrap_or(1);
            levels.insert(level.saturating_sub(1), start);
        }
    }
    Ok(levels)
}
