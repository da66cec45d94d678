mod outline;

use adit_core::{MediaType, ParseError, ParsedDocument};
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use crate::builder::DocumentBuilder;
use crate::plain_text;
use outline::{ElementShape, element_shapes};

/// Elements whose words name the element they stand in.
const TITLE_ELEMENTS: [&str; 4] = ["title", "name", "heading", "head"];
/// Attributes that people read.
const TITLE_ATTRIBUTES: [&str; 3] = ["title", "name", "label"];
const OTHER_TEXT_ATTRIBUTES: [&str; 4] = ["alt", "caption", "summary", "description"];
/// Elements of running text, whose names say nothing about their words.
const PROSE_ELEMENTS: [&str; 14] = [
    "p",
    "para",
    "simpara",
    "paragraph",
    "text",
    "body",
    "content",
    "line",
    "l",
    "figure",
    "image",
    "note",
    "item",
    "section",
];
/// Longer words are prose, whatever their element is called.
const MAX_FIELD_BYTES: usize = 200;
/// Elements whose line breaks mean something.
const PREFORMATTED_ELEMENTS: [&str; 7] =
    ["programlisting", "code", "pre", "screen", "literallayout", "verbatim", "codeblock"];
/// Elements that may stand inside a word; around any other a word ends.
const INLINE_ELEMENTS: [&str; 17] = [
    "a",
    "b",
    "i",
    "u",
    "s",
    "em",
    "strong",
    "emphasis",
    "span",
    "sub",
    "sup",
    "subscript",
    "superscript",
    "hi",
    "link",
    "ulink",
    "small",
];

/// Parses XML 1.0 that is no other format here.
///
/// A container's title, name or heading (child or attribute) opens a section; an element with words is
/// a paragraph with whatever stands among them; an element that holds only leaves with different names
/// is written as `name: words`, one line each. Left out: comments, processing instructions, the
/// document type (no entity of it is expanded; a reference to one stays as written) and attributes
/// that are not for reading. XML that is not well formed becomes plain text with a warning.
///
/// # Errors
/// [`ParseError::Empty`] without a word.
pub(crate) fn parse(text: &str, _name: &str) -> Result<ParsedDocument, ParseError> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(ParseError::Empty);
    }
    let shapes = match element_shapes(text) {
        Ok(shapes) => shapes,
        Err(problem) => return Ok(as_plain_text(text, &problem)),
    };
    let mut writer = XmlWriter::default();
    let mut shapes = shapes.into_iter();
    let mut reader = Reader::from_str(text);
    loop {
        match reader.read_event() {
            Ok(Event::Start(tag)) => writer.start(&tag, shapes.next().unwrap_or(ElementShape::Leaf)),
            Ok(Event::Empty(tag)) => {
                writer.start(&tag, shapes.next().unwrap_or(ElementShape::Leaf));
                writer.end();
            }
            Ok(Event::End(_)) => writer.end(),
            Ok(Event::Text(words)) => writer.inline.push_str(&words.xml_content(XmlVersion::Implicit1_0)),
            Ok(Event::CData(words)) => writer.character_data(&words),
            Ok(Event::GeneralRef(reference)) => writer.reference(&reference),
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => return Ok(as_plain_text(text, &error.to_string())),
        }
    }
    Ok(writer.builder.finish(MediaType::Xml))
}

fn as_plain_text(text: &str, problem: &str) -> ParsedDocument {
    let mut document = plain_text::parse(text);
    document.media_type = MediaType::Xml;
    document
        .coverage
        .warnings
        .push(format!("this XML is not well formed and was kept as plain text: {problem}"));
    document
}

struct OpenElement {
    name: String,
    shape: ElementShape,
    has_heading: bool,
    has_written: bool,
}

struct XmlWriter {
    builder: DocumentBuilder,
    open: Vec<OpenElement>,
    headings_open: u8,
    /// Depth of the element whose words and children are one paragraph.
    mixed_depth: Option<usize>,
    inline: String,
    keeps_lines: bool,
    record: String,
}

impl Default for XmlWriter {
    fn default() -> Self {
        Self {
            builder: DocumentBuilder::new(),
            open: Vec::new(),
            headings_open: 0,
            mixed_depth: None,
            inline: String::new(),
            keeps_lines: false,
            record: String::new(),
        }
    }
}

impl XmlWriter {
    fn start(&mut self, tag: &BytesStart<'_>, shape: ElementShape) {
        let name = tag.local_name().as_ref().to_owned();
        if self.mixed_depth.is_some() {
            self.inline_boundary(&name);
        } else {
            self.inline.clear();
        }
        let titles = text_attributes(tag, &TITLE_ATTRIBUTES);
        let others = text_attributes(tag, &OTHER_TEXT_ATTRIBUTES);
        self.open.push(OpenElement { name, shape, has_heading: false, has_written: false });
        let is_container = matches!(shape, ElementShape::Container | ElementShape::Record);
        if is_container && self.mixed_depth.is_none() {
            for title in titles {
                self.heading(&title);
            }
            for other in others {
                self.builder.paragraph(&other);
            }
            return;
        }
        if shape == ElementShape::Mixed && self.mixed_depth.is_none() {
            self.mixed_depth = Some(self.open.len());
        }
        for words in titles.iter().chain(&others) {
            self.inline.push_str(words);
            self.inline.push(' ');
        }
    }

    fn end(&mut self) {
        let Some(element) = self.open.pop() else { return };
        if let Some(depth) = self.mixed_depth {
            if self.open.len() >= depth {
                return self.inline_boundary(&element.name);
            }
            self.mixed_depth = None;
        }
        let mut has_written = element.has_written;
        let is_container = matches!(element.shape, ElementShape::Container | ElementShape::Record);
        if !is_container {
            has_written |= self.write_words(&element.name);
        }
        if element.shape == ElementShape::Record {
            let record = std::mem::take(&mut self.record);
            self.builder.paragraph(&record);
        }
        self.inline.clear();
        self.headings_open -= u8::from(element.has_heading);
        if let Some(parent) = self.open.last_mut() {
            parent.has_written |= has_written;
        }
    }

    /// Writes the words gathered for an element that was just closed.
    fn write_words(&mut self, name: &str) -> bool {
        let inline = std::mem::take(&mut self.inline);
        let keeps_lines = std::mem::take(&mut self.keeps_lines);
        if inline.trim().is_empty() {
            return false;
        }
        let one_line = || inline.split_whitespace().collect::<Vec<_>>().join(" ");
        let parent = self.open.last();
        let is_title = TITLE_ELEMENTS.iter().any(|title| name.eq_ignore_ascii_case(title))
            && parent.is_some_and(|parent| !parent.has_written);
        if is_title {
            self.heading(&one_line());
        } else if PREFORMATTED_ELEMENTS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            self.flush_record();
            self.builder.code(&inline, None);
        } else if parent.is_some_and(|parent| parent.shape == ElementShape::Record) {
            if !self.record.is_empty() {
                self.record.push('\n');
            }
            let words = if keeps_lines { inline.trim().to_owned() } else { one_line() };
            let is_prose = words.len() > MAX_FIELD_BYTES
                || PROSE_ELEMENTS.iter().any(|known| name.eq_ignore_ascii_case(known));
            self.record.push_str(&if is_prose { words } else { format!("{name}: {words}") });
        } else if keeps_lines {
            self.builder.paragraph(&inline);
        } else {
            self.builder.paragraph(&one_line());
        }
        true
    }

    fn flush_record(&mut self) {
        let record = std::mem::take(&mut self.record);
        self.builder.paragraph(&record);
    }

    /// Opens a section for the innermost open element.
    fn heading(&mut self, words: &str) {
        self.flush_record();
        let Some(element) = self.open.last_mut() else { return self.builder.paragraph(words) };
        let is_first = !element.has_heading && self.headings_open < u8::MAX;
        element.has_heading |= is_first;
        self.headings_open += u8::from(is_first);
        self.builder.heading(self.headings_open, words);
    }

    fn inline_boundary(&mut self, name: &str) {
        if !INLINE_ELEMENTS.iter().any(|known| name.eq_ignore_ascii_case(known)) {
            self.inline.push(' ');
        }
    }

    fn character_data(&mut self, words: &str) {
        self.keeps_lines |= words.trim().contains('\n');
        self.inline.push_str(words);
    }

    fn reference(&mut self, reference: &BytesRef<'_>) {
        match reference.resolve_char_ref() {
            Ok(Some(character)) => self.inline.push(character),
            _ => match quick_xml::escape::resolve_predefined_entity(reference) {
                Some(words) => self.inline.push_str(words),
                None if &**reference == "nbsp" => self.inline.push(' '),
                None => self.inline.push_str(&format!("&{};", &**reference)),
            },
        }
    }
}

fn text_attributes(tag: &BytesStart<'_>, names: &[&str]) -> Vec<String> {
    let mut attributes = tag.attributes();
    let read = attributes.with_checks(false).flatten().filter(|attribute| {
        names.iter().any(|name| attribute.key.local_name().as_ref().eq_ignore_ascii_case(name))
    });
    let values = read.map(|attribute| match attribute.normalized_value(XmlVersion::Implicit1_0) {
        Ok(value) => value.into_owned(),
        Err(_) => attribute.value.into_owned(),
    });
    values.filter(|value| !value.trim().is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text_of(text: &str) -> String {
        let document = parse(text, "a.xml").unwrap();
        assert_eq!(document.coverage.warnings, [""; 0]);
        document.text
    }

    #[test]
    fn containers_with_titles_are_sections() {
        let document = parse(
            "<?xml version='1.0'?><!DOCTYPE book [<!ENTITY x 'boom'>]><book><title>The Book</title>\
             <!-- no --><chapter label='One'><para>Some <emphasis>mixed</emphasis>ly <link title='T'>w</link>ord &amp; &#x41; &x;</para></chapter>\
             <chapter><title>Two</title><programlisting><![CDATA[if (a < b)\n  c();]]></programlisting><figure alt='A cat'/></chapter></book>",
            "a.xml",
        )
        .unwrap();
        assert_eq!(
            document.text,
            "The Book\n\nOne\n\nSome mixedly T word & A &x;\n\nTwo\n\nif (a < b)\n  c();\n\nA cat"
        );
        let levels: Vec<_> = document.sections.iter().map(|section| section.level).collect();
        assert_eq!(levels, [1, 2, 2]);
        assert_eq!(document.title.as_deref(), Some("The Book"));
    }

    #[test]
    fn records_keep_the_names_of_their_fields() {
        let text = "<list><country><name>Albania</name><capital>Tirana</capital><area unit='km2'>28748</area></country>\
                    <country><name>Chad</name><capital>N'Djamena</capital></country></list>";
        assert_eq!(text_of(text), "Albania\n\ncapital: Tirana\narea: 28748\n\nChad\n\ncapital: N'Djamena");
    }

    #[test]
    fn what_is_not_well_formed_is_plain_text() {
        for text in ["<a><b>words</a>", "<a>words", "just words", "<a>x</a>words"] {
            let document = parse(text, "a.xml").unwrap();
            assert_eq!(document.text, text);
            assert_eq!(document.coverage.warnings.len(), 1);
        }
    }

    #[test]
    fn depth_and_entities_are_bounded() {
        let deep = format!("{}word{}", "<a name='n'>".repeat(20_000), "</a>".repeat(20_000));
        assert!(text_of(&deep).ends_with("word"));
        let laughs = "<!DOCTYPE a [<!ENTITY b '&c;&c;'><!ENTITY c '&b;&b;'>]><a>&b;</a>";
        assert_eq!(text_of(laughs), "&b;");
    }

    fn element() -> impl Strategy<Value = String> {
        let leaf =
            prop_oneof!["[a-zé]{3,8}", "<!\\[CDATA\\[[a-z]{3,6}\n[a-z]{3}\\]\\]>", Just(" ".to_owned())];
        leaf.prop_recursive(4, 60, 5, |inner| {
            (
                prop::sample::select(vec!["a", "title", "p", "code", "name", "x y='no' label='attribute'"]),
                prop::collection::vec(inner, 0..5),
            )
                .prop_map(|(tag, parts)| {
                    format!("<{tag}>{}</{}>", parts.concat(), tag.split(' ').next().unwrap())
                })
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn every_word_is_kept(inner in element()) {
            let text = format!("<root>{inner}</root>");
            let found = text_of_any(&text);
            let mut rest = text.as_str();
            while let Some(at) = rest.find('>') {
                let behind = &rest[at + 1..];
                let words = behind.split('<').next().unwrap_or_default();
                for word in words.split(|one: char| !one.is_alphabetic()).filter(|word| word.chars().count() >= 3 && *word != "CDATA") {
                    prop_assert!(found.contains(word), "{} not in {}", word, found);
                }
                rest = behind;
            }
            prop_assert_eq!(found.matches("attribute").count(), text.matches("attribute").count());
        }

        #[test]
        fn any_text_is_no_panic(text in "(<a>|</a>|<title>|</title>|<b/>|&#1;|&amp;|&|<!\\[CDATA\\[|\\]\\]>|<!--|-->|<\\?|[a-z]{1,4}|<a b='|'>| ){0,30}") {
            let _ = parse(&text, "a.xml");
        }
    }

    fn text_of_any(text: &str) -> String {
        parse(text, "a.xml").unwrap().text
    }
}
