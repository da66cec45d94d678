mod blocks;
pub(crate) mod charset;
mod destination;
mod tokens;

use std::collections::HashMap;

use adit_core::{FindingKind, MediaType, MetadataValue, ParseError, ParsedDocument};
use encoding_rs::Encoding;

use crate::hidden_marks::marked;
use blocks::{CellMerge, ParagraphRole, RtfBlocks};
use destination::{Destination, InfoKey};
use tokens::{Token, Tokens};

/// Word itself stops far earlier; deeper groups are read as if they stood in their parent.
const MAX_DEPTH: usize = 10_000;
/// Fonts and styles that are remembered.
const MAX_DEFINITIONS: usize = 50_000;

/// What a group inherits from the one around it.
#[derive(Clone, Copy)]
struct GroupState {
    destination: Destination,
    role: ParagraphRole,
    /// Characters after `\u` that stand for readers without Unicode.
    fallback_characters: usize,
    encoding: &'static Encoding,
    is_symbol_font: bool,
    /// Deleted under change tracking, so no text any more.
    is_deleted: bool,
    is_hidden: bool,
    /// Whether nothing but `\*` was read in this group, so that the next word names its destination.
    begins_optional: bool,
}

/// Reads rich text (RTF 1.9.1): paragraphs, headings by outline level or style, lists by their written
/// markers, tables by `\cell` and `\row`; footnotes and comments follow at the end.
///
/// # Errors
/// [`ParseError::Damaged`] if it does not begin with `{\rtf`, [`ParseError::Empty`] without a word.
pub(crate) fn parse(bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
    let start = bytes.iter().position(|byte| *byte == b'{').unwrap_or(0);
    let body = bytes.get(start..).unwrap_or_default();
    if !body.starts_with(b"{\\rtf") {
        let detail = "it does not begin with {\\rtf".to_owned();
        return Err(ParseError::Damaged { media_type: MediaType::Rtf, detail });
    }
    let mut reader = RtfReader::new();
    reader.read(body);
    reader.finish()
}

struct RtfReader {
    blocks: RtfBlocks,
    groups: Vec<GroupState>,
    /// Groups that were opened beyond the largest depth.
    uncounted_groups: usize,
    state: GroupState,
    document_encoding: &'static Encoding,
    /// Bytes of the current encoding that are not decoded yet; a character may have two.
    undecoded: Vec<u8>,
    high_surrogate: Option<u32>,
    fallback_to_skip: usize,
    /// What a destination other than the body has gathered.
    aside: String,
    notes: Vec<String>,
    font: i32,
    font_encodings: HashMap<i32, (Option<&'static Encoding>, bool)>,
    style: i32,
    style_levels: HashMap<i32, u8>,
    cell_merge: CellMerge,
    date: [i32; 3],
    pictures: usize,
    header_words: bool,
}

impl RtfReader {
    fn new() -> Self {
        let encoding = encoding_rs::WINDOWS_1252;
        let state = GroupState {
            destination: Destination::Body,
            role: ParagraphRole::default(),
            fallback_characters: 1,
            encoding,
            is_symbol_font: false,
            is_deleted: false,
            is_hidden: false,
            begins_optional: false,
        };
        Self {
            blocks: RtfBlocks::new(),
            groups: Vec::new(),
            uncounted_groups: 0,
            state,
            document_encoding: encoding,
            undecoded: Vec::new(),
            high_surrogate: None,
            fallback_to_skip: 0,
            aside: String::new(),
            notes: Vec::new(),
            font: 0,
            font_encodings: HashMap::new(),
            style: 0,
            style_levels: HashMap::new(),
            cell_merge: CellMerge::Single,
            date: [0; 3],
            pictures: 0,
            header_words: false,
        }
    }

    fn read(&mut self, bytes: &[u8]) {
        let mut tokens = Tokens::new(bytes);
        while let Some(token) = tokens.next() {
            match token {
                Token::GroupStart => self.open_group(),
                Token::GroupEnd => self.close_group(),
                Token::Text(text) => self.bytes(text),
                Token::Byte(byte) => self.bytes(&[byte]),
                Token::Symbol(_) if self.fallback_to_skip > 0 => self.fallback_to_skip -= 1,
                Token::Symbol(symbol) => self.symbol(symbol),
                Token::Word("bin", size) => {
                    tokens.skip_bytes(size.and_then(|size| usize::try_from(size).ok()).unwrap_or(0));
                }
                Token::Word(word, number) => self.word(word, number),
            }
        }
    }

    fn open_group(&mut self) {
        self.decode();
        self.fallback_to_skip = 0;
        if self.groups.len() >= MAX_DEPTH {
            self.uncounted_groups += 1;
            return;
        }
        self.groups.push(self.state);
        self.state.begins_optional = false;
    }

    fn close_group(&mut self) {
        self.decode();
        self.fallback_to_skip = 0;
        if self.uncounted_groups > 0 {
            self.uncounted_groups -= 1;
            return;
        }
        let Some(outer) = self.groups.pop() else { return };
        let inner = std::mem::replace(&mut self.state, outer);
        if inner.destination != outer.destination {
            self.end_destination(inner.destination);
        }
    }

    fn end_destination(&mut self, destination: Destination) {
        match destination {
            Destination::Note | Destination::Comment => {
                let words = std::mem::take(&mut self.aside);
                if !words.trim().is_empty() {
                    let kind = if destination == Destination::Comment { "Comment: " } else { "" };
                    self.notes.push(format!("{kind}{}", words.trim()));
                }
            }
            Destination::ListMarker => {
                let marker = std::mem::take(&mut self.aside);
                if !self.state.role.is_in_table {
                    self.blocks.list_marker(&marker);
                } else {
                    self.blocks.text(&format!("{} ", marker.trim()));
                }
            }
            Destination::Info(key) => {
                let words = std::mem::take(&mut self.aside);
                self.property(key, words.trim());
            }
            Destination::HeaderFooter => {
                self.header_words |= !std::mem::take(&mut self.aside).trim().is_empty();
            }
            Destination::StyleSheet => self.aside.clear(),
            _ => {}
        }
    }

    fn property(&mut self, key: InfoKey, words: &str) {
        let value = match key {
            InfoKey::Title => return self.blocks.builder.set_title(words),
            InfoKey::Created | InfoKey::Modified => {
                let [year, month, day] = std::mem::take(&mut self.date);
                if year == 0 {
                    return;
                }
                format!("{year:04}-{:02}-{:02}", month.max(1), day.max(1))
            }
            _ => words.to_owned(),
        };
        if !value.is_empty() {
            let metadata = self.blocks.builder.metadata();
            metadata.insert(key.name().to_owned(), vec![MetadataValue::Text(value)]);
        }
    }

    fn bytes(&mut self, bytes: &[u8]) {
        let skipped = self.fallback_to_skip.min(bytes.len());
        self.fallback_to_skip -= skipped;
        let bytes = bytes.get(skipped..).unwrap_or_default();
        match self.state.destination {
            Destination::Skipped | Destination::FontTable => {}
            Destination::StyleSheet => self.aside.push_str(&String::from_utf8_lossy(bytes)),
            _ => self.undecoded.extend_from_slice(bytes),
        }
        if self.state.destination == Destination::StyleSheet && bytes.ends_with(b";") {
            self.end_style();
        }
    }

    /// A style sheet entry ends with its name and a semicolon.
    fn end_style(&mut self) {
        let name = std::mem::take(&mut self.aside).trim().trim_end_matches(';').to_lowercase();
        let level = match name.strip_prefix("heading ") {
            Some(level) => level.trim().parse().ok(),
            None => (name == "title").then_some(1),
        };
        self.set_style_level(level);
        self.style = 0;
    }

    fn set_style_level(&mut self, level: Option<u8>) {
        if let Some(level @ 1..=9) = level
            && self.style_levels.len() < MAX_DEFINITIONS
        {
            self.style_levels.insert(self.style, level);
        }
    }

    fn decode(&mut self) {
        if self.undecoded.is_empty() {
            return;
        }
        let bytes = std::mem::take(&mut self.undecoded);
        if self.state.is_symbol_font {
            // Symbol fonts have pictures in the place of letters; only bullets mean anything.
            let is_bullet = |byte: &u8| matches!(byte, 0xb7 | 0xa7 | 0xa8 | 0xd8);
            if bytes.iter().all(is_bullet) {
                return self.push("\u{2022}");
            }
        }
        let (text, _) = self.state.encoding.decode_without_bom_handling(&bytes);
        self.push(&text);
    }

    fn unicode(&mut self, number: i32) {
        self.decode();
        self.fallback_to_skip = self.state.fallback_characters;
        let code = u32::try_from(number).unwrap_or_else(|_| (number + 0x1_0000).unsigned_abs());
        let code = match (self.high_surrogate.take(), code) {
            (_, 0xd800..=0xdbff) => {
                self.high_surrogate = Some(code);
                return;
            }
            (Some(high), 0xdc00..=0xdfff) => 0x1_0000 + ((high - 0xd800) << 10) + (code - 0xdc00),
            _ => code,
        };
        // Symbol fonts are mapped to this private area.
        let character = if code == 0xf0b7 { Some('\u{2022}') } else { char::from_u32(code) };
        if let Some(character) = character {
            self.push(character.encode_utf8(&mut [0; 4]));
        }
    }

    fn push(&mut self, text: &str) {
        if self.state.is_deleted {
            return;
        }
        if self.state.is_hidden && self.state.destination == Destination::Body {
            return self.blocks.text(&marked(FindingKind::NotDisplayed, text));
        }
        match self.state.destination {
            Destination::Body => self.blocks.text(text),
            Destination::Skipped | Destination::FontTable | Destination::StyleSheet => {}
            _ => self.aside.push_str(text),
        }
    }

    fn symbol(&mut self, symbol: u8) {
        match symbol {
            b'*' => self.state.begins_optional = true,
            b'\\' | b'{' | b'}' => self.bytes(&[symbol]),
            b'~' => self.bytes(b" "),
            b'_' => self.bytes(b"-"),
            b'\r' | b'\n' => self.word("par", None),
            b'\t' => self.word("tab", None),
            _ => {}
        }
    }

    fn word(&mut self, word: &str, number: Option<i32>) {
        // By the letter a word is a fallback too, but writers that leave the fallback out are more common.
        self.fallback_to_skip = 0;
        if word == "u" {
            return self.unicode(number.unwrap_or(0));
        }
        self.decode();
        let is_optional = std::mem::take(&mut self.state.begins_optional);
        if let Some(destination) = Destination::of_word(word) {
            self.enter(destination);
        } else if is_optional {
            self.state.destination = Destination::Skipped;
        } else if let Some(text) = text_of_word(word) {
            self.push(text);
        } else if self.state.destination == Destination::Body {
            self.body_word(word, number);
        } else if matches!(word, "par" | "line" | "sect" | "cell") {
            self.push(" ");
        }
        self.state_word(word, number);
    }

    fn enter(&mut self, destination: Destination) {
        let is_skipped = self.state.destination == Destination::Skipped;
        if destination == Destination::Same {
        } else if destination == Destination::Picture {
            self.pictures += usize::from(!is_skipped);
            self.state.destination = Destination::Skipped;
        } else if destination == Destination::Unicode {
            // The Unicode form of a text whose other form was skipped.
            self.state.destination = Destination::Body;
        } else if !is_skipped {
            self.state.destination = destination;
        }
    }

    /// Words that change how text is read, in any destination.
    fn state_word(&mut self, word: &str, number: Option<i32>) {
        let is_on = number != Some(0);
        match word {
            "ansicpg" => self.set_document_encoding(charset::of_code_page(number.unwrap_or(1252))),
            "mac" => self.set_document_encoding(encoding_rs::MACINTOSH),
            "uc" => self.state.fallback_characters = usize::try_from(number.unwrap_or(1)).unwrap_or(1),
            "v" => self.state.is_hidden = is_on,
            "deleted" => self.state.is_deleted = is_on,
            "plain" => (self.state.is_hidden, self.state.is_deleted) = (false, false),
            "f" => self.set_font(number.unwrap_or(0)),
            "fcharset" if self.font_encodings.len() < MAX_DEFINITIONS => {
                let charset = number.unwrap_or(0);
                let encoding = charset::of_font_charset(charset);
                self.font_encodings.insert(self.font, (encoding, charset == 2));
            }
            "s" if self.state.destination == Destination::StyleSheet => self.style = number.unwrap_or(0),
            "outlinelevel" if self.state.destination == Destination::StyleSheet => {
                self.set_style_level(outline_level(number));
            }
            "yr" => self.date = [number.unwrap_or(0), 1, 1],
            "mo" => self.date = [self.date[0], number.unwrap_or(1), 1],
            "dy" => self.date = [self.date[0], self.date[1], number.unwrap_or(1)],
            _ => {}
        }
    }

    fn set_document_encoding(&mut self, encoding: &'static Encoding) {
        self.document_encoding = encoding;
        self.state.encoding = encoding;
    }

    fn set_font(&mut self, font: i32) {
        self.font = font;
        if self.state.destination != Destination::FontTable {
            let (encoding, is_symbol) = self.font_encodings.get(&font).copied().unwrap_or_default();
            self.state.encoding = encoding.unwrap_or(self.document_encoding);
            self.state.is_symbol_font = is_symbol;
        }
    }

    /// Words that shape the body.
    fn body_word(&mut self, word: &str, number: Option<i32>) {
        match word {
            "par" | "sect" | "page" => self.blocks.end_paragraph(self.state.role),
            "pard" => self.state.role = ParagraphRole::default(),
            "line" => self.push("\n"),
            "intbl" => self.state.role.is_in_table = number != Some(0),
            "s" => self.state.role.heading_level = self.style_levels.get(&number.unwrap_or(0)).copied(),
            "outlinelevel" => {
                self.state.role.heading_level = outline_level(number).or(self.state.role.heading_level);
            }
            "cell" => self.blocks.end_cell(),
            "nestcell" | "nestrow" => self.push(" "),
            "row" => self.blocks.end_row(),
            "trowd" => self.blocks.start_row_definition(),
            "trhdr" => self.blocks.mark_row_as_header(),
            "clmrg" => self.cell_merge = CellMerge::WithLeft,
            "cellx" => {
                self.blocks.define_cell(std::mem::replace(&mut self.cell_merge, CellMerge::Single));
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Result<ParsedDocument, ParseError> {
        self.decode();
        let is_cut = !self.groups.is_empty();
        let mut builder = self.blocks.finish();
        for note in &self.notes {
            builder.paragraph(note);
        }
        if self.pictures > 0 {
            builder.warn(format!("{} pictures have no text and were left out", self.pictures));
        }
        if self.header_words {
            builder.warn("page headers and footers were left out".to_owned());
        }
        if is_cut {
            builder.warn("the file ends in the middle; what is there was kept".to_owned());
        }
        let document = builder.finish(MediaType::Rtf);
        if document.text.is_empty() { Err(ParseError::Empty) } else { Ok(document) }
    }
}

/// The level of a heading; 9 means running text.
fn outline_level(number: Option<i32>) -> Option<u8> {
    number.and_then(|level| u8::try_from(level).ok()).filter(|level| *level < 9).map(|level| level + 1)
}

/// Words that stand for characters.
fn text_of_word(word: &str) -> Option<&'static str> {
    Some(match word {
        "tab" | "enspace" | "emspace" | "qmspace" => " ",
        "emdash" => "\u{2014}",
        "endash" => "\u{2013}",
        "lquote" => "\u{2018}",
        "rquote" => "\u{2019}",
        "ldblquote" => "\u{201c}",
        "rdblquote" => "\u{201d}",
        "bullet" => "\u{2022}",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use adit_core::BlockKind;

    fn text(body: &str) -> String {
        parse(format!("{{\\rtf1\\ansi\\ansicpg1252 {body}}}").as_bytes())
            .map_or_else(|error| error.to_string(), |one| one.text)
    }

    #[test]
    fn characters_come_in_every_spelling() {
        assert_eq!(
            text("caf\\'e9 \\u8364? \\uc0\\u-10179\\u-8704 \\{x\\}\\emdash\\~y"),
            "caf\u{e9} \u{20ac} \u{1f600}{x}\u{2014} y"
        );
        // Byte pairs of a Japanese font, split by a line break of the file.
        let fonts = "{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset128 M;}}";
        assert_eq!(
            text(&format!("{fonts}\\f1 \\'93\n\\'fa\\'96\\'7b\\f0  \\'e9")),
            "\u{65e5}\u{672c} \u{e9}"
        );
    }

    #[test]
    fn headings_lists_and_destinations() {
        let body = "{\\stylesheet{\\s0 Normal;}{\\s3 heading 2;}}{\\info{\\title The title}{\\author Ann}\
                    {\\creatim\\yr2026\\mo3\\dy1}}{\\*\\unknown gone}{\\pict 00ff}\
                    \\pard\\s3 Head\\par\\pard one{\\footnote a note}\\par{\\listtext 1.\\tab}first\\par\
                    {\\listtext\\'b7\\tab}second\\par last";
        let document = parse(format!("{{\\rtf1 {body}}}").as_bytes()).unwrap();
        assert_eq!(document.text, "Head\n\none\n\n1. first\n- second\n\nlast\n\na note");
        assert_eq!(document.sections[0].level, 2);
        assert_eq!(document.title.as_deref(), Some("The title"));
        assert_eq!(document.metadata["created"][0].to_text(), "2026-03-01");
        assert_eq!(document.coverage.warnings.len(), 1);
    }

    #[test]
    fn tables_end_where_their_rows_do() {
        let row = "\\trowd\\cellx1\\cellx2\\pard\\intbl a\\par b\\cell c\\cell\\row";
        let document = parse(format!("{{\\rtf1 {row}{row}\\pard after\\par {row}}}").as_bytes()).unwrap();
        assert_eq!(document.text, "a b | c\na b | c\n\nafter\n\na b | c");
        let BlockKind::Table(table) = &document.blocks[0].kind else { panic!("no table") };
        assert_eq!(table.header_rows, 1);
    }

    #[test]
    fn broken_files_are_errors_or_what_is_there() {
        assert!(matches!(parse(b"no rtf"), Err(ParseError::Damaged { .. })));
        assert_eq!(parse(b"{\\rtf1 {\\*\\x y}}"), Err(ParseError::Empty));
        assert_eq!(parse(b"{\\rtf1 cut \\'").unwrap().text, "cut");
        let deep = format!("{{\\rtf1 {}word", "{".repeat(200_000));
        assert_eq!(parse(deep.as_bytes()).unwrap().text, "word");
        assert_eq!(parse(b"{\\rtf1 \\bin99999999999 \\bin5 }}}}}ok}").unwrap().text, "ok");
    }
}
