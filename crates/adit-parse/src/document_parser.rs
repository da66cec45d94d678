use adit_core::{MediaType, ParseError, ParsedDocument, Parser, SourceFile};

use crate::media_type::{describe_binary, detect_media_type};
use crate::{
    ParseLimits, asciidoc, code, csv, docx, email, encoding, epub, html, json, markdown, notebook, odf, org,
    pdf, plain_text, pptx, restructured_text, rtf, spreadsheet, subtitles, xml,
};

/// Reads every supported format in this process.
#[derive(Debug, Clone, Default)]
pub struct DocumentParser {
    limits: ParseLimits,
}

impl DocumentParser {
    /// A parser that refuses files above `limits.max_file_bytes`.
    #[must_use]
    pub fn with_limits(limits: ParseLimits) -> Self {
        Self { limits }
    }
}

impl Parser for DocumentParser {
    fn parse(&self, file: SourceFile<'_>) -> Result<ParsedDocument, ParseError> {
        self.limits.check_size(file.bytes)?;
        if file.bytes.iter().all(u8::is_ascii_whitespace) {
            return Err(ParseError::Empty);
        }
        let mut document = match detect_media_type(file) {
            MediaType::Pdf => pdf::parse(file.bytes)?,
            MediaType::Docx => docx::parse(file.bytes)?,
            MediaType::Pptx => pptx::parse(file.bytes)?,
            MediaType::Odt => odf::parse_text(file.bytes)?,
            MediaType::Odp => odf::parse_slides(file.bytes)?,
            MediaType::Spreadsheet => spreadsheet::parse(file.bytes)?,
            MediaType::Rtf => rtf::parse(file.bytes)?,
            MediaType::Email => email::parse(file.bytes)?,
            MediaType::Epub => epub::parse(file.bytes)?,
            MediaType::Unknown => {
                return Err(ParseError::Unsupported { detail: describe_binary(file.bytes) });
            }
            media_type => parse_text(media_type, file)?,
        };
        document.coverage.bytes_in = file.bytes.len() as u64;
        if document.text.trim().is_empty() {
            return Err(ParseError::Empty);
        }
        Ok(document)
    }
}

fn parse_text(media_type: MediaType, file: SourceFile<'_>) -> Result<ParsedDocument, ParseError> {
    let declared = match media_type {
        MediaType::Html => encoding::declared_in_html(file.bytes),
        _ => None,
    };
    let (text, report) = encoding::decode(file.bytes, declared);
    let text = normalise_line_ends(text);
    let mut document = match media_type {
        MediaType::Markdown => markdown::parse(&text)?,
        MediaType::Html => html::parse(&text),
        MediaType::Csv => csv::parse(&text, file.name),
        MediaType::Code => code::parse(&text, file.name),
        MediaType::Json => json::parse(&text, file.name)?,
        MediaType::Xml => xml::parse(&text, file.name)?,
        MediaType::Notebook => notebook::parse(&text, file.name)?,
        MediaType::Subtitles => subtitles::parse(&text, file.name)?,
        MediaType::RestructuredText => restructured_text::parse(&text, file.name)?,
        MediaType::Asciidoc => asciidoc::parse(&text, file.name)?,
        MediaType::Org => org::parse(&text, file.name)?,
        _ => plain_text::parse(&text),
    };
    document.coverage.warnings.extend(encoding::warnings(&report));
    document.coverage.encoding = Some(report);
    Ok(document)
}

fn normalise_line_ends(text: String) -> String {
    if text.contains('\r') { text.replace("\r\n", "\n").replace('\r', "\n") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(name: &str, bytes: &[u8]) -> Result<ParsedDocument, ParseError> {
        DocumentParser::default().parse(SourceFile { name, bytes })
    }

    #[test]
    fn blank_files_are_empty_in_every_encoding() {
        assert_eq!(parse("a.md", b""), Err(ParseError::Empty));
        assert_eq!(parse("a.txt", b" \r\n\t "), Err(ParseError::Empty));
        assert_eq!(parse("a.txt", b"\xFF\xFE \0\n\0"), Err(ParseError::Empty));
        assert_eq!(parse("a.html", b"<html><script>x()</script></html>"), Err(ParseError::Empty));
    }

    #[test]
    fn files_above_the_limit_are_refused() {
        let parser = DocumentParser::with_limits(ParseLimits { max_file_bytes: 3, ..ParseLimits::default() });
        let error = parser.parse(SourceFile { name: "a.txt", bytes: b"four" }).unwrap_err();
        assert_eq!(error, ParseError::TooLarge { size_bytes: 4, limit_bytes: 3 });
    }

    #[test]
    fn binary_junk_is_unsupported() {
        let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        assert!(matches!(parse("a.md", png), Err(ParseError::Unsupported { .. })));
    }

    #[test]
    fn windows_line_ends_do_not_reach_the_text() {
        let document = parse("a.txt", b"one\r\ntwo\r\n\r\nthree").unwrap();
        assert_eq!(document.text.trim(), "one\ntwo\n\nthree");
        assert_eq!(document.blocks.len(), 2);
        assert_eq!(document.coverage.bytes_in, 17);
    }
}
