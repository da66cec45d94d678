use super::languages::Language;

/// Lines of a here document; longer ones are read as code.
const MAX_HERE_LINES: usize = 1_000;
/// Bytes of a regular expression in one line.
const MAX_REGEX_BYTES: usize = 300;

/// The text with comments and the inside of strings as spaces, of the same length in bytes and with the
/// same line ends, so that braces and keywords that remain are code. A string that does not end in its
/// line ends with it, unless its language lets it go on.
pub(super) fn mask(text: &str, language: &Language) -> String {
    let mut masker = Masker { text, language, at: 0, masked: String::with_capacity(text.len()) };
    while masker.at < text.len() {
        masker.step();
    }
    masker.masked
}

struct Masker<'a> {
    text: &'a str,
    language: &'a Language,
    at: usize,
    masked: String,
}

impl Masker<'_> {
    fn rest(&self) -> &str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn step(&mut self) {
        let language = self.language;
        if language.has_preprocessor && self.rest().starts_with('#') && self.is_at_line_start() {
            return self.blank_directive();
        }
        if let Some((open, close)) = language.block_comment
            && self.rest().starts_with(open)
            && (open.starts_with(['/', '-']) || self.is_at_line_start())
        {
            return self.blank_comment(open, close);
        }
        if language.line_comments.iter().any(|mark| self.begins_comment(mark)) {
            let length = self.rest().find('\n').unwrap_or(self.rest().len());
            return self.blank(length);
        }
        if language.has_here_documents
            && let Some(length) = here_document(self.rest())
        {
            return self.blank(length);
        }
        if let Some((open, close)) =
            language.long_strings.iter().find(|(open, _)| self.rest().starts_with(open))
        {
            return self.blank_long_string(open, close);
        }
        let Some(first) = self.rest().chars().next() else { return };
        if language.strings.contains(&first) {
            return self.blank_string(first);
        }
        if first == '\'' && language.has_characters {
            return self.blank_character();
        }
        if first == '/'
            && language.has_regex_literals
            && self.may_begin_expression()
            && let Some(length) = regex_length(self.rest())
        {
            self.keep(1);
            self.blank(length.saturating_sub(2));
            return self.keep(1);
        }
        self.keep(first.len_utf8());
    }

    /// Shells and their like want white space before `#`.
    fn begins_comment(&self, mark: &str) -> bool {
        if !self.rest().starts_with(mark) {
            return false;
        }
        let is_attribute = mark == "#" && self.rest().starts_with("#[");
        let before = self.text.get(..self.at).and_then(|before| before.chars().next_back());
        !is_attribute
            && (mark != "#"
                || before.is_none_or(|one| {
                    one.is_whitespace() || matches!(one, ';' | ')' | '{' | '}' | ',' | '(' | ':')
                }))
    }

    fn is_at_line_start(&self) -> bool {
        // Asked at `#` and at the rare marks of comments only, so that long lines are not read over again.
        let before = self.text.get(..self.at).unwrap_or_default();
        before.chars().rev().find(|one| *one == '\n' || !one.is_whitespace()).is_none_or(|one| one == '\n')
    }

    /// A `/` after a value divides; after anything else it begins a regular expression.
    fn may_begin_expression(&self) -> bool {
        let before = self.masked.trim_end();
        match before.chars().next_back() {
            None => true,
            Some(last) if last.is_alphanumeric() || last == '_' => {
                ["return", "typeof", "case", "if", "unless", "when", "and", "or"]
                    .iter()
                    .any(|word| before.ends_with(word))
            }
            Some(last) => !matches!(last, ')' | ']' | '}' | '"' | '\'' | '`' | '$'),
        }
    }

    fn keep(&mut self, length: usize) {
        let end = self.at + length;
        self.masked.push_str(self.text.get(self.at..end).unwrap_or_default());
        self.at = end;
    }

    /// Bytes, not characters, become spaces: the length must stay.
    fn blank(&mut self, length: usize) {
        let end = (self.at + length).min(self.text.len());
        let blanked = self.text.get(self.at..end).unwrap_or_default();
        self.masked.extend(blanked.bytes().map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
        self.at = end;
    }

    fn blank_directive(&mut self) {
        let mut length = 0;
        for line in self.rest().split_inclusive('\n') {
            length += line.len();
            if !line.trim_end().ends_with('\\') {
                break;
            }
        }
        self.blank(length);
    }

    fn blank_comment(&mut self, open: &str, close: &str) {
        let rest = self.rest();
        let mut depth = 1_usize;
        let mut end = open.len();
        while depth > 0 {
            let tail = rest.get(end..).unwrap_or_default();
            let Some(next_close) = tail.find(close) else {
                end = rest.len();
                break;
            };
            // Looked for up to the next end only, so that the rest of the file is not read for each comment.
            let inner = tail.get(..next_close).filter(|_| self.language.nests_comments);
            match inner.and_then(|inner| inner.find(open)) {
                Some(next_open) => {
                    depth += 1;
                    end += next_open + open.len();
                }
                None => {
                    depth -= 1;
                    end += next_close + close.len();
                }
            }
        }
        self.blank(end);
    }

    /// The first mark stays, so that a line with nothing but a text is not blank.
    fn blank_long_string(&mut self, open: &str, close: &str) {
        // Raw texts have no escapes; the others are told by their plain marks.
        let escapes = matches!(open, "\"" | "b\"" | "`")
            || (open == "'" && self.language.name == "php")
            || open.len() == 3;
        self.keep(open.len());
        let rest = self.rest();
        let mut end = 0;
        while let Some(tail) = rest.get(end..).filter(|tail| !tail.is_empty()) {
            if tail.starts_with(close) {
                break;
            }
            let mut characters = tail.chars();
            let first = characters.next().map_or(1, char::len_utf8);
            let escaped = if escapes && tail.starts_with('\\') {
                characters.next().map_or(0, char::len_utf8)
            } else {
                0
            };
            end += first + escaped;
        }
        let has_lines = rest.get(..end).is_some_and(|inside| inside.contains('\n'));
        self.blank(end);
        let length = close.len().min(self.rest().len());
        // A last line with nothing but the mark says nothing by its indentation.
        if has_lines { self.blank(length) } else { self.keep(length) }
    }

    fn blank_string(&mut self, mark: char) {
        self.keep(mark.len_utf8());
        let mut end = 0;
        let mut is_escaped = false;
        let mut is_closed = false;
        for character in self.rest().chars() {
            if character == '\n' && !is_escaped {
                break;
            }
            if character == mark && !is_escaped {
                is_closed = true;
                break;
            }
            is_escaped = character == '\\' && !is_escaped;
            end += character.len_utf8();
        }
        self.blank(end);
        if is_closed {
            self.keep(mark.len_utf8());
        }
    }

    /// `'x'` or `'\n'`; a lifetime or a digit separator has no second mark near by.
    fn blank_character(&mut self) {
        let mut characters = self.rest().char_indices().skip(1);
        let closes = match characters.next() {
            Some((_, '\\')) => {
                characters.next();
                self.rest().char_indices().skip(3).take(8).find(|(_, one)| *one == '\'').map(|(at, _)| at)
            }
            Some(_) => characters.next().filter(|(_, one)| *one == '\'').map(|(at, _)| at),
            None => None,
        };
        match closes {
            Some(at) => self.blank(at + 1),
            None => self.keep(1),
        }
    }
}

/// The length of a regular expression that ends in its line.
fn regex_length(text: &str) -> Option<usize> {
    let line = text.lines().next()?;
    let mut is_escaped = false;
    let mut in_class = false;
    for (at, character) in line.char_indices().skip(1) {
        if at > MAX_REGEX_BYTES {
            return None;
        }
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            '[' => in_class = true,
            ']' => in_class = false,
            '/' if !in_class => return (at > 1).then_some(at + 1),
            _ => {}
        }
    }
    None
}

/// The length of `<<WORD` and of the lines up to the line `WORD`; only of one that is ended.
fn here_document(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("<<")?;
    let rest = rest.trim_start_matches(['-', '~']);
    let quote = rest.chars().next().filter(|one| matches!(one, '\'' | '"'));
    let rest = rest.get(quote.map_or(0, char::len_utf8)..)?;
    let word_end = rest.find(|one: char| !(one.is_alphanumeric() || one == '_')).unwrap_or(rest.len());
    let word = rest.get(..word_end)?;
    // `1 << BITS` is no document.
    if !word.starts_with(|one: char| one.is_alphabetic() || one == '_') {
        return None;
    }
    let mut length = text.find('\n')? + 1;
    for line in text.get(length..)?.split_inclusive('\n').take(MAX_HERE_LINES) {
        length += line.len();
        if line.trim() == word {
            return Some(length - (line.len() - line.trim_end().len()));
        }
    }
    None
}
