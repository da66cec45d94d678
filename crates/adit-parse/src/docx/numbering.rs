use std::collections::HashMap;

use adit_core::{MediaType, ParseError};

use crate::docx::styles::NumberingReference;
use crate::xml_reader::{Element, XmlReader};

const LEVELS: usize = 9;

#[derive(Default, Clone)]
struct Level {
    counts: bool,
    start: u64,
    /// The pattern of a number, such as `%1.%2.`
    text: String,
}

#[derive(Default)]
struct Definition {
    levels: HashMap<u8, Level>,
}

#[derive(Default)]
struct Instance {
    definition: String,
    overrides: HashMap<u8, u64>,
}

/// The numberings of a document (ECMA-376 part 1, 17.9) and how far each has counted.
#[derive(Default)]
pub(crate) struct Numbering {
    definitions: HashMap<String, Definition>,
    instances: HashMap<String, Instance>,
    counters: HashMap<String, [Option<u64>; LEVELS]>,
    overridden: HashMap<String, u16>,
}

/// A paragraph's place in its list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NumberedPlace {
    pub(crate) level: u8,
    /// `None` for bullets.
    pub(crate) number: Option<u64>,
    /// The number as it is shown with those of the outer levels, such as `1.2`; empty for bullets.
    pub(crate) label: String,
}

impl Numbering {
    /// Reads `word/numbering.xml`.
    pub(crate) fn read(xml: &str) -> Result<Self, ParseError> {
        let mut reader = XmlReader::new(xml, MediaType::Docx);
        let root = reader.root()?;
        let mut numbering = Self::default();
        while let Some(element) = reader.next_element(&root)? {
            match (element.name(), element.attribute("abstractNumId"), element.attribute("numId")) {
                ("abstractNum", Some(id), _) => {
                    let definition = read_definition(&mut reader, &element)?;
                    numbering.definitions.insert(id.to_owned(), definition);
                }
                ("num", _, Some(id)) => {
                    let instance = read_instance(&mut reader, &element)?;
                    numbering.instances.insert(id.to_owned(), instance);
                }
                _ => {}
            }
        }
        Ok(numbering)
    }

    /// Counts one paragraph further; `None` if it stands in no list.
    pub(crate) fn advance(&mut self, reference: &NumberingReference) -> Option<NumberedPlace> {
        let id = reference.number_id.as_deref().filter(|id| *id != "0")?;
        let level = reference.level.unwrap_or(0).min(LEVELS as u8 - 1);
        // A list whose definition is missing is shown with bullets.
        let Some(instance) = self.instances.get(id) else {
            return Some(NumberedPlace { level, number: None, label: String::new() });
        };
        let levels = self.definitions.get(&instance.definition).map(|definition| &definition.levels);
        let own = levels.and_then(|levels| levels.get(&level)).cloned().unwrap_or_default();
        let counters = self.counters.entry(instance.definition.clone()).or_default();
        let index = usize::from(level);
        if let Some(start) = instance.overrides.get(&level) {
            let done = self.overridden.entry(id.to_owned()).or_default();
            if *done & (1 << level) == 0 {
                *done |= 1 << level;
                if let Some(counter) = counters.get_mut(index) {
                    *counter = start.checked_sub(1);
                }
            }
        }
        let number = match counters.get(index).copied().flatten() {
            Some(last) => last.saturating_add(1),
            None => instance.overrides.get(&level).copied().unwrap_or(own.start),
        };
        for (at, counter) in counters.iter_mut().enumerate() {
            match at.cmp(&index) {
                std::cmp::Ordering::Equal => *counter = Some(number),
                std::cmp::Ordering::Greater => *counter = None,
                std::cmp::Ordering::Less => {}
            }
        }
        let number = own.counts.then_some(number);
        let label = number.map(|_| label_of(&own.text, counters)).unwrap_or_default();
        Some(NumberedPlace { level, number, label })
    }
}

/// `%1.%2` with the counters put in, without the full stop or bracket at its end.
fn label_of(pattern: &str, counters: &[Option<u64>; LEVELS]) -> String {
    let mut label = String::new();
    let mut characters = pattern.chars().peekable();
    while let Some(character) = characters.next() {
        let level = characters.peek().and_then(|next| next.to_digit(10)).filter(|_| character == '%');
        match level {
            Some(level) => {
                characters.next();
                let at = usize::try_from(level.saturating_sub(1)).unwrap_or(0);
                label.push_str(&counters.get(at).copied().flatten().unwrap_or(1).to_string());
            }
            None => label.push(character),
        }
    }
    label.trim_end_matches(['.', ')', ' ']).to_owned()
}

fn read_definition(reader: &mut XmlReader<'_>, outer: &Element) -> Result<Definition, ParseError> {
    let mut definition = Definition::default();
    let mut current = None;
    while let Some(element) = reader.next_element(outer)? {
        if element.name() == "lvl" {
            current = element.number("ilvl").and_then(|level| u8::try_from(level).ok());
        }
        let Some(level) = current.map(|level| definition.levels.entry(level).or_default()) else { continue };
        match element.name() {
            "lvl" => *level = Level { counts: true, start: 1, text: String::new() },
            "start" => {
                level.start = element.number("val").and_then(|start| start.try_into().ok()).unwrap_or(1);
            }
            "numFmt" => level.counts = !matches!(element.attribute("val"), Some("bullet" | "none")),
            "lvlText" => element.attribute("val").unwrap_or_default().clone_into(&mut level.text),
            _ => {}
        }
    }
    Ok(definition)
}

fn read_instance(reader: &mut XmlReader<'_>, outer: &Element) -> Result<Instance, ParseError> {
    let mut instance = Instance::default();
    let mut level = 0;
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "abstractNumId" => {
                element.attribute("val").unwrap_or_default().clone_into(&mut instance.definition);
            }
            "lvlOverride" => level = element.number("ilvl").and_then(|one| one.try_into().ok()).unwrap_or(0),
            "startOverride" => {
                if let Some(start) = element.number("val").and_then(|start| start.try_into().ok()) {
                    instance.overrides.insert(level, start);
                }
            }
            _ => {}
        }
    }
    Ok(instance)
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = "<w:numbering><w:abstractNum w:abstractNumId='7'>\
        <w:lvl w:ilvl='0'><w:start w:val='3'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.'/></w:lvl>\
        <w:lvl w:ilvl='1'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='%1.%2)'/></w:lvl>\
        <w:lvl w:ilvl='2'><w:numFmt w:val='bullet'/><w:lvlText w:val='o'/></w:lvl></w:abstractNum>\
        <w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num>\
        <w:num w:numId='2'><w:abstractNumId w:val='7'/><w:lvlOverride w:ilvl='0'><w:startOverride w:val='1'/>\
        </w:lvlOverride></w:num></w:numbering>";

    #[test]
    fn counters_go_on_nest_and_restart() {
        let mut numbering = Numbering::read(XML).unwrap();
        let mut label = |id: &str, level| {
            let reference = NumberingReference { number_id: Some(id.to_owned()), level: Some(level) };
            numbering.advance(&reference).map(|place| place.label)
        };
        let labels =
            [("1", 0), ("1", 1), ("1", 1), ("1", 2), ("1", 0), ("1", 1), ("2", 0), ("2", 0), ("9", 0)];
        let labels: Vec<_> = labels.into_iter().map(|(id, level)| label(id, level).unwrap()).collect();
        assert_eq!(labels, ["3", "3.1", "3.2", "", "4", "4.1", "1", "2", ""]);
        assert_eq!(label("0", 0), None);
    }
}
