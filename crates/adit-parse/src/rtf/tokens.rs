/// One piece of an RTF file (RTF 1.9.1, "Basic entities").
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Token<'a> {
    GroupStart,
    GroupEnd,
    /// `\word` or `\word12`.
    Word(&'a str, Option<i32>),
    /// `\*` and other signs.
    Symbol(u8),
    /// `\'e9`: one byte of the current code page.
    Byte(u8),
    /// Text as it stands, without line breaks.
    Text(&'a [u8]),
}

/// Splits the bytes of an RTF file. Every byte string has tokens; nothing is an error.
pub(crate) struct Tokens<'a> {
    rest: &'a [u8],
}

impl<'a> Tokens<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// Passes over `\bin` data.
    pub(crate) fn skip_bytes(&mut self, count: usize) {
        self.rest = self.rest.get(count..).unwrap_or_default();
    }

    fn take(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    fn control(&mut self) -> Option<Token<'a>> {
        let letters = self.rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        if letters == 0 {
            let symbol = *self.take(1).first()?;
            if symbol != b'\'' {
                return Some(Token::Symbol(symbol));
            }
            let digits = std::str::from_utf8(self.take(2)).unwrap_or_default();
            return Some(u8::from_str_radix(digits, 16).map_or(Token::Symbol(b'\''), Token::Byte));
        }
        let word = std::str::from_utf8(self.take(letters)).unwrap_or_default();
        let sign = usize::from(self.rest.first() == Some(&b'-'));
        let digits = self.rest.iter().skip(sign).take_while(|byte| byte.is_ascii_digit()).count();
        let mut number = None;
        if digits > 0 {
            let written = std::str::from_utf8(self.take(sign + digits)).unwrap_or_default();
            number = written.parse().ok();
        }
        if self.rest.first() == Some(&b' ') {
            self.take(1);
        }
        Some(Token::Word(word, number))
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        loop {
            match self.rest.first()? {
                b'{' => {
                    self.take(1);
                    return Some(Token::GroupStart);
                }
                b'}' => {
                    self.take(1);
                    return Some(Token::GroupEnd);
                }
                b'\\' => {
                    self.take(1);
                    return self.control();
                }
                b'\r' | b'\n' | 0 => {
                    self.take(1);
                }
                _ => {
                    let plain = |byte: &&u8| !matches!(**byte, b'{' | b'}' | b'\\' | b'\r' | b'\n' | 0);
                    let length = self.rest.iter().take_while(plain).count();
                    return Some(Token::Text(self.take(length)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_numbers_bytes_and_symbols() {
        let tokens: Vec<_> = Tokens::new(b"{\\b0 x\\'e9\\*\\u-10179?\\par\r\ny}").collect();
        assert_eq!(
            tokens,
            [
                Token::GroupStart,
                Token::Word("b", Some(0)),
                Token::Text(b"x"),
                Token::Byte(0xe9),
                Token::Symbol(b'*'),
                Token::Word("u", Some(-10179)),
                Token::Text(b"?"),
                Token::Word("par", None),
                Token::Text(b"y"),
                Token::GroupEnd
            ]
        );
    }

    #[test]
    fn broken_escapes_end() {
        for text in ["\\", "\\'", "\\'g", "{\\u", "\\a-", "\\a99999999999"] {
            assert!(Tokens::new(text.as_bytes()).count() <= 3, "{text}");
        }
    }
}
