use adit_core::ParseError;

use crate::xml_reader::{Element, Node, XmlReader};

/// Writes an Office formula (ECMA-376 part 1, 22.1) on one line, in the signs a reader would type:
/// `a/b`, `x^2`, `√(x)`.
pub(crate) fn read(reader: &mut XmlReader<'_>, outer: &Element) -> Result<String, ParseError> {
    let mut words = String::new();
    while let Some(node) = reader.next_in(outer)? {
        let Node::Element(element) = node else { continue };
        match element.name() {
            "t" => words.push_str(&reader.text_of(&element)?),
            "rPr" | "ctrlPr" | "delText" | "sSupPr" | "fPr" => reader.skip(&element)?,
            "den" => {
                words.push('/');
                words.push_str(&grouped(&read(reader, &element)?));
            }
            "num" => words.push_str(&grouped(&read(reader, &element)?)),
            "sup" => push_marked(&mut words, '^', &read(reader, &element)?),
            "sub" | "lim" => push_marked(&mut words, '_', &read(reader, &element)?),
            "rad" => {
                let inner = read(reader, &element)?;
                words.push_str(&format!("√({inner})"));
            }
            "d" => words.push_str(&read_delimited(reader, &element)?),
            "nary" => words.push_str(&read_operator(reader, &element)?),
            "mr" => {
                let row = read(reader, &element)?;
                words.push_str(row.trim());
                words.push_str("; ");
            }
            _ => {}
        }
    }
    Ok(words)
}

fn read_delimited(reader: &mut XmlReader<'_>, outer: &Element) -> Result<String, ParseError> {
    let (mut open, mut close, mut separator) = ("(".to_owned(), ")".to_owned(), "|".to_owned());
    let mut parts = Vec::new();
    while let Some(element) = reader.next_element(outer)? {
        let value = element.attribute("val").unwrap_or_default();
        match element.name() {
            "begChr" => value.clone_into(&mut open),
            "endChr" => value.clone_into(&mut close),
            "sepChr" => value.clone_into(&mut separator),
            "ctrlPr" => reader.skip(&element)?,
            "e" => parts.push(read(reader, &element)?),
            _ => {}
        }
    }
    Ok(format!("{open}{}{close}", parts.join(&separator)))
}

fn read_operator(reader: &mut XmlReader<'_>, outer: &Element) -> Result<String, ParseError> {
    let mut words = String::new();
    let mut sign = "∫".to_owned();
    while let Some(element) = reader.next_element(outer)? {
        match element.name() {
            "chr" => element.attribute("val").unwrap_or_default().clone_into(&mut sign),
            "ctrlPr" => reader.skip(&element)?,
            "sub" => push_marked(&mut words, '_', &read(reader, &element)?),
            "sup" => push_marked(&mut words, '^', &read(reader, &element)?),
            "e" => {
                words.push(' ');
                words.push_str(&read(reader, &element)?);
            }
            _ => {}
        }
    }
    Ok(format!("{sign}{words}"))
}

fn push_marked(words: &mut String, mark: char, inner: &str) {
    if !inner.trim().is_empty() {
        words.push(mark);
        words.push_str(&grouped(inner));
    }
}

fn grouped(words: &str) -> String {
    let words = words.trim();
    if words.chars().all(char::is_alphanumeric) { words.to_owned() } else { format!("({words})") }
}
