use std::collections::{BTreeSet, HashMap};

use adit_core::ParseError;

use crate::builder::plain_cell;
use crate::office::blocks::OfficeBlock;
use crate::package::Package;
use crate::package::relationships::Relationship;
use crate::xml_reader::{Element, XmlReader};

#[derive(Default)]
struct Series {
    name: String,
    categories: HashMap<u32, String>,
    values: HashMap<u32, String>,
}

/// The charts and diagrams a part leads to, by the identifier of the relationship. A broken one is left
/// out, which the second value counts.
///
/// # Errors
/// [`ParseError::TooLarge`] and [`ParseError::PasswordNeeded`].
pub(crate) fn read_all(
    package: &mut Package<'_>,
    relationships: &[Relationship],
) -> Result<(HashMap<String, Vec<OfficeBlock>>, u64), ParseError> {
    let mut blocks = HashMap::new();
    let mut broken = 0;
    for relationship in relationships {
        let read: fn(&mut XmlReader<'_>) -> Result<Vec<OfficeBlock>, ParseError> =
            match relationship.kind.as_str() {
                "chart" => read_chart,
                "diagramData" => read_diagram,
                _ => continue,
            };
        let Some(xml) = package.read_text(&relationship.target)? else { continue };
        match read(&mut XmlReader::new(&xml, package.media_type())) {
            Ok(found) => {
                blocks.insert(relationship.id.clone(), found);
            }
            Err(ParseError::Damaged { .. }) => broken += 1,
            Err(error) => return Err(error),
        }
    }
    Ok((blocks, broken))
}

/// A chart (ECMA-376 part 1, 21.2) as the table of the values it was drawn from, a column a series.
fn read_chart(reader: &mut XmlReader<'_>) -> Result<Vec<OfficeBlock>, ParseError> {
    let root = reader.root()?;
    let mut titles = Vec::new();
    let mut all_series = Vec::new();
    while let Some(element) = reader.next_element(&root)? {
        match element.name() {
            "title" => titles.push(paragraphs_in(reader, &element)?.join(" ")),
            "ser" => all_series.push(read_series(reader, &element)?),
            _ => {}
        }
    }
    titles.retain(|title| !title.is_empty());
    let caption = Some(titles.join(" | ")).filter(|caption| !caption.is_empty());
    let mut rows = vec![
        std::iter::once("").chain(all_series.iter().map(|one| one.name.as_str())).map(plain_cell).collect(),
    ];
    let indices: BTreeSet<u32> =
        all_series.iter().flat_map(|one| one.values.keys().chain(one.categories.keys())).copied().collect();
    for index in indices {
        let category =
            all_series.iter().find_map(|one| one.categories.get(&index)).map_or("", String::as_str);
        let values = all_series.iter().map(|one| one.values.get(&index).map_or("", String::as_str));
        rows.push(std::iter::once(category).chain(values).map(plain_cell).collect());
    }
    Ok(vec![OfficeBlock::Table { rows, header_rows: 1, caption }])
}

fn read_series(reader: &mut XmlReader<'_>, outer: &Element) -> Result<Series, ParseError> {
    let mut series = Series::default();
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "tx" => {
                series.name = read_points(reader, &element)?
                    .into_iter()
                    .map(|(_, words)| words)
                    .collect::<Vec<_>>()
                    .join(" ");
            }
            "cat" | "xVal" => series.categories = read_points(reader, &element)?.into_iter().collect(),
            "val" | "yVal" => series.values = read_points(reader, &element)?.into_iter().collect(),
            "dLbls" | "spPr" | "extLst" => reader.skip(&element)?,
            _ => {}
        }
    }
    Ok(series)
}

fn read_points(reader: &mut XmlReader<'_>, outer: &Element) -> Result<Vec<(u32, String)>, ParseError> {
    let mut points = Vec::new();
    let mut index = 0;
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "pt" => index = element.number("idx").and_then(|one| one.try_into().ok()).unwrap_or(0),
            "v" => points.push((index, reader.text_of(&element)?)),
            _ => {}
        }
    }
    Ok(points)
}

/// A diagram's texts (ECMA-376 part 1, 21.4.2), which a program lays out as boxes and arrows.
fn read_diagram(reader: &mut XmlReader<'_>) -> Result<Vec<OfficeBlock>, ParseError> {
    let root = reader.root()?;
    let words = paragraphs_in(reader, &root)?;
    Ok(words.into_iter().map(|words| OfficeBlock::Item { level: 0, number: None, words }).collect())
}

fn paragraphs_in(reader: &mut XmlReader<'_>, outer: &Element) -> Result<Vec<String>, ParseError> {
    let mut paragraphs = Vec::new();
    while let Some(element) = reader.next_element(outer)? {
        if element.name() == "p" {
            paragraphs.push(reader.text_of(&element)?);
        }
    }
    paragraphs.retain(|words| !words.trim().is_empty());
    Ok(paragraphs)
}
