use adit_core::{MediaType, MetadataValue, ParseError};

use crate::builder::DocumentBuilder;
use crate::package::Package;
use crate::xml_reader::{Element, XmlReader};

/// Titles that programs write by themselves.
const GENERIC_TITLES: &[&str] = &["powerpoint presentation", "slide 1", "word document", "untitled", "title"];

/// Takes title, author, dates, subject and keywords from the properties part of an Office Open XML
/// (ECMA-376 part 2, 8) or OpenDocument (part 3, 4.3) package. A missing or broken part is passed over
/// with a warning: the text is what matters.
///
/// # Errors
/// Only [`ParseError::TooLarge`] and [`ParseError::PasswordNeeded`].
pub(crate) fn read(
    package: &mut Package<'_>,
    part: &str,
    builder: &mut DocumentBuilder,
) -> Result<(), ParseError> {
    match package.read_text(part).and_then(|xml| match xml {
        Some(xml) => take_properties(&xml, package.media_type(), builder),
        None => Ok(()),
    }) {
        Err(ParseError::Damaged { detail, .. }) => {
            builder.warn(format!("the document's properties were left out ({detail})"));
            Ok(())
        }
        outcome => outcome,
    }
}

fn take_properties(
    xml: &str,
    media_type: MediaType,
    builder: &mut DocumentBuilder,
) -> Result<(), ParseError> {
    let mut reader = XmlReader::new(xml, media_type);
    let root = reader.root()?;
    while let Some(element) = reader.next_element(&root)? {
        let Some(key) = key_of(&element, media_type) else { continue };
        let words = reader.text_of(&element)?;
        let words = words.trim();
        if words.is_empty() {
            continue;
        }
        if key == "title" && is_telling(words) {
            builder.set_title(words);
        }
        let values = builder.metadata().entry(key.to_owned()).or_default();
        if key == "keywords" {
            let keywords = words.split([',', ';']).map(str::trim).filter(|word| !word.is_empty());
            values.extend(keywords.map(|word| MetadataValue::Text(word.to_owned())));
        } else if values.is_empty() {
            values.push(MetadataValue::Text(words.to_owned()));
        }
    }
    Ok(())
}

/// The key in front matter and other formats that says the same.
fn key_of(element: &Element, media_type: MediaType) -> Option<&'static str> {
    let is_open_document = matches!(media_type, MediaType::Odt | MediaType::Odp);
    Some(match element.name() {
        "title" => "title",
        "subject" => "subject",
        "description" => "description",
        "keywords" | "keyword" => "keywords",
        "language" => "language",
        "category" => "category",
        "created" | "creation-date" => "created",
        "modified" => "modified",
        "date" if is_open_document => "modified",
        "creator" if is_open_document => "last_modified_by",
        "initial-creator" | "creator" => "author",
        "lastModifiedBy" => "last_modified_by",
        _ => return None,
    })
}

fn is_telling(title: &str) -> bool {
    let lower = title.to_lowercase();
    !GENERIC_TITLES.contains(&lower.as_str())
        && !lower.starts_with("microsoft word - ")
        && !lower.strip_prefix("document").is_some_and(|rest| rest.chars().all(|one| one.is_ascii_digit()))
}
