use adit_core::{MediaType, ParseError};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

/// Real office files nest some twenty elements; readers recurse with the nesting, so it must end.
const MAX_DEPTH: usize = 200;

/// An element that was opened: its name and attributes without namespace prefixes.
pub(crate) struct Element {
    name: String,
    attributes: Vec<(String, String)>,
    depth: usize,
}

impl Element {
    /// Name without its namespace prefix.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The first attribute of that name, whatever its namespace prefix.
    pub(crate) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All attributes of that name, which differ in their namespaces.
    pub(crate) fn attributes_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.attributes.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// A whole number in an attribute.
    pub(crate) fn number(&self, name: &str) -> Option<i64> {
        self.attribute(name)?.trim().parse().ok()
    }

    /// An Office Open XML switch (ECMA-376 part 1, 22.9.2.7): present means on unless it says otherwise.
    pub(crate) fn is_on(&self) -> bool {
        !matches!(self.attribute("val"), Some("0" | "false" | "off" | "none"))
    }
}

/// What stands inside an element.
pub(crate) enum Node {
    Element(Element),
    Text(String),
}

/// Pulls elements and text out of one XML part. Elements nobody asks for are transparent: what they
/// contain appears as if it stood in their parent. Entities a document defines itself are not expanded. Of the
/// choices of an `mc:AlternateContent` (ECMA-376 part 3, 7.6), which say the same thing twice, only the first
/// is read.
pub(crate) struct XmlReader<'a> {
    reader: Reader<&'a [u8]>,
    media_type: MediaType,
    depth: usize,
    /// `mc:AlternateContent` elements that are open: their depth, and whether a choice was made.
    alternatives: Vec<(usize, bool)>,
}

impl<'a> XmlReader<'a> {
    pub(crate) fn new(xml: &'a str, media_type: MediaType) -> Self {
        let mut reader = Reader::from_str(xml.trim_start_matches('\u{feff}'));
        let config = reader.config_mut();
        config.expand_empty_elements = true;
        config.allow_dangling_amp = true;
        Self { reader, media_type, depth: 0, alternatives: Vec::new() }
    }

    /// The outermost element.
    pub(crate) fn root(&mut self) -> Result<Element, ParseError> {
        loop {
            match self.next_at(0)? {
                Some(Node::Element(element)) => return Ok(element),
                // The line break after the declaration.
                Some(Node::Text(text)) if text.trim().is_empty() => {}
                _ => return Err(self.damaged("a part holds no XML element".to_owned())),
            }
        }
    }

    /// The next element (at any depth not skipped) or text inside `outer`; `None` when `outer` ends.
    pub(crate) fn next_in(&mut self, outer: &Element) -> Result<Option<Node>, ParseError> {
        self.next_at(outer.depth)
    }

    /// As [`Self::next_in`], passing over text.
    pub(crate) fn next_element(&mut self, outer: &Element) -> Result<Option<Element>, ParseError> {
        loop {
            match self.next_in(outer)? {
                Some(Node::Element(element)) => return Ok(Some(element)),
                Some(Node::Text(_)) => {}
                None => return Ok(None),
            }
        }
    }

    /// Passes over everything inside `element`.
    pub(crate) fn skip(&mut self, element: &Element) -> Result<(), ParseError> {
        while self.next_in(element)?.is_some() {}
        Ok(())
    }

    /// All text inside `element`, as it stands.
    pub(crate) fn text_of(&mut self, element: &Element) -> Result<String, ParseError> {
        let mut words = String::new();
        while let Some(node) = self.next_in(element)? {
            if let Node::Text(text) = node {
                words.push_str(&text);
            }
        }
        Ok(words)
    }

    fn next_at(&mut self, outer_depth: usize) -> Result<Option<Node>, ParseError> {
        // An element that was read to its end already has nothing more inside.
        while self.depth >= outer_depth {
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.damaged(error.to_string())),
            };
            match event {
                Event::Start(start) => {
                    let element = self.open(&start)?;
                    if !self.is_second_choice(&element) {
                        return Ok(Some(Node::Element(element)));
                    }
                    self.pass_over(element.depth)?;
                }
                Event::End(_) => self.close(),
                Event::Text(text) => return Ok(Some(Node::Text(text.xml10_content().into_owned()))),
                Event::CData(text) => return Ok(Some(Node::Text(text.xml10_content().into_owned()))),
                Event::GeneralRef(reference) => {
                    if let Some(character) = resolve(&reference) {
                        return Ok(Some(Node::Text(character.to_string())));
                    }
                }
                Event::Eof if self.depth == 0 => return Ok(None),
                Event::Eof => return Err(self.damaged("a part ends in the middle".to_owned())),
                _ => {}
            }
        }
        Ok(None)
    }

    fn open(&mut self, start: &BytesStart<'_>) -> Result<Element, ParseError> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.damaged(format!("elements nest deeper than {MAX_DEPTH}")));
        }
        let mut unchecked = start.attributes();
        let attributes = unchecked.with_checks(false).flatten().map(|attribute| {
            let value = attribute.normalized_value(XmlVersion::Explicit1_0).unwrap_or_default().into_owned();
            (local(attribute.key.as_ref()).to_owned(), value)
        });
        Ok(Element {
            name: local(start.name().as_ref()).to_owned(),
            attributes: attributes.collect(),
            depth: self.depth,
        })
    }

    fn is_second_choice(&mut self, element: &Element) -> bool {
        if element.name == "AlternateContent" {
            self.alternatives.push((element.depth, false));
        }
        match self.alternatives.last_mut() {
            Some((outer_depth, is_chosen))
                if element.depth == *outer_depth + 1 && matches!(element.name(), "Choice" | "Fallback") =>
            {
                std::mem::replace(is_chosen, true)
            }
            _ => false,
        }
    }

    fn close(&mut self) {
        if self.alternatives.last().is_some_and(|(depth, _)| *depth == self.depth) {
            self.alternatives.pop();
        }
        self.depth = self.depth.saturating_sub(1);
    }

    fn pass_over(&mut self, depth: usize) -> Result<(), ParseError> {
        while self.depth >= depth {
            match self.reader.read_event() {
                Ok(Event::Start(_)) => self.depth += 1,
                Ok(Event::End(_)) => self.depth = self.depth.saturating_sub(1),
                Ok(Event::Eof) => return Err(self.damaged("a part ends in the middle".to_owned())),
                Ok(_) => {}
                Err(error) => return Err(self.damaged(error.to_string())),
            }
        }
        Ok(())
    }

    fn damaged(&self, detail: String) -> ParseError {
        ParseError::Damaged { media_type: self.media_type, detail }
    }
}

fn local(name: &str) -> &str {
    name.rsplit(':').next().unwrap_or(name)
}

fn resolve(reference: &BytesRef<'_>) -> Option<char> {
    if reference.is_char_ref() {
        return reference.resolve_char_ref().ok().flatten();
    }
    match reference.xml10_content().as_ref() {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "apos" => Some('\''),
        "quot" => Some('"'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_between_are_transparent_and_skipped_ones_are_gone() {
        let mut reader =
            XmlReader::new("<a><x:b>1<c>2</c></x:b><d>3<e/></d>4 &amp; &#x35;</a>", MediaType::Docx);
        let root = reader.root().unwrap();
        let mut seen = String::new();
        while let Some(node) = reader.next_in(&root).unwrap() {
            match node {
                Node::Element(element) if element.name() == "d" => reader.skip(&element).unwrap(),
                Node::Element(element) => seen.push_str(element.name()),
                Node::Text(text) => seen.push_str(&text),
            }
        }
        assert_eq!(seen, "b1c24 & 5");
    }

    #[test]
    fn only_the_first_choice_is_read() {
        let xml = "<a><mc:AlternateContent><mc:Choice>1<mc:AlternateContent><mc:Fallback>2</mc:Fallback>\
                   </mc:AlternateContent></mc:Choice><mc:Choice>3</mc:Choice><mc:Fallback><b>4</b></mc:Fallback>\
                   </mc:AlternateContent>5</a>";
        let mut reader = XmlReader::new(xml, MediaType::Docx);
        let root = reader.root().unwrap();
        assert_eq!(reader.text_of(&root).unwrap(), "125");
    }

    #[test]
    fn own_entities_are_not_expanded_and_depth_ends() {
        let laughs = "<!DOCTYPE a [<!ENTITY l \"haha\"><!ENTITY m \"&l;&l;\">]><a>&m;ok</a>";
        let mut reader = XmlReader::new(laughs, MediaType::Docx);
        let root = reader.root().unwrap();
        assert_eq!(reader.text_of(&root).unwrap(), "ok");
        let deep = "<a>".repeat(100_000);
        let mut reader = XmlReader::new(&deep, MediaType::Docx);
        let root = reader.root().unwrap();
        assert!(matches!(reader.skip(&root), Err(ParseError::Damaged { .. })));
    }

    #[test]
    fn truncated_parts_are_damaged() {
        for text in ["", "<a><b>", "<a></b>", "no xml"] {
            let mut reader = XmlReader::new(text, MediaType::Docx);
            let outcome = reader.root().and_then(|root| reader.skip(&root));
            assert!(matches!(outcome, Err(ParseError::Damaged { .. })), "{text:?}");
        }
    }
}
